"""Pieces of files by their digest, in a blob store: each is stored once, packed, however many backups have it."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO

import zstandard

from tearsheet.backup.manifest import OBJECT_BYTES, DamagedBackup
from tearsheet.engines.blobs import Blobs
from tearsheet.errors import NotFoundError

_FOLDER = "objects"
_AT_ONCE = 8
"""How many objects are sent or asked for at the same time: a store far away takes long to answer each."""
_LARGEST_PACKED = OBJECT_BYTES + (1 << 16)
"""What does not pack well becomes a little larger."""


@dataclass(slots=True, frozen=True)
class Stored:
    """What a file became."""

    objects: tuple[str, ...]
    size: int
    sent: int
    """Bytes that the store had not had before, as they were sent."""


class Objects:
    """The objects of a place. Close it at the end."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: set[bytes] = set()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="backup")

    def close(self) -> None:
        """End the threads, when they have done what they were given."""
        self._threads.shutdown(cancel_futures=True)

    # --------------------------------------------------------------------------------------------------- storing

    def look_around(self) -> None:
        """Learn which objects are there, so that they are not sent again. An empty file is what a failing disk left of one."""
        self._known = {bytes.fromhex(digest) for digest, size in self.all() if size}

    def has(self, digests: Iterable[str]) -> bool:
        """Whether all of these were there when we looked around, or were stored since."""
        return all(bytes.fromhex(digest) in self._known for digest in digests)

    def store(self, pieces: Iterable[bytes]) -> Stored:
        """Store what is not there yet; everything is safe when this returns. Each piece becomes an object."""
        digests: list[str] = []
        size = sent = 0
        waiting: deque[Future[int]] = deque()
        for piece in pieces:
            digest = hashlib.sha256(piece).digest()
            digests.append(digest.hex())
            size += len(piece)
            if digest not in self._known:
                waiting.append(self._threads.submit(self._put, digest, piece))
            while len(waiting) > _AT_ONCE:
                sent += waiting.popleft().result()
        return Stored(tuple(digests), size, sent + sum(one.result() for one in waiting))

    def _put(self, digest: bytes, piece: bytes) -> int:
        packed = zstandard.ZstdCompressor(level=3).compress(piece)
        self._blobs.put(_key(digest.hex()), packed)
        self._known.add(digest)
        return len(packed)

    # --------------------------------------------------------------------------------------------------- reading

    def read(self, digests: Iterable[str]) -> Iterator[bytes]:
        """The bytes of objects, in order. Raises DamagedBackup."""
        waiting: deque[Future[bytes]] = deque()
        for digest in digests:
            waiting.append(self._threads.submit(self._get, digest))
            if len(waiting) > _AT_ONCE:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _get(self, digest: str) -> bytes:
        key = _key(digest)
        try:
            piece = _unpacked(self._blobs.open(key))
        except NotFoundError:
            raise DamagedBackup(f"the backup is damaged: {key} is missing") from None
        except zstandard.ZstdError:
            raise DamagedBackup(f"the backup is damaged: {key} cannot be unpacked") from None
        if hashlib.sha256(piece).hexdigest() != digest:
            raise DamagedBackup(f"the backup is damaged: {key} is not what was stored")
        return piece

    # --------------------------------------------------------------------------------------------------- all of them

    def all(self) -> Iterator[tuple[str, int]]:
        """Every object with its size as it is stored."""
        for info in self._blobs.list(f"{_FOLDER}/*"):
            digest = info.key.rpartition("/")[2]
            if info.key == _key(digest) and len(digest) == 64:
                yield digest, info.size

    def remove(self, digest: str) -> None:
        """Delete an object."""
        self._blobs.delete(_key(digest))


def _unpacked(stream: Iterator[bytes]) -> bytes:
    """The bytes of an object, however much it claims to hold. Raises ZstdError."""
    packed = b""
    for some in stream:
        packed += some
        if len(packed) > _LARGEST_PACKED:
            break  # which is then not whole
    if zstandard.frame_content_size(packed) > OBJECT_BYTES:
        raise zstandard.ZstdError("too large")
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=OBJECT_BYTES)


def _key(digest: str) -> str:
    return f"{_FOLDER}/{digest[:2]}/{digest}"


def pieces_of(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The first `size` bytes of a file in pieces; of a file that is shorter by now, what there is."""
    while size > 0 and (piece := file.read(min(size, OBJECT_BYTES))):
        size -= len(piece)
        yield piece
