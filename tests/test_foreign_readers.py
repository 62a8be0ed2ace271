"""Every reader of bytes that strangers made: none takes longer than its input is long, none fails in a way that is not documented.

`tests/support/foreign` has the table of readers. The fuzzer's inputs follow from a seed, the same in `make test`; `make fuzz`
draws others, and a failure names its own: `TEARSHEET_FUZZ_SEED=… pytest tests/test_foreign_readers.py -k …` makes it again.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress

import pytest

from tests.support.foreign import READERS
from tests.support.foreign.fuzzing import run
from tests.support.growth import assert_linear
from tests.support.paths import ROOT

INPUTS, MANY_INPUTS = 20_000, 1_000_000
_SHARES = sum(reader.share for reader in READERS.values())
_SOURCE = ROOT / "src" / "tearsheet"
_READS = re.compile(
    r"etree\.(?:fromstring|parse|iterparse)|LexborHTMLParser\(|json\.loads|json\.(?:decode|Decoder)|csv\.(?:reader|DictReader)|"
    r"decompressobj|gzip_decompress|Protego\.parse|GzipFile\(fileobj|zstandard\.decompress|(?:json\.load|decode_json|read_json)\(|"
    r"msgspec\.(?:json|msgpack)\.(?:decode|Decoder)\(|zipfile\.ZipFile\("
)
"""What takes foreign bytes apart."""

TRUSTED = {
    "archive/identity.py": "a marker that this program wrote, in a store that the operator chose",
    "archive/wacz.py": "writes, and reads nothing",
    "backup/place.py": "a marker by which a place is known; what else is there is described as listing and manifest",
    "backup/restoring.py": "a note that this program left itself, in the folder that it restores into",
    "app": "settings, tokens and answers of this program's own",
    "cli": "files that the user names: read as a whole, and an error ends the command",
    "engines": "answers of servers that the operator chose",
    "extract/model.py": "what a process of this program's own answers",
    "extract/blocks.py": "a tree of our own, from which elements are copied",
    "feeds/access_store.py": "rows that this program wrote",
    "feeds/polling/details.py": "rows that this program wrote",
    "feeds/polling/rhythm.py": "rows that this program wrote",
    "feeds/polling/sitemaps.py": "rows that this program wrote; the sitemaps themselves are read as feeds",
    "feeds/polling/daily_rss.py": "files that this program wrote, of which the first 2,000 bytes are read",
    "fetch/store.py": "rows that this program wrote",
    "ingest/erasing.py": "results that this program wrote",
    "ingest/store.py": "rows that this program wrote",
    "pagestore/check.py": "files that this program wrote",
    "pagestore/store.py": "files that this program wrote",
    "topics/foci.py": "rows that this program wrote",
    "topics/methods/record_store.py": "records that this program wrote",
    "topics/snapshot": "snapshots that this program wrote",
    "topics/spider/job.py": "messages that this program wrote",
    "topics/spider/stores": "rows that this program wrote",
    "topics/store.py": "rows that this program wrote",
    "topics/texts.py": "rows that this program wrote",
    "web/description.py": "examples that are part of this program",
    "work": "frames between this program's own processes",
}
"""What takes bytes apart that are not foreign, or not ours to bound."""


def _seed() -> int:
    if given := os.environ.get("TEARSHEET_FUZZ_SEED"):
        return int(given)
    return secrets.randbelow(10**9) if os.environ.get("TEARSHEET_TEST_PROFILE") == "fuzz" else 1


SEED = _seed()


@pytest.mark.parametrize("name", READERS)
def test_each_reader_is_described(name):
    reader = READERS[name]
    assert reader.worst, "an input that is made to take long"
    assert reader.tokens, "what means something to it"
    for sample in reader.samples:
        reader.read(sample)
    for module in reader.modules:
        assert (_SOURCE / module).is_file(), module


def test_what_reads_foreign_bytes_is_in_the_table():
    known = {module for reader in READERS.values() for module in reader.modules}
    reading = {
        path.relative_to(_SOURCE).as_posix() for path in _SOURCE.rglob("*.py") if _READS.search(path.read_text("utf-8"))
    }
    unknown = {
        module
        for module in reading - known
        if not any(module == trusted or module.startswith(f"{trusted}/") for trusted in TRUSTED)
    }
    assert not unknown, "describe these in tests/support/foreign, or say in TRUSTED why not"


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, reader in READERS.items() for kind in reader.worst])
def test_time_grows_with_the_input(name, kind):
    reader = READERS[name]

    def read(data: bytes) -> None:
        with suppress(*reader.errors):
            reader.read(data)

    make, count = reader.worst[kind]
    assert_linear(read, make, count)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", READERS)
def test_odd_inputs_are_answered_in_time(name):
    reader = READERS[name]
    count = -(-INPUTS * reader.share // _SHARES)
    figures = run(reader, SEED, count)
    assert figures.inputs == count


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_million_odd_inputs_are_answered_in_time(name, capsys):
    reader = READERS[name]
    count = -(-MANY_INPUTS * reader.share // _SHARES)
    figures = run(reader, SEED + 1, count)
    measured = "on the clock" if reader.job else "of processor time"
    with capsys.disabled():
        print(
            f"\n{name}: {figures.inputs:,} inputs, of which {figures.refused:,} were refused; "
            f"{figures.seconds:.0f} s {measured}, {figures.slowest:.3f} s for the slowest"
        )
    assert figures.inputs == count
