"""A proxy before the server that can cut connections and accept or refuse TLS; it changes no bytes."""

import contextlib
import socket
import ssl
import threading
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Self

_TLS_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")
_PORTION = 65_536


class Front:
    """Proxy from a loopback port to the server's socket.

    `tls`: the context for TLS; without it, requests for TLS are refused.
    `left`: bytes from clients that still pass, over all connections; then every connection is cut. None: no limit.
    """

    def __init__(self, path: Path, *, tls: ssl.SSLContext | None = None) -> None:
        self.path = path
        self.tls = tls
        self.left: int | None = None
        self.received = b""
        self._ends = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.port = int(self._listener.getsockname()[1])
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join(30)
        self._listener.close()

    def _listen(self) -> None:
        while not self._ends.is_set():
            with contextlib.suppress(TimeoutError):
                client, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=[client], daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.callback(client.close)
            client.settimeout(30)
            first = client.recv(8, socket.MSG_PEEK)
            if first == _TLS_REQUEST:
                client.recv(8)
                client.sendall(b"S" if self.tls else b"N")
                if self.tls:
                    client = self.tls.wrap_socket(client, server_side=True)
                    stack.callback(client.close)
            there = socket.socket(socket.AF_UNIX)
            stack.callback(there.close)
            there.connect(str(self.path))
            self._pump(client, there)

    def _pump(self, client: socket.socket, there: socket.socket) -> None:
        """Forward bytes both ways until one side or the proxy ends, or no more bytes may pass."""
        others = {client: there, there: client}
        while not self._ends.is_set():
            waiting = isinstance(client, ssl.SSLSocket) and client.pending() > 0
            given = [client] if waiting else wait([client, there], 0.05)
            ready = [one for one in others if one in given]
            for one in ready:
                data = one.recv(_PORTION)
                if not data:
                    return
                if one is client:
                    self.received += data
                    if self.left is not None:
                        data, self.left = data[: self.left], max(self.left - len(data), 0)
                others[one].sendall(data)
            if self.left == 0:
                return
