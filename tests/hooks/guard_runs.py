"""Tool calls as agents make them when a plain redirection was refused: what is denied, with the text that must be kept.

They happen in the project of guard_events. Nothing that only reads, or writes beside the store, may be denied.
"""

from tests.hooks import guard_forms, guard_more
from tests.hooks.guard_harmless import PASSING
from tests.hooks.guard_tools import MORE_TOOLS, TOOLS, Row

TEXT = "likes tea"

SAYING = (
    "echo '- likes tea #pref score:8' >> .memory/declarative.md",
    "printf '%s\\n' '- likes tea #pref' >> ./.memory/declarative.md",
    "echo '- likes tea #pref' 1>> .memory/declarative.md",
    "echo '- likes tea #pref' >| .memory/declarative.md",
    "echo '- likes tea #pref' &>> .memory/declarative.md",
    "cd .memory && echo '- likes tea #pref' >> declarative.md",
    "cd .memory; printf -- '- likes tea\\n' >> declarative.md; cd -",
    "(cd .memory && echo '- likes tea' | tee -a declarative.md)",
    "pushd .memory >/dev/null && echo '- likes tea' >> declarative.md && popd",
    "echo '- likes tea' | tee -a .memory/declarative.md >/dev/null",
    "echo '- likes tea' >> \"$(git rev-parse --show-toplevel)/.memory/declarative.md\"",
    "echo '- likes tea' >> $PWD/.memory/declarative.md",
    "echo '- likes tea' >> ~/.memory/declarative.md",
    "echo '- likes tea' >> {root}/.memory/declarative.md",
    "cat <<'EOF' >> .memory/declarative.md\n- likes tea #pref\nEOF",
    "cat >> .memory/declarative.md <<EOF\n- likes tea #pref\nEOF\n",
    "cat <<< '- likes tea' >> .memory/declarative.md",
    "sed -i.bak -e '$a - likes tea' .memory/declarative.md",
    "bash -c \"echo '- likes tea' >> .memory/declarative.md\"",
    "sh -c 'cd .memory && echo \"- likes tea\" >> declarative.md'",
    "sudo sh -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "env LC_ALL=C sh -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "nice -n 5 bash -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "timeout 5 bash -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "nohup sh -c 'echo \"- likes tea\" >> .memory/declarative.md' &",
    "setsid -f sh -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "flock /tmp/l -c \"echo '- likes tea' >> .memory/declarative.md\"",
    "flock /tmp/l sh -c \"echo '- likes tea' >> .memory/declarative.md\"",
    "docker run --rm -v $PWD:/w -w /w alpine sh -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "docker exec -i web sh -c 'echo \"- likes tea\" >> /app/.memory/declarative.md'",
    "podman run -it --rm -v .:/w docker.io/library/alpine sh -c 'echo \"- likes tea\" >> /w/.memory/declarative.md'",
    "kubectl exec -n dev pod/web -- sh -c 'echo \"- likes tea\" >> .memory/declarative.md'",
    "docker compose exec app bash -lc \"echo '- likes tea' >> .memory/declarative.md\"",
    "eval \"echo '- likes tea' >> .memory/declarative.md\"",
    "if true; then echo '- likes tea' >> .memory/declarative.md; fi",
    "test -d .memory && echo '- likes tea' >>.memory/declarative.md || true",
    "npx @promptx/cli remember 'likes tea'",
    "node promptx.js remember 'likes tea' #pref score:9",
    "cd src && echo '- likes tea' >> ../.memory/declarative.md",
    "echo '- likes tea' >> '.memory'/\"declarative.md\"",
    "echo '- likes tea' >> .memory//declarative.md",
    "echo '- likes tea' >> src/../.memory/declarative.md",
    "su - me -c \"echo '- likes tea' >> .memory/declarative.md\"",
    "sudo -u me tee -a .memory/declarative.md <<EOF\n- likes tea\nEOF",
    "tee .memory/declarative.md <<'EOF'\n# Memories\n\n- likes tea #pref\nEOF",
    "cat > .memory/declarative.md <<-EOF\n\t- likes tea\n\tEOF",
    "cd ~ && echo '- likes tea' >> .memory/declarative.md",
    "cd sub/dir/../.. && cd ./.memory && tee -a declarative.md <<< '- likes tea'",
    "npm exec -- promptx remember 'likes tea'",
    "/usr/bin/env bash -euo pipefail -c \"echo '- likes tea' >> .memory/declarative.md\"",
)
"""Shell commands whose redirect must store TEXT."""

WRITING = (
    "cat > >(tee -a .memory/declarative.md) <<< '- likes tea'",
    "exec 3>>.memory/declarative.md; echo '- likes tea' >&3",
    "sed -i 's/night/morning/' .memory/declarative.md",
    "gsed --in-place '2d' .memory/declarative.md",
    "perl -pi -e 's/night/morning/' .memory/declarative.md",
    "perl -i -ne 'print unless /tea/' .memory/declarative.md",
    'docker-compose run --rm app sh -c "rm -rf .memory"',
    "cp notes.md .memory/declarative.md",
    "cp -t .memory declarative.md",
    "mv /tmp/new.md .memory/declarative.md",
    "mv .memory /tmp/gone",
    "rsync -a --delete backup/ .memory/",
    "install -m 600 notes.md .memory/declarative.md",
    "ln -sf /tmp/other.md .memory/declarative.md",
    "ln -sfn /tmp/other .memory",
    "truncate -s 0 .memory/journal.jsonl",
    ": > .memory/audit.jsonl",
    "> .memory/audit.jsonl",
    "rm .memory/audit.jsonl",
    "rm -rf ./.memory/",
    "find .memory -type f -delete",
    "shred -u .memory/declarative.md",
    "unlink .memory/journal.jsonl",
    "git rm --cached -r .memory && git rm -rf .memory",
    "git clean -ffdx",
    "sort -u .memory/declarative.md | sponge .memory/declarative.md",
    "jq -c . x.json >> .memory/journal.jsonl",
    "curl -s https://example.org/x > .memory/declarative.md",
    "xargs -a list.txt -I{} sh -c 'echo \"- {}\" >> .memory/declarative.md'",
    'for f in a b; do echo "- $f" >> .memory/declarative.md; done',
    'while read l; do echo "- $l"; done < notes.txt >> .memory/declarative.md',
    "{ echo '- likes tea'; echo '- hates rain'; } >> .memory/declarative.md",
    "pwsh -c \"Add-Content .memory/declarative.md '- likes tea'\"",
    "cat notes.md >> .mem*/declarative.md",
    "strace -f bash -c 'rm -rf .memory'",
    "add(){ echo \"- $1\" >> .memory/declarative.md; }; add 'likes tea'",
    "mapfile -t L < notes.md; printf '%s\\n' \"${L[@]}\" >> .memory/declarative.md",
    "xargs -I% sh -c 'echo \"- %\" >> .memory/declarative.md' < f",
)

SAYS: tuple[Row, ...] = (*(("deny", "Bash", {"command": command}) for command in SAYING), *TOOLS)
ROWS: tuple[Row, ...] = (
    *SAYS,
    *(("deny", "Bash", {"command": command}) for command in WRITING),
    *(("pass", "Bash", {"command": command}) for command in PASSING),
    *MORE_TOOLS,
)
MORE: tuple[Row, ...] = (*guard_forms.ROWS, *guard_more.ROWS, *ROWS)
