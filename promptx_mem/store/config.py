"""config.yaml, the optional settings of a store. An error names the unknown key or the invalid value.

The file cannot set programs, servers or paths, since a store can come from anyone.
"""

from collections.abc import Mapping
from errno import EACCES
from types import MappingProxyType

from promptx_mem.core.state import Freshness
from promptx_mem.errors import ConfigError, PromptxMemError, StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.layout import Layout


class Config(NamedTuple):
    """The settings of one store.

    `aliases` maps other spellings of tags to tags. `spellings` are groups of words with the same meaning. `has_llm`:
    the file has the key `llm`, which is only valid in the user's settings. `problem` is an error in the file, or on
    reading it; then all other values are the defaults.
    """

    policy: str = "standard"
    profile: str = "execution"
    default_tag: str | None = None
    aliases: Mapping[str, str] = MappingProxyType({})
    spellings: tuple[tuple[str, ...], ...] = ()
    freshness: Freshness = Freshness()
    has_llm: bool = False
    problem: PromptxMemError | None = None


def load(layout: Layout) -> Config:
    """Read the settings. If the file is invalid or cannot be read, return the defaults with `problem` set."""
    try:
        data = files.load(layout.config)
        from promptx_mem.store import settings

        return Config(**settings.of_store("config.yaml", data))
    except FileNotFoundError:
        return Config()
    except ConfigError as error:
        return Config(problem=error)
    except StoreError as error:
        kind = StoreError if error.code == "link" else ConfigError
        return Config(problem=kind(f"config.yaml cannot be read: {error}", hint=error.hint))
    except OSError as error:  # the disk or the permissions are wrong, not the file
        why = error.strerror or str(error)
        hint = "check the owner and permissions of .memory" if error.errno == EACCES else "try again"
        return Config(problem=StoreError(f"config.yaml could not be read: {why}", hint=hint))
