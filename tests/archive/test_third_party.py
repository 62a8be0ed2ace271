"""Files of both profiles in the hands of other people's tools: warcio, cdxj-indexer, pywb."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.archive.names import cdxj_name
from tearsheet.archive.profiles import PROFILES
from tearsheet.story import Exchange
from tests.support.archive_stories import PAGE, plain_story
from tests.support.paths import SHARED_DATA
from tests.support.pywb_replay import replay_with_pywb

BIN = Path(sys.executable).parent
profiles = pytest.mark.parametrize("profile", PROFILES)


def odd_stories():
    """Stories with everything that can be odd about one."""
    stories = [plain_story(n) for n in range(3)]  # in `full` the later ones are revisits
    unknown = plain_story(3, PAGE + b"3")
    unknown.exchanges = []
    unknown.http_metadata.response_code = None
    unknown.http_metadata.encoding = unknown.raw_html.encoding = None
    wide = plain_story(4, "<p>日本語".encode("shift_jis"))
    wide.http_metadata.final_url = "https://news.example/日本 語?q=ü&x=<y>"
    wide.http_metadata.encoding = "shift_jis"
    hostile = plain_story(5, b"HTTP/1.0 200 OK\r\n\r\nWARC/1.0\r\nContent-Length: 5\r\n\r\n" * 50)
    hostile.exchanges[-1].response_headers += [("X-Evil", "a\r\nWARC-Type: response"), ("bad name", "x"), ("X-Ü", "ü☃")]
    hostile.exchanges[-1].reason = "OK\r\nX: y"
    empty_hops = plain_story(6, b"\x00\xff" * 5000)
    empty_hops.exchanges.insert(0, Exchange("https://t.example/first", 302, [], [], None, None, "1.0", None))
    early = plain_story(7, b"<p>1970")
    early.http_metadata.fetch_timestamp = 0.0
    return [*stories, unknown, wide, hostile, empty_hops, early]


def real_stories(limit: int):
    if not SHARED_DATA.is_dir():
        return
    with tarfile.open(SHARED_DATA / "extraction" / "pages.tar.xz") as archive:
        for number, member in enumerate(archive):
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield plain_story(1000 + number, stream.read())
            if number >= limit:
                return


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    written = {}
    stories = [*odd_stories(), *real_stories(12)]
    for profile in PROFILES:
        folder = tmp_path_factory.mktemp(profile)
        with StoryArchiveWriter(folder, profile=profile, prefix=profile) as writer:
            for story in stories:
                writer.write(story)
        written[profile] = writer.close()
    return stories, written


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BIN / words[0]), *words[1:]], capture_output=True, text=True, timeout=100, check=False)


@profiles
def test_warcio_finds_every_digest_right(files, profile):
    stories, written = files
    result = tool("warcio", "check", "-v", str(written[profile].path))
    assert result.returncode == 0, result.stdout
    assert "fail" not in result.stdout.lower()
    assert result.stdout.count("digest pass") >= len(stories)


@profiles
def test_warcio_reads_every_story(files, profile):
    stories, written = files
    result = tool("warcio", "index", "-f", "warc-type,warc-record-id,http:status", str(written[profile].path))
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    found = {line["warc-record-id"] for line in lines if line["warc-type"] in ("response", "revisit")}
    assert {f"<urn:uuid:{story.id}>" for story in stories} <= found


def keyed(lines: list[str]) -> dict[tuple[str, str], tuple[str, dict[str, str]]]:
    found = {}
    for line in lines:
        key, _, values = line.split(" ", 2)
        entry = json.loads(values)
        found[entry["offset"], entry["length"]] = (key, entry)
    return found


@profiles
def test_our_index_says_what_cdxj_indexer_says(files, profile):
    _, written = files
    path = written[profile].path
    result = tool("cdxj-indexer", str(path))
    assert result.returncode == 0, result.stderr
    theirs = keyed(result.stdout.splitlines())
    ours = keyed(path.with_name(cdxj_name(path.name)).read_text().splitlines())
    captures = {place for place, (key, entry) in theirs.items() if "url" in entry}
    assert set(ours) == captures
    for place, (key, entry) in ours.items():
        their_key, their_entry = theirs[place]
        assert {**their_entry, "mime": entry["mime"], "status": entry["status"]} == entry
        assert their_entry.get("mime", "-") == entry["mime"]
        assert their_entry.get("status", entry["status"]) == entry["status"]
        if entry["url"].startswith("https://news.example/1"):
            assert key == their_key


def test_pywb_indexes_and_replays_every_page(files, tmp_path):
    stories, written = files
    collections = []
    for profile, file in written.items():
        urls = [entry.uri for entry in _entries(file.path)]
        urls += ["https://t.example/1"] if profile == "full" else []
        ours = str(file.path.with_name(cdxj_name(file.name)))
        for name, cdxj in ((f"{profile}-theirs", None), (f"{profile}-ours", ours)):
            collections.append({"name": name, "warc": str(file.path), "cdxj": cdxj, "urls": urls})
    answers = replay_with_pywb(tmp_path, collections)
    pages = {story.id: (story.raw_html.html or b"").decode("latin-1") for story in stories}
    for profile, file in written.items():
        for index in ("theirs", "ours"):
            for entry in _entries(file.path):
                answer = answers[f"{profile}-{index} {entry.uri}"]
                if entry.story.http_metadata.response_code is None:
                    continue  # without a status there is nothing to answer with
                assert answer["status"] == 200, (profile, index, entry.uri, answer["page"][:300])
                assert answer["mime"] == "text/html"
                assert answer["page"] == pages[entry.story.id]
    for index in ("theirs", "ours"):
        hop = answers[f"full-{index} https://t.example/1"]
        assert (hop["status"], hop["location"].endswith("https://news.example/1")) == (301, True)


def _entries(path: Path):
    with StoryArchiveReader(path) as reader:
        return list(reader.entries())
