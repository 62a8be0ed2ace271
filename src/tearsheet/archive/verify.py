"""Re-read archive files and check everything that is known about them: sizes, digests, offsets, stories, CDXJ."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.archive.describe import describe
from tearsheet.archive.http import decoded_body, parse_response
from tearsheet.archive.names import cdxj_name
from tearsheet.archive.scan import Record
from tearsheet.archive.store import StoredCapture, StoredFile
from tearsheet.archive.writer import ArchiveFile

_ALGORITHMS = {"sha1": 20, "sha256": 32, "md5": 16}


@dataclass(slots=True, frozen=True)
class Problem:
    """Something that is wrong. `offset` says where, when it concerns one record."""

    file: str
    what: str
    offset: int | None = None


@dataclass(slots=True)
class Verdict:
    """What was found in one file."""

    file: str
    stories: int = 0
    records: int = 0
    size: int = 0
    problems: list[Problem] = field(default_factory=list)


def verify_file(
    path: Path,
    stored: StoredFile | None = None,
    captures: Iterable[StoredCapture] = (),
    *,
    with_cdxj: bool = True,
) -> Verdict:
    """Read a WARC file from end to end and check every record, and whether it is what was registered, as far as given."""
    verdict = Verdict(path.name)
    if not path.is_file():
        verdict.problems.append(Problem(path.name, f"the file is missing: {path}"))
        return verdict

    def check(record: Record) -> None:
        verdict.records += 1
        for what in record_problems(record):
            verdict.problems.append(Problem(path.name, what, record.offset))

    found = describe(path, watch=check)
    verdict.stories, verdict.size = found.file.stories, found.file.size
    verdict.problems += [Problem(path.name, damage.what, damage.offset) for damage in found.damages]
    if not verdict.records and not verdict.problems:
        verdict.problems.append(Problem(path.name, "there is no record in it", 0))
    if stored is not None:
        verdict.problems += _differences(found.file, stored)
        if with_cdxj and stored.path is None:
            verdict.problems += _cdxj_problems(path, found.cdxj)
    verdict.problems += _capture_problems(found.file, captures)
    return verdict


def _differences(found: ArchiveFile, stored: StoredFile) -> Iterator[Problem]:
    for name, now, then in (
        ("size", found.size, stored.size),
        ("SHA-256", found.sha256, stored.sha256),
        ("number of stories", found.stories, stored.stories),
    ):
        if now != then:
            yield Problem(stored.name, f"{name} is {now} and was registered as {then}")


def _capture_problems(found: ArchiveFile, captures: Iterable[StoredCapture]) -> Iterator[Problem]:
    by_offset = {capture.offset: capture for capture in found.captures}
    for capture in captures:
        there = by_offset.get(capture.offset)
        if there is None or there.story_id != capture.story_id:
            yield Problem(found.name, f"story {capture.story_id} is registered here and is not", capture.offset)
        elif (there.length, there.sha256) != (capture.length, capture.sha256):
            yield Problem(found.name, f"story {capture.story_id} is not the page that was registered", capture.offset)


def record_problems(record: Record) -> list[str]:
    """What is wrong with one record: digests that do not hold, headers that are missing."""
    problems = [
        f"{name} is missing"
        for name in ("WARC-Type", "WARC-Record-ID", "WARC-Date")
        if name.lower() not in record.headers
    ]
    block = record.block
    stated = record.headers.get("warc-block-digest")
    if stated and digest_holds(stated, block) is False:
        problems.append("block digest does not hold")
    stated = record.headers.get("warc-payload-digest")
    if stated and record.type == "response" and _payload_holds(stated, block) is False:
        problems.append("payload digest does not hold")
    return problems


def digest_holds(stated: str, data: bytes) -> bool | None:
    """Whether a digest of a WARC header (`sha1:` and base 32, or hexadecimal) is that of the data; None if we cannot tell."""
    algorithm, _, value = stated.partition(":")
    algorithm = algorithm.strip().lower().replace("-", "")
    size = _ALGORITHMS.get(algorithm)
    if size is None:
        return None
    value = value.strip()
    try:
        in_base_32 = len(value) != 2 * size
        wanted = base64.b32decode(value.upper() + "=" * (-len(value) % 8)) if in_base_32 else bytes.fromhex(value)
    except (ValueError, binascii.Error):
        return None
    return hashlib.new(algorithm, data, usedforsecurity=False).digest() == wanted


def _payload_holds(stated: str, block: bytes) -> bool | None:
    """Writers disagree on whether the digest is of the payload before or after transfer and content decoding: either will do."""
    try:
        response = parse_response(block)
    except ValueError:
        return None
    holds = digest_holds(stated, response.body)
    if holds is not False:
        return holds
    try:
        return digest_holds(stated, decoded_body(response))
    except ValueError:
        return False


def _cdxj_problems(path: Path, expected: bytes) -> list[Problem]:
    beside = path.with_name(cdxj_name(path.name))
    try:
        found = beside.read_bytes()
    except FileNotFoundError:
        return [Problem(path.name, f"{beside.name} is missing; `tearsheet archive index` writes it again")]
    return [] if found == expected else [Problem(path.name, f"{beside.name} does not match the file")]
