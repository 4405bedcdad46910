"""Warnings with a call that they are about, harmless calls, errors with their cure, lessons with what is read."""

WARNINGS = (
    ("Never run `terraform destroy` in the production workspace", "terraform destroy -auto-approve"),
    ("Do not git push --force to main: it dropped two commits", "git push --force origin main"),
    ("never use git stash drop here, we lost a day of work", "cd app && git stash drop"),
    ("You must not run npm publish by hand; the release job does it", "npm publish --access public"),
    ("不要在主分支上执行 git reset --hard，会丢失改动", "git reset --hard HEAD~1"),
    ("禁止运行 docker compose down -v，会删除数据库", "docker compose down -v"),
    ("切勿使用 rm -rf build，缓存要保留", "rm -rf build"),
    ("don't run `make clean`: the model files take six hours to rebuild", "make clean all"),
    ("Never drop the database with `dropdb`", "dropdb app_test"),
    ("Do not use `pip install` in this project, use `uv add`", "pip install requests"),
    ("Never run alembic downgrade on staging", "alembic downgrade -1"),
    ("`kubectl delete namespace` must not be used on the shared cluster", "kubectl delete namespace team-a"),
    ("never run python manage.py flush", "python manage.py flush --no-input"),
    ("Do not run cargo update without a ticket", "cargo update"),
    ("Never run `prisma migrate reset` against the shared database", "npx prisma migrate reset"),
    ("do not run `yarn upgrade`, it breaks the lock file", "yarn upgrade"),
    ("Never call `aws s3 rm` on the backups bucket", "aws s3 rm s3://backups/old --recursive"),
    ("must not run systemctl restart nginx during the day", "sudo systemctl restart nginx"),
    ("Never use `git commit --no-verify`", "git commit -m x --no-verify"),
    ("不要运行 pnpm dedupe，锁文件会坏", "pnpm dedupe"),
    ("Never run go mod tidy on the vendored branch", "go mod tidy"),
    ("Do not run `brew upgrade` on the build machine", "brew upgrade"),
    ("never run redis-cli flushall", "redis-cli -h cache flushall"),
    ("Don't run `bundle update`; ask Kim first", "bundle update rails"),
    ("never run helm uninstall on prod", "helm uninstall api"),
    ("Do not chmod -R 777 the uploads", "chmod -R 777 uploads"),
    ("Never run `find src -exec chmod` at the top", "find src -exec chmod 600 a +"),
    ("禁止 git clean -fd", "git clean -df src"),
    ("never edit generated/schema.ts by hand, it is overwritten", "sed -i s/a/b/ generated/schema.ts"),
    ("Do not write to config/prod.yaml; the operator does", "echo x >> config/prod.yaml"),
    ("不要修改 migrations/0001_init.sql", "tee migrations/0001_init.sql"),
    ("never touch anything in vendor/", "rm vendor/lib.c"),
    ("do not edit package-lock.json", "cp /tmp/x package-lock.json"),
    ("Never change `Cargo.lock` in a feature branch", "mv Cargo.lock Cargo.lock.old"),
    ("must not overwrite data/train.csv", "python export.py > data/train.csv"),
    ("Never run `gh release delete`", "gh release delete v1"),
    ("do not run gcloud projects delete", "gcloud projects delete app"),
    ("never run bash scripts/reset.sh", "bash scripts/reset.sh --all"),
    ("Do not run `mix ecto.reset`", "mix ecto.reset"),
    ("Never use `docker system prune` on the runner", "docker system prune -af"),
)

HARMLESS = tuple(
    """git status|git push origin feature|git push|git stash|git stash list|git stash pop|git reset HEAD a.py|git log
git commit -m 'never run terraform destroy'|git commit -am x|git diff --stat|git clean -n|git branch -D old
git checkout -b x|git push --force-with-lease origin x|git fetch --all|git rebase main|git add -A
terraform plan|terraform apply|terraform validate|terraform init|npm test|npm install|npm run build|npm run publish-docs
npm ci|npm view x|docker compose up -d|docker compose ps|docker compose down|docker ps|docker build .|docker system df
rm -f tmp.txt|rm -rf dist|rm -r node_modules/.cache|make|make test|make build|make install|createdb app|psql -l
pip list|pip show x|pip freeze|uv add requests|uv sync|alembic upgrade head|alembic history|kubectl get namespace
kubectl delete pod x|kubectl get pods|kubectl logs x|python manage.py migrate|python manage.py test|python -m pytest
python x.py|cargo build|cargo test|cargo add serde|npx prisma generate|prisma migrate dev|npx prisma migrate status
yarn|yarn add x|yarn test|aws s3 ls|aws s3 cp a s3://x/a|aws sts get-caller-identity|systemctl status nginx
systemctl restart api|pnpm install|pnpm add x|pnpm test|go mod download|go test ./...|go build|brew install jq|brew list
redis-cli get x|redis-cli ping|bundle install|bundle exec rspec|helm list|helm upgrade api .|chmod +x run.sh|chmod 644 a
find . -name '*.py'|find . -type f|cat generated/schema.ts|grep -rn flush .|grep -n 'git push --force' docs/a.md
cat config/prod.yaml|head -5 migrations/0001_init.sql|ls vendor/|cat vendor/lib.c|rg vendor|cat package-lock.json
cp package-lock.json /tmp/x|diff Cargo.lock /tmp/Cargo.lock|cat Cargo.lock|wc -l data/train.csv|python train.py data/train.csv
echo 'rm -rf build'|echo "docker compose down -v"|gh release list|gh pr create|gh release create v2|gcloud projects list
bash scripts/test.sh|sh run.sh|mix test|mix ecto.migrate|docker image ls|docker logs api|ls -la|pwd|cd src && ls|date
sed -n 1,20p src/a.py|awk '{print $1}' a|sort a.txt|uniq a|xargs ls|env|which python|node index.js|deno test|tsc --noEmit
eslint .|prettier --check .|ruff check .|mypy .|black --check .|go vet ./...|clippy|rustfmt a.rs|javac A.java|gradle test
mvn test|ctest|cmake -B build|ninja -C build|mkdir build|touch src/new.py|mv a.py b.py|cp a.py b.py|tar czf a.tgz src
curl -s localhost:8080/health|wget http://x/y|ssh host ls|scp a host:|rsync -a src/ dst/|jq . a.json|yq . a.yaml
echo x > notes.txt|tee out.log|printf a >> log.txt|python -c 'print(1)'|perl -e 1|ruby a.rb|php a.php|kill 1|ps aux|df -h
du -sh .|free -m|uptime|history|man git|git help push|npm help publish|docker --help|terraform -help|make -n test
git show HEAD|git blame a.py|git tag v1|git remote -v|git config user.name|git worktree list|git stash show|git merge x
git cherry-pick abc|git restore --staged a|git switch main|git pull --rebase|git push -u origin x|npm outdated|npm audit
sleep 1|true|test -f a|[ -f a ]|npm run lint|poetry run pytest|uv run pytest -q|hatch run test|tox|nox|pre-commit run
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

CURES = (
    ("ECONNREFUSED on 5432 means the database is down: make db-up", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
    (
        "If pydantic_core is missing, reinstall with uv sync --reinstall",
        "ModuleNotFoundError: No module named 'pydantic_core'",
    ),
    ("error E0502 in the parser: clone the token list first", "error[E0502]: cannot borrow `tokens` as mutable"),
    ("ERR_OSSL_EVP_UNSUPPORTED: run with NODE_OPTIONS=--openssl-legacy-provider", "code: 'ERR_OSSL_EVP_UNSUPPORTED'"),
    ("TS2307 for @/lib: run pnpm generate before tsc", "src/a.ts(1,2): error TS2307: Cannot find module '@/lib'"),
    (
        "ENOSPC from the watcher: raise fs.inotify.max_user_watches",
        "Error: ENOSPC: System limit for number of file watchers",
    ),
    ("libpq-fe.h missing: apt install libpq-dev", "fatal error: libpq-fe.h: No such file or directory"),
    ("ORA-12514 means the listener was renamed to XEPDB1", "ORA-12514: TNS:listener does not know of service"),
    (
        "Address already in use on 8081: stop the old emulator with make stop",
        "bind: Address already in use 0.0.0.0:8081",
    ),
    (
        "When the migration says DuplicateTable, run alembic stamp head",
        "psycopg.errors.DuplicateTable: relation exists",
    ),
    ("CERTIFICATE_VERIFY_FAILED behind the proxy: set SSL_CERT_FILE", "ssl.SSLError: [SSL: CERTIFICATE_VERIFY_FAILED]"),
    ("遇到 EACCES 时先运行 make fix-perms", "npm ERR! code EACCES mkdir '/opt/x'"),
    ("GLIBC_2.34 not found: build in the docker image instead", "./a: version `GLIBC_2.34' not found"),
    ("The snapshot test fails until SNAPSHOT_UPDATE=1 is set", "AssertionError: set SNAPSHOT_UPDATE to refresh"),
    ("Cannot find symbol QClass: run gradle kaptKotlin", "error: cannot find symbol class QClass; kaptKotlin not run"),
    ("flaky websocket handshake: pin the gateway to one replica", "test failed: websocket handshake timed out"),
    (
        "heap out of memory in webpack: NODE_OPTIONS=--max-old-space-size=4096",
        "FATAL: JavaScript heap out of memory webpack",
    ),
    (
        "exit code 137 in CI is the memory limit: use the large runner",
        "The process was killed: memory limit, runner stopped",
    ),
    (
        "protoc-gen-go not found: go install it and add GOPATH/bin",
        "protoc-gen-go: program not found or is not executable",
    ),
    ("HTTP 429 from the registry: use the mirror in .npmrc", "npm ERR! 429 Too Many Requests registry mirror"),
)
