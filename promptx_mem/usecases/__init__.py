"""The use cases: a module for each command. `usecases.NAME` imports a module when it is first used."""

import sys

from promptx_mem.record import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        path = f"{__name__}.{name}"
        if name.startswith("_"):
            raise AttributeError(path)
        __import__(path)
        return sys.modules[path]
