"""The use cases, one module per command. The first use of `usecases.NAME` imports the module."""

import sys

from promptx_mem.record import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        path = f"{__name__}.{name}"
        try:
            __import__(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            raise AttributeError(path) from None
        return sys.modules[path]
