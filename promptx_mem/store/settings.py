"""The user's settings, in a file outside of every store. Only this file can name programs to run."""

import os
import stat
from errno import EACCES
from types import MappingProxyType

from promptx_mem.core.shell import quote
from promptx_mem.core.text import clean, pattern, shorten
from promptx_mem.errors import ConfigError, PromptxMemError, StoreError
from promptx_mem.places import SETTINGS, is_trusted, settings_file
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.store import store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptx_mem.core.state import Freshness

MAX_BYTES = 64 * 1024
_SHOWN = 300


class YamlFile:
    """The contents of a settings file. `name` is the file's name in messages.

    Keys in `ignored` are not checked.
    """

    def __init__(self, name: str, data: bytes, allowed: tuple[str, ...], ignored: tuple[str, ...] = ()) -> None:
        self.name = name
        self.values = self._parse(data)
        self._demand({key: value for key, value in self.values.items() if key not in ignored}, allowed, "")

    def section(self, name: str, allowed: tuple[str, ...], of: "Mapping[str, Any] | None" = None) -> dict[str, Any]:
        """Return the mapping under a key, empty if the key is missing. Raises ConfigError for a wrong type or key.

        `of`: the mapping that contains the last part of `name`; by default the whole file.
        """
        value = (self.values if of is None else of).get(name.rpartition(".")[2])
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong(f"{name}: {value!r}", f"a mapping with {', '.join(allowed)}")
        self._demand(value, allowed, f"{name}.")
        return value

    def wrong(self, problem: str, allowed: str) -> ConfigError:
        return ConfigError(f"{self.name}: {shorten(problem, _SHOWN)}", hint=f"allowed: {allowed}")

    def _demand(self, values: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
        for key in values:
            if key not in allowed:
                raise self.wrong(f"unknown key {where}{key!s}", ", ".join(where + name for name in allowed))

    def _parse(self, data: bytes) -> dict[str, Any]:
        import yaml

        class Loader(yaml.SafeLoader):
            def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
                if len({str(key.value) for key, _ in node.value}) < len(node.value):
                    raise yaml.MarkedYAMLError(problem="a key is given twice", problem_mark=node.start_mark)
                return super().construct_mapping(node, deep)

        if len(data) > MAX_BYTES:
            raise self.wrong(f"it has {len(data):,} bytes", f"at most {MAX_BYTES:,} bytes")
        try:
            # With YAML aliases, a small file can become a huge value.
            if b"&" in data and b"*" in data and any(isinstance(token, yaml.AliasToken) for token in yaml.scan(data)):
                raise self.wrong("it uses YAML aliases (*name)", "values without aliases")
            value = Loader(data).get_single_data()
            repr(value)  # raises ValueError for an integer that is too large for a message
        except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
            # yaml raises the last three for `!!int ""`, `!!bool x` and `!!timestamp x`
            mark = getattr(error, "problem_mark", None)
            reason = f"line {mark.line + 1}: {getattr(error, 'problem', '')}" if mark else " ".join(str(error).split())
            raise self.wrong(reason[:200] or type(error).__name__, "YAML: `key: value` lines") from None
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong("it is not a mapping", "`key: value` lines")
        return value

    def choice(self, value: Any, names: tuple[str, ...], where: str) -> str:
        if value not in names:
            raise self.wrong(f"{where}: {value!r}", " or ".join(names))
        return str(value)

    def tag(self, value: Any, where: str) -> str:
        from promptx_mem.core.labels import normalise_tag

        tag = normalise_tag(str(value)) if isinstance(value, str | int) else None
        if tag is None:
            raise self.wrong(f"{where}: {value!r}", "a tag: letters, digits and _ - . /, no spaces")
        return tag

    def aliases(self, value: Any) -> dict[str, str]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong(f"tags.aliases: {value!r}", "a mapping, spelling: tag")
        return {self.tag(key, "tags.aliases"): self.tag(tag, f"tags.aliases.{key}") for key, tag in value.items()}

    def freshness(self) -> "Freshness":
        """Return the ages from which memories are marked as old. Raises ConfigError."""
        from promptx_mem.core.durations import parse_threshold
        from promptx_mem.core.entry import TYPES
        from promptx_mem.core.state import Freshness

        section = self.section("freshness", ("threshold", "types"))
        types = self.section("freshness.types", TYPES, section)
        given = {name: section[name] for name in ("threshold",) if name in section}
        given |= {f"types.{name}": age for name, age in types.items()}
        ages: dict[str, float | None] = {"threshold": Freshness().threshold}
        for key, age in given.items():
            try:
                ages[key.removeprefix("types.")] = parse_threshold(age)
            except ValueError as error:
                raise ConfigError(f"{self.name}: freshness.{key}: {error}", hint=f"fix {self.name}") from None
        return Freshness(ages.pop("threshold"), ages)

    def spellings(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups under ABBREVIATIONS, else FORMER_ABBREVIATIONS; empty without both. Raises ConfigError."""
        value = self.values.get(ABBREVIATIONS, self.values.get(FORMER_ABBREVIATIONS))
        if value is None:
            return ()
        if not isinstance(value, dict) or len(value) > MOST_WORDS:
            count = f" has {len(value)} words" if isinstance(value, dict) else f": {value!r}"
            raise self.wrong(f"{ABBREVIATIONS}{count}", _ALLOWED)
        groups = []
        for word, others in value.items():
            spelling, every = self._spelling(word, ABBREVIATIONS), others if isinstance(others, list) else [others]
            if not 1 <= len(every) <= MOST_SPELLINGS:
                raise self.wrong(f"{ABBREVIATIONS}.{word} has {len(every)} spellings", _ALLOWED)
            groups.append((spelling, *(self._spelling(other, f"{ABBREVIATIONS}.{word}") for other in every)))
        return tuple(groups)

    def _spelling(self, value: Any, where: str) -> str:
        is_text = isinstance(value, str | int) and not isinstance(value, bool)
        text = " ".join(clean(str(value)).split()) if is_text else ""
        if not (1 <= len(text) <= LONGEST and any(map(str.isalnum, text))):
            raise self.wrong(f"{where}: {value!r}", _ALLOWED)
        return text

    def command(self, value: Any) -> tuple[str, ...] | None:
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            import shlex

            try:
                return tuple(shlex.split(value))
            except ValueError as error:
                raise self.wrong(f"llm.command: {value!r} ({error})", "a command line, or a list of words") from None
        if isinstance(value, list) and value and all(isinstance(word, str) and word for word in value):
            return tuple(value)
        raise self.wrong(f"llm.command: {value!r}", "a command line, or a list of words")

    def amount(self, key: str, value: Any, bounds: tuple[float, float]) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]:
            return float(value)
        raise self.wrong(f"{key}: {value!r}", f"a number from {bounds[0]:,} to {bounds[1]:,}")

    def bindings(self) -> "dict[str, Binding]":
        value = self.values.get(SYNC) or {}
        allowed = "PATH: {server: DSN, space: NAME}"
        if not isinstance(value, dict):
            raise self.wrong(f"{SYNC}: {value!r}", allowed)
        out: dict[str, Binding] = {}
        for where, bound in value.items():
            match bound:
                case {"server": str(server), "space": str(space), **rest} if isinstance(where, str) and not rest:
                    out[where] = Binding(server, space)
                case _:
                    raise self.wrong(f"{SYNC}: {where}", allowed)
        return out

    def options(self) -> tuple[str, ...]:
        value = self.section("agents", ("allow",)).get("allow") or []
        names = [str(name).removeprefix("--") for name in value] if isinstance(value, list) else [""]
        if not set(names) <= set(OPTIONS):
            raise self.wrong(f"agents.allow: {value!r}", f"a list of {', '.join(OPTIONS)}")
        return tuple(f"--{name}" for name in names)

    def flag(self, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(f"{key}: {value!r}", "true or false")
        return value


ABBREVIATIONS, FORMER_ABBREVIATIONS = "abbreviations", "aliases"
"""The settings key of abbreviations, and its former name, which is still read."""

MOST_WORDS, MOST_SPELLINGS, LONGEST = 200, 10, 60
"""Maximum number of words, of other spellings of one word, and of characters in a spelling."""

_ALLOWED = (
    f"at most {MOST_WORDS} lines `word: meaning`; a list in place of a meaning has at most {MOST_SPELLINGS} items, "
    f"and each word or meaning 1 to {LONGEST} characters"
)

ENVIRONMENT = SETTINGS
SYNC = "sync"
_KEYS = ("llm", "agents", "hooks", "act", "user_store", "conversations", "keep", "store", SYNC, ABBREVIATIONS)
OPTIONS = ("allow-secret", "judge", "remote", "user")
"""The options that the user's settings can allow in agents' sessions, under `agents.allow`."""

KEEP_DAYS = 400
KEEP_MEGABYTES = 20.0
LEAST_DAYS = 30
_MOST_DAYS, _MOST_MEGABYTES = 36_500, 100_000
LEAST_STORE, LARGEST_STORE = 10, 50
"""Allowed range of a store's limit, in megabytes. Above 50, a single append could exceed the limit of `.intent`."""

_ODD = rf"(?m)^(?:\ufeff)?(?!(?:{'|'.join((*_KEYS, FORMER_ABBREVIATIONS))})[ \t]*:)[^\s#-]"
"""Pattern of an unindented line without a known key. A file that has such a line must be parsed."""


class Binding(NamedTuple):
    """The destination of a store's memories: the DSN of a server, and the name of a space on it."""

    server: str
    space: str


class Settings(NamedTuple):
    """The user's settings.

    `llm_timeout` is in seconds. `keep_days` and `keep_megabytes` limit saved messages, `store_megabytes` limits a
    store. `sync` maps the real path of a store to its destination.
    """

    llm_command: tuple[str, ...] | None = None
    llm_timeout: float = 60.0
    user_store: bool = True
    conversations: bool = False
    keep_days: float = KEEP_DAYS
    keep_megabytes: float = KEEP_MEGABYTES
    store_megabytes: float | None = None
    spellings: tuple[tuple[str, ...], ...] = ()
    sync: "Mapping[str, Binding]" = MappingProxyType({})
    agents_allow: tuple[str, ...] = ()
    act: bool = True
    warns: bool = True


def path() -> str | None:
    """Return the path of the user's settings: PROMPTX_MEM_CONFIG, or a file below XDG_CONFIG_HOME or ~/.config.

    None if neither these nor HOME are set. Raises ConfigError for a relative PROMPTX_MEM_CONFIG, since such a file
    could be in a project.
    """
    override = os.environ.get(ENVIRONMENT)
    if override:
        named = os.path.expanduser(override)
        if not os.path.isabs(named) or "\0" in named:
            raise ConfigError(
                f"{ENVIRONMENT}={override!r} is not an absolute path", hint=f"set {ENVIRONMENT}=/…/config.yaml"
            )
        return named
    return settings_file()


def _build(where: str, data: bytes) -> Settings:
    file = YamlFile(where, data, _KEYS, ignored=(FORMER_ABBREVIATIONS,))
    llm = file.section("llm", ("command", "timeout"))
    has_store = file.flag("user_store", file.values.get("user_store", True))
    saves = file.flag("conversations", file.values.get("conversations", False))
    keep = file.section("keep", ("days", "megabytes"))
    days = file.amount("keep.days", keep.get("days", KEEP_DAYS), (LEAST_DAYS, _MOST_DAYS))
    size = file.amount("keep.megabytes", keep.get("megabytes", KEEP_MEGABYTES), (1, _MOST_MEGABYTES))
    store = file.section("store", ("megabytes",)).get("megabytes")
    if store is not None:
        store = file.amount("store.megabytes", store, (LEAST_STORE, LARGEST_STORE))
    judge = file.command(llm.get("command")), file.amount("llm.timeout", llm.get("timeout", 60), (0.1, 3600))
    bound, allowed, spellings = file.bindings(), file.options(), file.spellings()
    act = file.flag("hooks.act", file.section("hooks", ("act",)).get("act", True))
    warn = file.choice(file.section("act", ("warn",)).get("warn", "once"), ("once", "never"), "act.warn")
    return Settings(*judge, has_store, saves, days, size, store, spellings, bound, allowed, act, warn == "once")


def of(*keys: str) -> Settings:
    """Return the settings; defaults if there are none. With `keys`, only settings under them are certain to be read.

    To save time, the file is then parsed only if it contains one of these keys, or a line that could be an unknown key.
    Raises ConfigError if the settings are invalid, StoreError if they cannot be read.
    """
    where = path()
    data = None if where is None else _read(where)
    if where is None or data is None:
        return Settings()
    is_asked = not keys or any(key.encode() in data for key in keys)
    return _build(where, data) if is_asked or pattern(_ODD).search(data.decode("utf-8", "replace")) else Settings()


def of_store(name: str, data: bytes) -> dict[str, Any]:
    """Return the settings in the file `name` of a store, by their names in `config.Config`. Raises ConfigError."""
    file = YamlFile(
        name, data, ("policy", "scoring", "tags", ABBREVIATIONS, "freshness"), ignored=("llm", FORMER_ABBREVIATIONS)
    )
    scoring = file.section("scoring", ("profile",))
    tags = file.section("tags", ("default", "aliases"))
    default = tags.get("default")
    return {
        "policy": file.choice(file.values.get("policy", "standard"), ("standard", "strict"), "policy"),
        "profile": file.choice(scoring.get("profile", "execution"), ("execution", "declarative"), "scoring.profile"),
        "default_tag": None if default is None else file.tag(default, "tags.default"),
        "aliases": file.aliases(tags.get("aliases")),
        "spellings": file.spellings(),
        "has_llm": file.values.get("llm") is not None,
        "freshness": file.freshness(),
    }


def size_instruction(size: int) -> str:
    """Return an instruction to set a store's limit to `size` bytes plus a third.

    Empty if this exceeds LARGEST_STORE, or if the settings have no path.
    """
    megabytes = max(LEAST_STORE, size * 4 // 3_000_000 + 1)
    where = path()
    return f"put `store: {{megabytes: {megabytes}}}` into {where}" if where and megabytes <= LARGEST_STORE else ""


def choose_conversations(*, write: bool) -> tuple[str, str, str] | None:
    """Return the result of a `change` so that messages are saved; None if the settings already save messages."""
    return None if of().conversations else change("conversations", True, write=write)


def change(key: str, value: Any, *, write: bool) -> tuple[str, str, str]:
    """Return the path of the user's settings, their text, and a text that also has this key. With `write`, write it.

    Raises ConfigError if a new line cannot set the key without changing other settings; also StoreError, OSError.
    """
    import json
    import re

    where = path()
    if where is None:
        raise ConfigError("there is no folder for settings: HOME is not set", hint=f"set {ENVIRONMENT}=/…/config.yaml")
    data = _read(where) or b""
    line = f"{key}: {json.dumps(value)}"  # JSON is also valid YAML
    old = rf"(?m)^{key}:[^#\r\n]*?(?=(?:[ \t]+#.*)?[ \t]*\r?$)".encode()
    new, is_there = re.subn(old, lambda _: line.encode(), data, count=1)
    new += b"" if is_there else b"\n" * bool(data and not data.endswith(b"\n")) + f"{line}\n".encode()
    expected = {**YamlFile(where, data, _KEYS, (FORMER_ABBREVIATIONS,)).values, key: value}
    try:
        is_right = YamlFile(where, new, _KEYS, (FORMER_ABBREVIATIONS,)).values == expected
    except ConfigError:
        is_right = False
    if not is_right:
        message = f"{where} is hand-written in a way that {key} cannot be set by a command"
        raise ConfigError(message, hint=f"add this to that file: {line}")
    if write:
        from promptx_mem.store import disk

        place = os.path.realpath(where)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        mode = os.stat(place).st_mode & 0o777 if os.path.exists(place) else 0o600
        disk.replace(place, new, mode, durable=True)
    return where, data.decode(), new.decode()


def llm_warning() -> str:
    """Return the warning about the key `llm` in a store's config.yaml. Only the user's settings can set this key."""
    try:
        where = path() or ENVIRONMENT
    except ConfigError:
        where = ENVIRONMENT
    return f"config.yaml: llm is ignored: only your own settings can set llm; put it into {where}"


def _read(where: str) -> bytes | None:
    """Return the file's bytes; None if missing and ENVIRONMENT is unset. Raises ConfigError, StoreError."""
    try:
        fd = os.open(where, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"{where} is not a regular file", hint="replace or remove it")
            if not is_trusted(status):
                raise ConfigError(
                    f"{where} belongs to another user", hint="this file names commands to run, so it must belong to you"
                )
            return os.read(fd, 1 << 20)
        finally:
            os.close(fd)
    except FileNotFoundError:
        if os.environ.get(ENVIRONMENT):
            raise ConfigError(f"{where} does not exist", hint=f"create it, or unset {ENVIRONMENT}") from None
        return None
    except OSError as error:
        hint = f"check the permissions: ls -ld {quote(where)}" if error.errno == EACCES else "try again"
        raise StoreError(f"{where} could not be read: {error.strerror or error}", hint=hint) from None


def most_bytes(*, lenient: bool = False) -> int:
    """Return the maximum size of a store in bytes.

    If the user's settings cannot be read, raise ConfigError or StoreError. With `lenient`, return the default instead.
    """
    try:
        chosen = of("store").store_megabytes
    except PromptxMemError:
        if not lenient:
            raise
        chosen = None
    return store.MAX_BYTES if chosen is None else int(chosen * 1_000_000)


def is_nearly_full(size: int) -> bool:
    """Return whether a store of this size in bytes has reached nine tenths of the maximum."""
    return size >= store.WARN_BYTES and size >= store.WARN_BYTES * most_bytes(lenient=True) // store.MAX_BYTES
