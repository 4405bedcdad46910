"""Names that mean the same in warnings: environments and branches, commands, kinds of objects in Kubernetes."""

import re
from collections.abc import Iterator

SAME = (
    ("prod", "production", "prd", "live", "生产", "线上", "正式"), ("main", "master", "trunk", "主分支", "主干"),
    ("staging", "stage", "stg", "预发"), ("dev", "development", "develop", "开发"), ("release",),
    ("test", "testing", "qa", "uat", "测试"), ("local", "localhost", "sandbox", "preview", "demo"),
    ("feature", "feat", "fix", "hotfix"),
)  # fmt: skip
"""Names of environments and branches. All names in a group mean the same."""
WHICH = {word: number for number, same in enumerate(SAME) for word in same}

CHINESE_PLACES = r"生产|线上|正式|主分支|主干|预发|(?:开发|测试)(?=环境|分支|[库服机上]|$)"

_ALIASES = (
    ("docker-compose", "docker compose"), ("docker rmi", "docker image rm"),
    *((f"docker {verb}", f"docker container {verb}") for verb in ("rm", "stop", "kill", "restart", "run")),
    *((f"{name} install", f"{name} i") for name in ("npm", "pnpm", "bun")), ("npm ci", "npm clean-install"),
    *((f"{name} remove", f"{name} rm", f"{name} uninstall") for name in ("npm", "pnpm", "yarn", "bun", "brew")),
    ("helm uninstall", "helm delete"), ("terraform destroy", "terraform apply -destroy"),
    ("terraform taint", "terraform apply -replace"), ("conda env remove", "conda remove --all"),
    *((f"gsutil {verb}", f"gcloud storage {verb}") for verb in ("rm", "cp", "mv", "rsync")),
)  # fmt: skip
_KINDS = (
    ("namespace", "ns", "命名空间"), ("pod", "po"), ("service", "svc"), ("deployment", "deploy"), ("configmap", "cm"),
    ("persistentvolumeclaim", "pvc"), ("persistentvolume", "pv"), ("statefulset", "sts"), ("daemonset", "ds"),
    ("ingress", "ing"), ("replicaset", "rs"), ("cronjob", "cj"), ("serviceaccount", "sa"),
    ("customresourcedefinition", "crd"), ("horizontalpodautoscaler", "hpa"), ("networkpolicy", "netpol"),
)  # fmt: skip
_CLUSTER = r"kube|k8s|openshift|命名空间"
"""Names of the same command, names of the same kind of object in Kubernetes, and words of a text about these."""


def with_aliases(clause: str, text: str) -> Iterator[str]:
    """Yield a clause with each other name of its command, unless the text has both, and of its kind of object."""
    for same in (*_ALIASES, *(_KINDS if re.search(_CLUSTER, text) else ())):
        named = [name for name in same if name in text and re.search(_as_word(name), text)]
        for name in named if len(named) == 1 or same in _KINDS else ():
            if re.search(_as_word(name), clause.lower()):
                others = (other for other in same if other != name and other.isascii())
                yield from (re.sub(f"(?i){_as_word(name)}", f" {other} ", clause) for other in others)


def _as_word(name: str) -> str:
    return f" ?(?<![a-z0-9_-]){name}s?(?![a-z0-9_-]) ?"
