"""Tool calls that write a store by another way than its program, and calls that do not, for `test_rounds.py`.

A step that is a text is a command of the host's shell. `{root}` is the project, `{home}` the home with the user's
store, `{id}` and `{line}` one stored memory's. Each row's last step is the one that is judged.
"""

from typing import Any

FILES = {
    "README.md": "# Demo\n\nThe office is in Berlin.\n",
    "docs/office.md": "Our office: Berlin, Torstrasse.\n",
    "src/app.py": 'CITY = "Berlin"\n\n\ndef greet():\n    return f"hello from {CITY}"\n',
    "src/test_app.py": "from app import greet\n\nassert greet()\n",
    "package.json": '{"name": "demo", "scripts": {"note": "sh tools/note.sh", "lint": "echo fine"}}\n',
    "tools/note.sh": "echo '- by a script #x score:9' >> .memory/declarative.md\n",
    "tools/lint.sh": "grep -rn TODO src || true\n",
    "Makefile": "all:\n\t@echo built\n\nnote:\n\t@sed -i s/Berlin/Hamburg/ .memory/declarative.md\n\nbackup:\n\t@cp -r .memory build.bak\n",
    "data.json": '{"city": "Berlin", "port": 8080}\n',
    "memory.md": "# Notes of the design\n",
    ".memory-notes/declarative.md": "- mine, no store\n",
}
"""What lies in each project beside its store."""

SESSION = "5f0e6d0a-0c0e-4b55-9d6e-6a1d0c7e3b11"
OTHER = "0b3f0f0e-7a55-4a5a-8e0b-2d1a5c9e7f22"


class Outside:
    """A command that somebody else runs between two calls or during one: a person, cron."""

    def __init__(self, command: str) -> None:
        self.command = command


class Call:
    """A call of a tool; `does` is the command that has its effect, where the driver cannot do it itself."""

    def __init__(
        self,
        tool: str,
        given: dict[str, Any],
        does: str = "",
        during: "Step | None" = None,
        cwd: str = "",
        session: str = SESSION,
    ) -> None:
        self.tool, self.given, self.does, self.during = tool, given, does, during
        self.cwd, self.session = cwd, session


class Crossed:
    """Calls of which all begin before the first ends."""

    def __init__(self, *calls: Call) -> None:
        self.calls = calls


Step = Outside | Call | Crossed


def bash(command: str, during: Step | None = None, cwd: str = "", session: str = SESSION) -> Call:
    """Return a call of the shell."""
    return Call("Bash", {"command": command, "description": "x"}, command, during, cwd, session)


def write(path: str, content: str) -> Call:
    """Return a call of the tool that writes a file."""
    return Call("Write", {"file_path": path if path[0] in "/{" else "{root}/" + path, "content": content})


def edit(path: str, old: str, new: str) -> Call:
    """Return a call of the tool that replaces a text in a file."""
    return Call(
        "Edit", {"file_path": path if path[0] in "/{" else "{root}/" + path, "old_string": old, "new_string": new}
    )


class Row:
    """One case: its steps, its project, the programs that it needs and a word that the report has to hold."""

    def __init__(self, *steps: str | Step, project: str = "private", needs: str = "", names: str = "") -> None:
        self.steps = tuple(bash(step) if isinstance(step, str) else step for step in steps)
        self.project, self.needs, self.names = project, needs.split(), names

    def __str__(self) -> str:
        """Return the judged step, for the test's name."""
        last = self.steps[-1]
        given = last.given if isinstance(last, Call) else {"command": "several at once"}
        text = " ".join(str(value) for value in given.values() if value != "x")
        return "".join(c if c.isprintable() and c.isascii() and c not in "[]" else "?" for c in text)[:70]


def shared(*steps: str | Step, needs: str = "", names: str = "") -> Row:
    """Return a row in the project whose store git shares."""
    return Row(*steps, project="team", needs=needs, names=names)


M = ".memory/declarative.md"

_SCRIPTS = (
    Row(
        write(
            "fix.py",
            f"import pathlib\np = pathlib.Path('{M}')\np.write_text(p.read_text().replace('Berlin', 'Bonn'))\n",
        ),
        "python3 fix.py",
    ),
    Row(write("fix.sh", f"#!/bin/sh\nsed -i 's/Berlin/Bonn/' {M}\n"), "chmod +x fix.sh && ./fix.sh"),
    Row(
        write("fix.js", f"const fs = require('fs');\nfs.appendFileSync('{M}', '- by node #x score:9\\n');\n"),
        "node fix.js",
        needs="node",
    ),
    Row(
        write("fix.pl", f"open(my $f, '>>', '{M}'); print $f \"- by perl #x score:9\\n\"; close $f;\n"),
        "perl fix.pl",
        needs="perl",
    ),
    Row(
        "cat > /tmp/../{root}/m.py <<'EOF'\nopen('.memory/declarative.md', 'a').write('- more #x score:9\\n')\nEOF",
        "python3 m.py | tail -1",
    ),
    Row(
        write(
            "tools/sync.py",
            "import os, sys\nd = sys.argv[1]\nwith open(os.path.join(d, 'declarative.md'), 'a') as f:\n    f.write('- synced #x\\n')\n",
        ),
        "python3 tools/sync.py .memory",
    ),
    Row(
        write(
            "tools/walk.py",
            "import os\nfor d, _, fs in os.walk('.'):\n    for f in fs:\n        p = os.path.join(d, f)\n        if f.endswith('.md'):\n            t = open(p).read()\n            open(p, 'w').write(t.replace('Berlin', 'Bonn'))\n",
        ),
        "cd tools && cd .. && python3 tools/walk.py",
    ),
    Row(write("r.sh", "rm -rf .memory\n"), "bash r.sh", names=".memory"),
    Row(write("r.py", "import shutil\nshutil.rmtree('.memory')\n"), "python3 r.py", names=".memory"),
    Row(
        write("r.js", "require('fs').rmSync('.memory', {recursive: true});\n"),
        "node r.js",
        needs="node",
        names=".memory",
    ),
    Row(write("mv.py", "import os\nos.rename('.memory', '.memory.bak')\n"), "python3 mv.py", names=".memory"),
    Row(
        write(
            "src/conftest.py",
            "from pathlib import Path\nstore = Path(__file__).parent.parent / ('.mem' + 'ory')\n(store / 'declarative.md').write_text('')\n",
        ),
        "cd src && python3 -c 'import conftest'",
    ),
    Row("npm run --silent note", needs="npm"),
    Row("make note", needs="make"),
    Row("sh tools/note.sh"),
    Row(". tools/note.sh"),
    Row("bash < tools/note.sh"),
    Row("cat tools/note.sh | sh"),
    Row("cd src && (cd .. && sh tools/note.sh)"),
    Row("git config alias.note '!sh tools/note.sh'", "git note"),
    Row(
        "printf '#!/bin/sh\\nsh tools/note.sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "git commit -q --allow-empty -m x",
    ),
    Row(
        write(
            "late.py",
            f"import os\ns = os.stat('{M}')\nt = open('{M}').read().replace('Berlin', 'Boston')\nopen('{M}', 'w').write(t)\nos.utime('{M}', ns=(s.st_atime_ns, s.st_mtime_ns))\n",
        ),
        "python3 late.py",
    ),
    Row(
        write("q.py", "import sys\nfor p in sys.stdin.read().split():\n    open(p, 'a').write('- q #x\\n')\n"),
        "find . -name 'decl*' -path '*mem*' | python3 q.py",
    ),
    Row(write("Makefile.x", "x:\n\t@printf '' > .memory/declarative.md\n"), "make -s -f Makefile.x", needs="make"),
    Row(write("u.awk", f'BEGIN {{ print "- awk #x score:9" >> "{M}" }}\n'), "awk -f u.awk"),
)

_TEXT_TOOLS = (
    Row("grep -rl Berlin . | xargs sed -i 's/Berlin/Hamburg/g'"),
    Row("grep -rlZ --include='*.md' Berlin . | xargs -0 perl -pi -e 's/Berlin/Hamburg/'", needs="perl"),
    Row("for f in $(grep -rl Berlin . --exclude-dir=.git); do sed -i 's/Berlin/Hamburg/' \"$f\"; done"),
    Row("find . -name '*.md' -not -path './.git/*' -exec sed -i 's/Berlin/Hamburg/g' {} +"),
    Row("find . -type f -name 'decl*.md' -exec sh -c 'echo \"- more #x\" >> \"$1\"' _ {} \\;"),
    Row("find . -name '*.md' -print0 | xargs -0 -n1 sed -i '1d'"),
    Row("find . -name declarative.md | while read -r f; do echo '- y #x' >> $f; done"),
    Row("perl -pi -e 's/8080/9090/' .mem*/*.md", needs="perl"),
    Row("perl -i.bak -ne 'print unless /Berlin/' .memory/declarative.md", needs="perl"),
    Row("printf '%s\\n' '/Berlin/d' w q | ed -s .memory/declarative.md", needs="ed"),
    Row("ed -s .memory/declarative.md <<'E'\n$a\n- by ed #x score:9\n.\nw\nq\nE", needs="ed"),
    Row("vim -es -c '%s/Berlin/Rome/' -c 'wq' .memory/declarative.md", needs="vim"),
    Row("ex -s +'%s/Berlin/Rome/' +x .memory/declarative.md", needs="ex"),
    Row("awk '!/Berlin/' .memory/declarative.md > /tmp/rounds.$$ && mv /tmp/rounds.$$ .memory/declarative.md"),
    Row("t=$(mktemp); sed 's/Berlin/Oslo/' .memory/declarative.md > $t; cat $t > .memory/declarative.md; rm $t"),
    Row("sort -u -o .memory/declarative.md .memory/declarative.md"),
    Row("tac .memory/declarative.md | dd of=.memory/declarative.md conv=notrunc status=none"),
    Row("iconv -t utf-16 .memory/declarative.md > c && cat c > .memory/declarative.md", needs="iconv"),
    Row("tr -d '\\r' < README.md | tee .memory/declarative.md > /dev/null"),
    Row("f=.memory/declarative.md; echo '- by a variable #x score:9' | tee -a \"$f\""),
    Row("cat <<EOF | sed 's/^/- /' >> .memory/declarative.md\nthe user said so #x score:9\nEOF"),
    Row("base64 -d <<< LSBoaWRkZW4gI3ggc2NvcmU6OQo= >> .memory/declarative.md"),
    Row("echo 2d2068690a | xxd -r -p >> .memory/declarative.md", needs="xxd"),
    Row("truncate -s 0 .memory/declarative.md"),
    Row("truncate -s -20 .memory/declarative.md"),
    Row(": > .memory/declarative.md"),
    Row("sed -i '/uses tabs/d;$d' \"$(git rev-parse --show-toplevel)/.memory/declarative.md\""),
    Row("sed -n 'w .memory/declarative.md' README.md"),
    Row('awk \'{ print > ".memory/" "declarative.md" }\' README.md'),
)

_SHELL = (
    Row("exec 3>>.memory/declarative.md; echo '- by fd #x' >&3; exec 3>&-"),
    Row("echo '- z #x' | tee >(cat >> .memory/declarative.md) > /dev/null; sleep 0.1"),
    Row('add() { echo "- $1 #x score:8" >> "$2"; }; add \'by a function\' .memory/declarative.md'),
    Row("STORE=$PWD/.memory; export STORE; sh -c 'echo \"- env #x\" >> $STORE/declarative.md'"),
    Row("cd .m????? && echo '- cd #x' >> decl*"),
    Row("cd .mem*y; sed -i s/Berlin/Paris/ *.md"),
    Row(
        "echo '- brace #x' >> .memory/{declarative,nothing}.md 2>/dev/null || for f in .memory/{declarative,}.md; do [ -s $f ] && echo '- b #x' >> $f; done"
    ),
    Row("pushd .memory >/dev/null; echo '- pushed #x' >> declarative.md; popd >/dev/null"),
    Row("D=.mem; D+=ory; echo '- glued #x' >> $D/declarative.md"),
    Row("eval \"echo '- eval #x' >> .mem''ory/declarative.md\""),
    Row('bash -c "$(echo ZWNobyAnLSBiNjQnID4+IC5tZW1vcnkvZGVjbGFyYXRpdmUubWQ= | base64 -d)"'),
    Row("(sleep 0.1; echo '- bg #x' >> .memory/declarative.md) & wait"),
    Row("echo '- bg2 #x' >> .memory/declarative.md & sleep 0.1"),
    Row("ln -s .memory/declarative.md notes.md", "echo '- by a link #x' >> notes.md"),
    Row("ln -s .memory m", "echo '- by a folder link #x' >> m/declarative.md"),
    Row("ln .memory/declarative.md hard.md", "echo '- by a hard link #x' >> hard.md"),
    Row("ln -sf ../README.md .memory/declarative.md"),
    Row(
        "touch -r .memory/declarative.md stamp; sed -i s/Berlin/Warsaw/ .memory/declarative.md; touch -r stamp .memory/declarative.md"
    ),
    Row("echo '- failed #x' >> .memory/declarative.md; false"),
    Row("xargs -I{} sh -c 'echo \"- {}\" >> .memory/declarative.md' <<< 'given by xargs #x'"),
    Row("timeout 5 sh -c 'printf -- \"- timed #x\\n\" >> .memory/declarative.md'"),
    Row('env F=.memory/declarative.md bash -c \'echo "- x" >> "$F"\''),
    Row("script -qc \"sh -c 'echo - tty >> .memory/declarative.md'\" /dev/null", needs="script"),
    Row("mapfile -t a < .memory/declarative.md; printf '%s\\n' \"${a[@]:1}\" > .memory/declarative.md"),
)

_FILES = (
    Row("cp README.md .memory/declarative.md"),
    Row("cp .memory/declarative.md b.md; sed -i s/Berlin/Kiel/ b.md; cp -f b.md .memory/declarative.md"),
    Row("ln -f README.md .memory/declarative.md"),
    Row("install -m 600 README.md .memory/declarative.md"),
    Row("dd if=README.md of=.memory/declarative.md status=none"),
    Row(
        "mkdir t && cp -r .memory t/ && sed -i s/Berlin/Lyon/ t/.memory/declarative.md && tar cf t.tar -C t .memory && tar xf t.tar"
    ),
    Row(
        "mkdir -p z/.memory && cp README.md z/.memory/declarative.md && (cd z && zip -qr ../z.zip .memory) && unzip -qo z.zip",
        needs="zip unzip",
    ),
    Row("mkdir n && echo '- new #x' > n/declarative.md && mv n/declarative.md .memory/"),
    Row("mkdir n && echo '- new #x' > n/declarative.md && rsync -a n/ .memory/", needs="rsync"),
    Row("mkdir n && echo '- new #x' > n/declarative.md && cp -rT n .memory"),
    Row(
        "cp .memory/declarative.md old; sed s/Berlin/Riga/ old > new; diff -u old new | patch -s .memory/declarative.md",
        needs="patch",
    ),
    Row(
        "mv .memory .memory-old && mkdir .memory && cp .memory-old/declarative.md .memory/ && sed -i 3d .memory/declarative.md"
    ),
    Row("rm -rf .memory", names=".memory"),
    Row("find . -maxdepth 1 -name '.mem*y' -exec rm -r {} +", names=".memory"),
    Row("git clean -fdxq", names=".memory"),
    Row("shopt -s dotglob; mkdir ../away; mv * ../away/ 2>/dev/null; ls", names=".memory"),
    Row("echo '- of the user #x' >> ~/.memory/declarative.md"),
    Row("cd; sed -i s/short/long/ .memory/declarative.md"),
    Row('echo \'{"k":"x"}\' >> .memory/journal.jsonl'),
    Row("sed -i '$d' .memory/audit.jsonl"),
    Row("rm .memory/audit.jsonl"),
    Row(
        "jq -c 'select(.verdict != \"denied\")' .memory/audit.jsonl > a && mv a .memory/audit.jsonl; : > .memory/audit.jsonl",
        needs="jq",
    ),
    Row("printf 'score: {minimum: 0}\\n' > .memory/config.yaml"),
    Row(
        "mkdir -p ~/config/promptx-mem && printf 'llm: {command: \"sh -c true\"}\\n' > ~/config/promptx-mem/config.yaml"
    ),
    Row("sqlite3 :memory: '.once .memory/declarative.md' \"select '- by sqlite #x'\"", needs="sqlite3"),
)

_PYTHON = (
    Row(
        "python3 - <<'EOF'\nimport mmap\nwith open('.memory/declarative.md', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m:\n    m[2:6] = b'XXXX'\nEOF"
    ),
    Row(
        "python3 -c \"import os; d = [x for x in os.listdir('.') if x.startswith('.mem') and x.endswith('y')][0]; open(d + '/declarative.md', 'a').write('- found #x\\n')\""
    ),
    Row("python3 -c \"import shutil; shutil.rmtree('.memory')\"", names=".memory"),
    Row("python3 -c \"import shutil, glob; [shutil.rmtree(p) for p in glob.glob('.m*y')]\"", names=".memory"),
    Row("python3 -c \"import subprocess; subprocess.run(['sed', '-i', 's/Berlin/Turin/', '.memory/declarative.md'])\""),
    Row("cd src && python3 -c \"import os; os.chdir('..'); os.truncate('.memory/declarative.md', 5)\""),
    Row(
        "{python} -c \"from promptx_mem.store import files; open('.memory/declarative.md', 'a').write('- beside the gate #x\\n')\""
    ),
    Row("node -e \"require('fs').writeFileSync('.memory/declarative.md', '# none\\n')\"", needs="node"),
    Row(
        "node -e \"const p=require('path').join('.mem'+'ory','declarative.md');require('fs').appendFileSync(p,'- x\\n')\"",
        needs="node",
    ),
    Row("tclsh <<< 'set f [open .memory/declarative.md a]; puts $f \"- tcl #x\"; close $f'", needs="tclsh"),
)

_GIT = (
    Row(
        Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"),
        "git checkout -f old -- .memory/declarative.md",
    ),
    Row(
        Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"),
        "git checkout -q old -- .mem*y; git reset -q",
    ),
    Row(Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"), "git checkout -fq old"),
    Row(
        "cp .memory/declarative.md a; sed s/Berlin/Brno/ a > b; git diff --no-index a b | sed 's#[ab]/[ab]$#&#; s#a/a#a/.memory/declarative.md#; s#b/b#b/.memory/declarative.md#; s#^--- .*#--- a/.memory/declarative.md#; s#^+++ .*#+++ b/.memory/declarative.md#' > p.diff; git apply --unsafe-paths p.diff"
    ),
    shared("echo '- mine #x score:9' >> .memory/declarative.md && git commit -qam 'Note it'"),
    shared("sed -i s/Berlin/Hamburg/ .memory/declarative.md && git add -A && git commit -qm Move"),
    shared(
        "grep -rl Berlin . --exclude-dir=.git | xargs sed -i s/Berlin/Hamburg/ && git commit -qam 'The office moved'"
    ),
    shared("sed -i 3d .memory/declarative.md; git add -u"),
    shared(write("c.sh", "echo '- by a commit #x' >> .memory/declarative.md\ngit commit -qam x\n"), "sh c.sh"),
    shared("git show HEAD:.memory/declarative.md | head -3 > .memory/declarative.md"),
    shared(
        Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"),
        "git checkout HEAD -- .memory/declarative.md",
    ),
    shared(Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"), "git reset -q --hard"),
    shared(Outside("promptx-mem remember 'The logs live in Loki' '#logs' score:8"), "git stash -q"),
    shared("git pull -q && echo '- on top #x score:9' >> .memory/declarative.md"),
    shared("git merge -q origin/main && sed -i s/otter/weasel/ .memory/declarative.md"),
)

_TOOLS = (
    Row(write(M, "# none\n")),
    Row(edit(M, "Berlin", "Hamburg")),
    Row("ln -s .memory/declarative.md notes.md", write("notes.md", "# none\n")),
    Row("ln -s .memory m", edit("m/declarative.md", "Berlin", "Hamburg")),
    Row(write("{home}/.memory/declarative.md", "- of the user #x\n")),
    Row(write("src/../.memory/config.yaml", "score: {minimum: 0}\n")),
    Row(Call("mcp__filesystem__write_file", {"path": "{root}/" + M, "content": "# none\n"})),
    Row(
        Call(
            "mcp__filesystem__edit_file",
            {"path": "{root}/" + M, "edits": [{"oldText": "Berlin", "newText": "Ulm"}]},
            f"sed -i s/Berlin/Ulm/ {M}",
        )
    ),
    Row(
        Call(
            "mcp__filesystem__move_file",
            {"source": "{root}/README.md", "destination": "{root}/" + M},
            f"mv README.md {M}",
        )
    ),
    Row(
        Call(
            "mcp__serena__replace_regex",
            {"relative_path": M, "regex": "Berlin", "repl": "Ulm"},
            f"sed -i s/Berlin/Ulm/ {M}",
        )
    ),
    Row(
        Call(
            "mcp__desktop-commander__start_process",
            {"command": f"sed -i s/Berlin/Ulm/ {M}", "timeout_ms": 100},
            f"sed -i s/Berlin/Ulm/ {M}",
        )
    ),
    Row(Call("mcp__repl__run", {"code": "store.write(line)"}, f"echo '- by a server #x' >> {M}")),
    Row(
        Call(
            "apply_patch",
            {
                "input": f"*** Begin Patch\n*** Update File: {M}\n@@\n-{{line}}\n+- The office is in Ulm #office\n*** End Patch\n"
            },
            f"sed -i s/Berlin/Ulm/ {M}",
        )
    ),
    Row(
        Call(
            "MultiEdit",
            {"file_path": "{root}/" + M, "edits": [{"old_string": "Berlin", "new_string": "Ulm"}]},
            f"sed -i s/Berlin/Ulm/ {M}",
        )
    ),
)

_EVERYDAY = (
    Row("xargs -n2 cp < <(echo README.md .memory/declarative.md)"),
    Row("find . -name 'declarative.md' | xargs -I F sh -c 'tail -n +3 F > t && cat t > F'"),
    Row("find . -path '*mem*' -name '*.md' -exec perl -pi -e 's/Berlin/Graz/' {} \\;", needs="perl"),
    Row("find .mem* -name 'd*.md' -execdir sh -c ': > declarative.md' \\;"),
    Row("cat > .memory/declarative.md <<'EOF'\n# Memories\n\n- only this one #x score:9\nEOF"),
    Row("cat <<EOF >> $PWD/.memory/declarative.md\n- $(date +%Y) in a document #x\nEOF"),
    Row(
        "python3 <<'EOF'\nfrom pathlib import Path\np = next(Path('.').glob('.m*y/decl*'))\np.write_text(p.read_text() + '- p #x\\n')\nEOF"
    ),
    Row(
        "python3 -c \"import fileinput, sys\nfor l in fileinput.input('.memory/declarative.md', inplace=True): print(l.replace('8080', '80'), end='')\""
    ),
    Row("python3 -m json.tool data.json .memory/config.yaml"),
    Row(
        "node -e \"const fs=require('fs'),f='.memory/declarative.md';fs.writeFileSync(f,fs.readFileSync(f,'utf8').split('\\n').reverse().join('\\n'))\"",
        needs="node",
    ),
    Row(
        "node --input-type=module -e \"import {appendFile} from 'node:fs/promises'; await appendFile('.memory/declarative.md','- esm #x\\n')\"",
        needs="node",
    ),
    Row("perl -0pi -e 's/- The API.*\\n//' .memory/declarative.md", needs="perl"),
    Row('perl -e \'open F, ">>.memory/declarative.md"; print F "- perl #x\\n"\'', needs="perl"),
    Row("sed 's/Berlin/Gent/' .memory/declarative.md | sponge .memory/declarative.md", needs="sponge"),
    Row("sed -n p README.md | dd of=.memory/declarative.md oflag=append conv=notrunc status=none"),
    Row("dd if=/dev/zero of=.memory/journal.jsonl bs=1 count=3 seek=2 conv=notrunc status=none"),
    Row("printf ',s/Berlin/Ulm/\\nw\\nq\\n' | ed -s .memory/declarative.md", needs="ed"),
    Row(
        "diff -u .memory/declarative.md <(sed s/Berlin/Jena/ .memory/declarative.md) > x.diff; patch -s -p0 .memory/declarative.md x.diff",
        needs="patch",
    ),
    Row(
        "patch -s .memory/declarative.md <<< $'3c3\\n< x\\n---\\n> - patched #x' ; sed -i '$a - and more' .memory/declarative.md",
        needs="patch",
    ),
    shared(
        "sed s/Berlin/Celle/ .memory/declarative.md > n && git diff --no-index .memory/declarative.md n > p.diff; sed -i 's#b/n#b/.memory/declarative.md#' p.diff; git apply p.diff"
    ),
    shared("echo '- by hand #x' >> .memory/declarative.md; git add .memory; git stash -q; git stash pop -q"),
    shared(
        "git checkout -q -b t && sed -i s/Berlin/Hof/ .memory/declarative.md && git commit -qam t && git checkout -q main && git merge -q t"
    ),
    shared("git revert --no-edit HEAD >/dev/null; sed -i s/8080/90/ .memory/declarative.md && git commit -qam z"),
    shared("git rm -q --cached .memory/declarative.md; rm .memory/declarative.md"),
    shared(
        "GIT_EDITOR=true git commit -q --allow-empty -m a && echo '- c #x' >> .memory/declarative.md && git commit -q --amend -a --no-edit"
    ),
    Row(
        'touch -d @1 .memory/declarative.md; s=$(stat -c %y .memory/declarative.md); sed -i s/8080/8081/ .memory/declarative.md; touch -d "$s" .memory/declarative.md'
    ),
    Row(
        "cp -p .memory/declarative.md k; sed -i s/Berlin/Lodz/ .memory/declarative.md; touch -r k .memory/declarative.md; rm k"
    ),
    Row("cp -r .memory k && rm -rf .memory && mv k .memory && echo '- back #x' >> .memory/declarative.md"),
    Row(
        "awk -i inplace '!/8080/' .memory/declarative.md || gawk '{print > FILENAME}' .memory/declarative.md",
        needs="gawk",
    ),
    Row("awk 'NR>2' .memory/declarative.md | tee .memory/declarative.md >/dev/null"),
    Row(
        "(cd .memory && rm -f declarative.md && git -C .. show old:.memory/declarative.md > declarative.md; head -4 declarative.md > d && mv d declarative.md)"
    ),
    Row("tar c README.md --transform 's#.*#.memory/declarative.md#' | tar x", needs="tar"),
    Row("curl -s file://$PWD/README.md -o .memory/declarative.md", needs="curl"),
    Row("sort -r .memory/declarative.md -o .memory/declarative.md"),
    Row("shuf -o .memory/declarative.md --random-source=README.md .memory/declarative.md"),
    Row("split -l 3 .memory/declarative.md part- && cat part-aa > .memory/declarative.md"),
    Row(write("tools/run.sh", "cd .. && exec sh tools/note.sh\n"), "cd tools && sh run.sh"),
    Row(
        write(
            "w.py",
            "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', \"open('.memory/declarative.md', 'a').write('- child #x\\\\n')\"]).wait()\n",
        ),
        "python3 w.py",
    ),
    Row(
        write(
            "t/test_x.py", "def test_x(tmp_path):\n    open('.memory/declarative.md', 'a').write('- by a test #x\\n')\n"
        ),
        "{python} -m pytest -q -p no:cacheprovider t",
    ),
    Row("for i in 1 2 3; do printf -- '- loop %s #x\\n' $i; done >> .memory/declarative.md"),
    Row("if [ -f README.md ]; then truncate -s0 ./.memory/../.memory/declarative.md; fi"),
    Row("env -i /bin/sh -c 'echo \"- bare #x\" >> .memory/declarative.md'"),
    Row("find . -maxdepth 2 -name declarative.md -delete"),
    Row("mkdir o && rsync -a --delete o/ ./ --exclude .git --exclude src", needs="rsync", names=".memory"),
    Row(Call("mcp__shell__run_command", {"command": f"printf x > {M}"}, f"printf x > {M}")),
    Row(Call("mcp__filesystem__create_directory", {"path": "{root}/d"}, f"echo '- beside #x' >> {M}")),
    Row(Call("NotebookEdit", {"notebook_path": "{root}/" + M, "new_source": "x"}, f"echo x > {M}")),
)

_ROUNDABOUT = (
    Row(f"sqlite3 :memory: \"select writefile('{M}', '- s #s score:9')\"", needs="sqlite3"),
    Row("vim -es -u NONE -c 'args .memory/*.md' -c 'argdo %s/Berlin/Jena/e | update' -c 'qa!'", needs="vim"),
    Row(f"iconv -f utf8 -t utf16 {M} -o {M}", needs="iconv"),
    Row(
        Outside(f"sed s/Berlin/Bonn/ {M} > n; diff -u {M} n > fix.patch; rm n; true"),
        "patch -sp0 < fix.patch",
        needs="patch",
    ),
    Row(
        write(".git/hooks/post-commit", f"#!/bin/sh\necho '- h #h score:9' >> {M}\n"),
        "chmod +x .git/hooks/post-commit; git commit -q --allow-empty -m x",
    ),
    Row(f"git config alias.jot '!f() {{ echo \"- g #g score:9\" >> {M}; }}; f'; git jot"),
    Row("echo ZWNobyAnLSBlICNlIHNjb3JlOjknID4+IC5tZW1vcnkvZGVjbGFyYXRpdmUubWQ= | base64 -d | sh"),
    Row("ln .memory/declarative.md hard.md", "echo '- l #l score:9' >> hard.md"),
    Row(
        Outside("mkdir -p b/.memory; sed s/8080/1/ .memory/declarative.md > b/.memory/declarative.md"),
        "rsync -a b/ .",
        needs="rsync",
    ),
    Row("cp -r .memory ../m && sed -i s/Berlin/Bonn/ ../m/declarative.md && rm -rf .memory && cp -r ../m .memory"),
    Row("chmod -R u+w . && python3 -c \"open('.mem' + 'ory/declarative.md', 'a').write('- c #c score:9\\n')\""),
    Row(Call("mcp__build__run_task", {"task": "note"}, "make note")),
    Row(Call("mcp__jetbrains__replace_file_text_by_path", {"pathInProject": M, "text": "x"}, f"echo x > {M}")),
    shared("git pull -q", "git checkout -q HEAD~1 -- .memory"),
)

WRITES = (*_SCRIPTS, *_TEXT_TOOLS, *_SHELL, *_FILES, *_PYTHON, *_GIT, *_TOOLS, *_EVERYDAY, *_ROUNDABOUT)

UNRUN = (
    Row(Call("PowerShell", {"command": "Add-Content -Path .memory\\declarative.md -Value '- x #y'"})),
    Row(
        Call(
            "PowerShell",
            {
                "command": "(Get-Content .memory/declarative.md) -replace 'Berlin','Bonn' | Set-Content .memory/declarative.md"
            },
        )
    ),
    Row(Call("PowerShell", {"command": "Remove-Item -Recurse -Force .memory"})),
    Row(Call("PowerShell", {"command": "'- x #y' >> .memory/declarative.md"})),
)
"""Plain writes in shells that do not run here: the first half alone has to see them."""

UNNOTICED: tuple[Row, ...] = ()
"""Rows of WRITES that are known to be missed: at most 2."""

REMEMBER = "promptx-mem remember 'The database is Postgres 16' '#database' score:8"

_OWN = (
    Row(REMEMBER),
    Row("promptx-mem remember 数据库是Postgres '#数据库' score:8 duration:长期"),
    Row("promptx-mem recall office"),
    Row("promptx-mem recall Berlin --json | jq -r '.data.memories[0].id'", needs="jq"),
    Row("promptx-mem forget {id}"),
    Row("promptx-mem forget {id} && promptx-mem restore {id}"),
    Row("promptx-mem remember 'The office is in Hamburg' '#office' score:8 --update {id}"),
    Row("promptx-mem boost {id}"),
    Row("promptx-mem verify {id}; true"),
    Row("promptx-mem decay"),
    Row("promptx-mem decay --compact"),
    Row("promptx-mem forget {id} && promptx-mem decay --compact && promptx-mem restore {id}"),
    Row("promptx-mem index"),
    Row("promptx-mem index --check"),
    Row("promptx-mem audit"),
    Row("promptx-mem audit --verify"),
    Row("promptx-mem audit --violations -n 5"),
    Row("promptx-mem review"),
    Row("promptx-mem score 'The office is in Berlin'"),
    Row("EDITOR='sed -i s/Berlin/Hamburg/' promptx-mem edit {id}"),
    Row("promptx-mem export -o backup.bundle"),
    Row("promptx-mem export --format json > all.json"),
    Row("promptx-mem import docs/office.md"),
    Row("printf -- '- The cache is Redis #cache score:8\\n' > in.md && promptx-mem import in.md"),
    Row("promptx-mem export --format promptx -o x.md; promptx-mem import x.md"),
    Row("promptx-mem view -o page.html; promptx-mem view > page.html"),
    Row("promptx-mem converse 'we talked about tests' --role user"),
    Row("printf '[ADD] The queue is RabbitMQ #queue score:8\\n' | promptx-mem monitor"),
    Row("promptx-mem recall --memory-dir .memory office"),
    Row("promptx-mem decay --scope user; promptx-mem recall answers --scope user"),
    Row('for t in alpha beta gamma; do promptx-mem remember "The $t server is green" "#$t" score:7; done'),
    Row(write("store.sh", "#!/bin/sh\n" + REMEMBER + "\npromptx-mem recall database\n"), "sh store.sh"),
    Row(
        "python3 -c \"import subprocess; subprocess.run(['promptx-mem', 'remember', 'CI runs on Jenkins', '#ci', 'score:8'], check=True)\""
    ),
    Row("{python} -m promptx_mem remember 'The bus is Kafka' '#bus' score:8"),
    Row("cd src && promptx-mem remember 'Tests live in src' '#tests' score:8"),
    Row("promptx-mem remember 'too weak' '#x' score:1"),
    Row("promptx-mem remember 'no tag'"),
    Row(f"{REMEMBER} && git add -A && git commit -qm 'x' --allow-empty"),
    shared(f"{REMEMBER} && git commit -qam 'Note the database'"),
    shared("promptx-mem forget {id} && git commit -qam 'Forget the office' && git log --oneline | head -2"),
    shared("promptx-mem decay --compact; git status --short"),
)

_GIT_HARMLESS = (
    shared("git pull -q"),
    shared("git pull -q --rebase"),
    shared("git fetch -q && git merge -q origin/main"),
    shared("git checkout -q -b mine origin/feature"),
    shared("git checkout -q feature && git checkout -q main"),
    shared("git switch -q feature; git switch -q main; git merge -q feature"),
    shared("echo x > x.txt && git add x.txt && git commit -qm x && git pull -q --rebase"),
    shared("echo x > x.txt && git add x.txt && git commit -qm x && git merge -q --no-edit origin/main"),
    shared("git reset -q --hard origin/main"),
    shared("git cherry-pick origin/main >/dev/null"),
    shared("git pull -q", "git checkout -q HEAD~1", "git checkout -q main"),
    shared("git log -p -- .memory/declarative.md | head -20"),
    shared("git diff origin/main -- .memory"),
    shared("git worktree add -q ../tree origin/main && ls ../tree/.memory"),
    shared("git stash -q; git stash list"),
    shared("git clean -fdq; git status --short"),
    Row("git status --short && git log --oneline | head -3"),
    Row("git add -A && git commit -qm 'All' --allow-empty"),
    Row("git stash -q -u; git stash pop -q; true"),
    Row("git checkout -q -- README.md"),
    Row("git clone -q ../origin.git ../theirs && cat ../theirs/.memory/declarative.md | head -3"),
    Row("git -C ../team pull -q"),
)

_READING = (
    Row("pushd .memory; wc -l declarative.md; popd; echo done > log.txt"),
    Row("vim -R -es +q .memory/declarative.md; true", needs="vim"),
    Row("cat .memory/declarative.md | grep -c Berlin > count.txt"),
    Row("cp -a .memory /tmp/rounds-$$ && sed -i s/Berlin/X/ /tmp/rounds-$$/declarative.md; rm -rf /tmp/rounds-$$"),
    Row("tar czf backup.tgz .memory && tar tzf backup.tgz > list.txt"),
    Row("grep -rn Berlin . --exclude-dir=.git | cut -c1-80"),
    Row("find . -name '*.md' -exec wc -l {} +"),
    Row("find . -name '*.md' -newer README.md | xargs -r head -1"),
    Row("(cd .memory && sha256sum declarative.md) > sums.txt"),
    Row("sed 's/Berlin/Bonn/' .memory/declarative.md > changed.md"),
    Row("diff <(sort .memory/declarative.md) <(sort -u .memory/declarative.md)"),
    Row("python3 -c \"print(len(open('.memory/declarative.md').read().splitlines()))\""),
    Row(
        "python3 - <<'EOF'\nimport json\nn = [json.loads(l).get('verdict') for l in open('.memory/audit.jsonl')]\njson.dump(n, open('verdicts.json', 'w'))\nEOF"
    ),
    Row('while read -r l; do echo "${#l}"; done < .memory/declarative.md > lengths.txt'),
    Row("stat -c %Y .memory/declarative.md; test -s .memory/declarative.md && echo there"),
    Row("nl .memory/declarative.md | tee numbered.md | tail -1"),
    Row("ls -la .memory ~/.memory; file .memory/* 2>/dev/null | head"),
    Row("make backup && rm -r build.bak", needs="make"),
    Row("jq -c . .memory/audit.jsonl | head -3; false", needs="jq"),
    Row("dd if=.memory/declarative.md of=copy.md status=none; truncate -s 10 copy.md"),
    Row("cat .memory/declarative.md .memory/none.md"),
    Row("touch -r .memory/declarative.md README.md"),
    Row("ex -s -c '%p' -c 'q!' .memory/declarative.md", needs="ex"),
    Row("vim -es -c 'w! copy' -c q! .memory/declarative.md; wc -l copy", needs="vim"),
    Row("tar c .memory | tar x -C docs"),
    Row('t=$(mktemp -d); cp -r .memory $t; rm -rf $t/* "$t"'),
    Row(
        "python3 -c \"import shutil; shutil.copytree('.memory', '/tmp/rounds.copy'); shutil.rmtree('/tmp/rounds.copy')\""
    ),
)

_SPARING = (
    Row("grep -rl Berlin . --exclude-dir=.memory --exclude-dir=.git | xargs sed -i s/Berlin/Hamburg/"),
    Row("find . -not -path '*/.memory/*' -not -path '*/.git/*' -name '*.md' | xargs sed -i s/Berlin/Hamburg/"),
    Row("find . -path ./.memory -prune -o -name '*.md' -exec sed -i s/Berlin/Hamburg/ {} +"),
    Row("rg -l Berlin -g '!.memory' | xargs sed -i s/Berlin/Hamburg/", needs="rg"),
    Row("find . \\( -name .git -o -name .memory \\) -prune -o -name '*.bak' -delete"),
    Row("find . -name '*.pyc' -not -path './.git/*' -exec rm {} +; find . -type d -empty -delete"),
    Row("mkdir dst && rsync -a --delete --exclude=.memory src/ dst/", needs="rsync"),
    Row("mkdir -p dst/.memory && rsync -a --delete --exclude '.*' src/ dst/", needs="rsync"),
    Row("mv docs/office.md . && mv office.md docs/"),
    Row("ln -s .memory m && rm m"),
    Row('cd "$(mktemp -d)" && touch x && rm -rf ./* && rm -rf .[a-z]*'),
    Row("git clean -fdxq -e .memory -e '.m*'"),
    Row("ls -A | grep -v .memory | head -2; rm -rf ./*.egg-info"),
    Row("sed -i 's|.memory/declarative.md|x|;s/.memory/y/' README.md"),
    Row("xargs -n1 wc -l <<< .memory/declarative.md"),
)

_ELSEWHERE = (
    Row("python3 src/test_app.py", "cd src && python3 test_app.py && rm -rf __pycache__"),
    Row("make", needs="make"),
    Row("npm run --silent lint", needs="npm"),
    Row("sh tools/lint.sh > lint.log"),
    Row("echo 'notes' >> memory.md; sed -i s/design/plan/ memory.md"),
    Row("sed -i s/mine/ours/ .memory-notes/declarative.md"),
    Row("mkdir -p x/.memory-cache && echo y > x/.memory-cache/declarative.txt && rm -r x"),
    Row("grep -rl Berlin docs src | xargs sed -i s/Berlin/Hamburg/"),
    Row("find src -name '*.py' -exec sed -i 's/hello/hi/' {} +"),
    Row("echo 'Memories lie in .memory/declarative.md' >> README.md"),
    Row("git commit -q --allow-empty -m 'Do not write .memory/declarative.md by hand > ever'"),
    Row("printf '.memory/\\n*.log\\n' > .dockerignore"),
    Row("rm -rf build dist *.egg-info node_modules"),
    Row("awk '{print}' data.json > d2.json && mv d2.json data.json"),
    Row(write("docs/memory.md", "Run `echo x >> .memory/declarative.md`? Never.\n")),
    Row(write("src/declarative.md", "- a fact\n")),
    Row(edit("README.md", "Berlin", "Hamburg")),
    Row(edit(".memory-notes/declarative.md", "mine", "ours")),
    Row(write("tools/clean.sh", "rm -rf .memory\n")),
    Row(Call("mcp__tickets__update_memory", {"id": 7, "text": "the office is in Bonn"}, "true")),
    Row(Call("mcp__filesystem__read_file", {"path": "{root}/" + M}, f"cat {M}")),
    Row(Call("mcp__filesystem__write_file", {"path": "{root}/docs/x.md", "content": "x\n"})),
    Row(Call("Read", {"file_path": "{root}/" + M}, f"cat {M}")),
    Row(Call("Grep", {"pattern": "Berlin", "path": "{root}/.memory"}, "grep -r Berlin .memory")),
    Row(Call("Agent", {"prompt": "Append a line to .memory/declarative.md", "subagent_type": "general"}, "true")),
    Row("sleep 0.01 & wait; exit 3"),
)

_TOGETHER = (
    Row("ls", Outside(f"sed -i s/Berlin/Hamburg/ {M}"), "ls"),
    Row("ls", Outside(f"echo '- by hand' >> {M}"), edit("README.md", "Berlin", "Bonn")),
    Row("ls", Outside(f"cp {M} s && sed -i s/Berlin/Hamburg/ s && mv s {M}"), "cat " + M),
    Row("ls", Outside("promptx-mem remember 'A person noted this' '#p' score:8"), "ls src"),
    Row(bash("ls", during=Outside("promptx-mem decay"))),
    Row(bash("make", during=Outside("promptx-mem decay --compact")), needs="make"),
    Row(bash("ls src", during=Outside("promptx-mem remember 'From another terminal' '#t' score:8"))),
    Row(bash("ls src", during=bash(REMEMBER))),
    Row(bash(REMEMBER, during=bash("python3 src/test_app.py"))),
    Row(bash("ls", during=bash(REMEMBER, session=OTHER))),
    Row(Crossed(bash("ls"), bash(REMEMBER))),
    Row(
        Crossed(bash(REMEMBER), bash("promptx-mem remember 'The CDN is Fastly' '#cdn' score:8"), bash("cat src/app.py"))
    ),
    Row(Crossed(bash(REMEMBER), bash("promptx-mem forget {id}", session=OTHER))),
    Row(REMEMBER, "ls", "promptx-mem recall database", "git status --short"),
    shared(bash("ls", during=Outside("git pull -q"))),
    shared(Crossed(bash("git pull -q"), bash("cat src/app.py"))),
    shared("ls", Outside("git pull -q"), "ls"),
    Row(bash("ls ..", during=Outside("promptx-mem decay --scope user"))),
)

_DAILY = (
    Row("pushd src >/dev/null && ls ../.memory; popd >/dev/null; echo ok > ok.txt"),
    Row("pushd .memory >/dev/null; grep -c . *.md; popd; pushd docs; echo more >> office.md; popd"),
    Row("vim -R -es -c 'g/Berlin/p' -c q! .memory/declarative.md; true", needs="vim"),
    Row("less .memory/declarative.md | head -3; more .memory/MEMORY.md 2>/dev/null", needs="less"),
    Row("rg --hidden Berlin .memory", needs="rg"),
    Row("grep -rIl Berlin .memory | xargs -r wc -l"),
    Row("grep -rl Berlin . | xargs -r grep -c tabs; true"),
    shared("git diff; git diff --stat origin/main -- .memory"),
    shared("git log -p --since=1.day -- .memory | head -40 > hist.txt"),
    shared("git show HEAD:.memory/declarative.md | diff - .memory/declarative.md"),
    shared("git blame .memory/declarative.md | tail -2; git grep Berlin -- .memory"),
    shared("git fetch -q; git rebase -q origin/main"),
    shared("git pull -q --no-rebase; git push -q 2>/dev/null; true"),
    shared("git worktree add -q ../wt -b wt && cd ../wt && echo y > y && git add y && git commit -qm y"),
    shared("git switch -q -c side origin/feature && git switch -q main && git branch -qD side"),
    shared("echo z > z && git add z && git stash -q && git pull -q && git stash pop -q"),
    Row("tar c .memory | wc -c; tar czf /tmp/rounds-$$.tgz .memory; rm /tmp/rounds-$$.tgz"),
    Row("zip -qr m.zip .memory && unzip -l m.zip | tail -1", needs="zip unzip"),
    Row("cp .memory/declarative.md snapshot.md && sed -i s/Berlin/X/ snapshot.md && rm snapshot.md"),
    Row("rsync -a .memory/ mirror/ && rm -r mirror", needs="rsync"),
    Row("diff -r .memory ~/.memory > d.txt; true"),
    Row("md5sum .memory/* 2>/dev/null | sort > sums; du -sh .memory; ls -lt .memory | head"),
    Row("awk -F'#' '{print NF}' .memory/declarative.md | sort | uniq -c"),
    Row(
        "python3 -c \"import re; t=open('.memory/declarative.md').read(); open('tags.txt','w').write(' '.join(re.findall(r'#\\w+', t)))\""
    ),
    Row("node -e \"console.log(require('fs').statSync('.memory/declarative.md').size)\"", needs="node"),
    Row("perl -ne 'print if /Berlin/' .memory/declarative.md > hits.txt", needs="perl"),
    Row("sed '/Berlin/!d' .memory/declarative.md > hits.txt; ed -s hits.txt <<< $'1p\\nq'", needs="ed"),
    Row("patch --dry-run -s .memory/declarative.md /dev/null; true", needs="patch"),
    Row("dd if=.memory/declarative.md bs=10 count=1 status=none"),
    Row("find . -name .memory -prune -o -name '*.tmp' -exec rm {} +"),
    Row("find . -type f -name '*.log' -delete; find docs -exec touch {} +"),
    Row("cat .memory/declarative.md | tee copy.md >/dev/null; truncate -s 0 copy.md"),
    Row("x=.memory; [ -d $x ] && wc -l < $x/declarative.md > n.txt"),
    Row('while read l; do echo "$l" >> out.md; done < .memory/declarative.md'),
    Row(Call("mcp__linear__update_memory", {"id": "LIN-4", "content": "x"}, "true")),
    Row(Call("mcp__hardware__write_memory", {"address": "0x2000", "data": "ff"}, "true")),
    Row(Call("mcp__filesystem__list_directory", {"path": "{root}/.memory"}, "ls .memory")),
    Row("ls", Outside(f"ed -s {M} <<< $'/Berlin/s//Bern/\\nw\\nq' || sed -i s/Berlin/Bern/ {M}"), "ls docs"),
    Row(Crossed(bash("ls"), bash("cat README.md", session=OTHER), bash("grep -r TODO src; true"))),
    Row(Crossed(bash("promptx-mem recall office"), bash(REMEMBER), bash("promptx-mem forget {id}"))),
    Row(bash("python3 src/test_app.py", during=Outside("promptx-mem decay --compact"))),
    Row(bash("sleep 0.1", during=Outside("promptx-mem index; promptx-mem decay"))),
    Row(
        write(
            "mem.sh",
            "promptx-mem remember \"$1\" '#note' score:7 && promptx-mem index && promptx-mem recall note | head -2\n",
        ),
        "bash mem.sh 'Deploys need a green build'",
    ),
    Row(
        write(
            "up.py",
            "import subprocess as s\ns.run(['promptx-mem', 'import', 'docs/office.md'])\ns.run(['promptx-mem', 'export', '-o', 'b.bundle'])\n",
        ),
        "python3 up.py",
    ),
    Row(
        "promptx-mem remember 'The office moved to Hamburg' '#office' score:8 --update {id} && promptx-mem show {id}; promptx-mem list | head -3"
    ),
    Row("xargs -I{} promptx-mem remember {} '#list' score:7 <<< $'Tests run nightly\\nBuilds run hourly'"),
    Row("promptx-mem tags; promptx-mem status > s.txt; promptx-mem audit --json > a.json"),
)

_PLAIN = (
    Row("chmod -R u+w ."),
    Row("chown -R $(id -u) ."),
    Row("find . -exec chmod u+w {} +"),
    Row(Call("mcp__memgpt__update_memory", {"memory_id": "7", "data": "x"}, "true")),
    Row("exec 3<.memory/declarative.md; head -1 <&3"),
    Row("comm -12 <(sort .memory/declarative.md) <(sort README.md)"),
    Row("ln -s .memory notes && cat notes/declarative.md"),
    Row("echo 'The lift is broken #lift score:8' > n.txt; promptx-mem remember --split - < n.txt"),
    Row("P=promptx-mem; $P remember 'The lift is broken' '#lift' score:8"),
    Row("mkdir sub && cd sub && promptx-mem init && promptx-mem remember 'Sub is small' '#sub' score:8"),
    Row("ls", Outside("touch .memory/.declarative.md.swp; rm .memory/.declarative.md.swp"), "ls"),
    shared(
        "git pull -q && promptx-mem remember 'The lift is broken' '#lift' score:8 && git commit -qam z && git push -q"
    ),
)

HARMLESS = (*_OWN, *_GIT_HARMLESS, *_READING, *_SPARING, *_ELSEWHERE, *_TOGETHER, *_DAILY, *_PLAIN)

TOLD: tuple[Row, ...] = ()
"""Rows of HARMLESS that are known to be denied or reported: at most 1."""
