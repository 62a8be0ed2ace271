"""What an S3 store refuses: one object, us altogether, or everybody for the moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tearsheet.engines.blobs import open_blobs
from tearsheet.engines.blobs.port import Blobs
from tearsheet.engines.server import LostConnection
from tearsheet.errors import EngineError, ItemRefused, TearsheetError

KEY = "downloads/7"


@contextmanager
def store_that_answers(
    status: int, code: str, tmp_path: Path, *, patience: float = 0.2, listing: str = ""
) -> Iterator[Blobs]:
    """A store that says the same to every request for `KEY`, and gives `fine` for any other object."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            frozen = KEY in self.path or "list-type" in self.path or "versions" in self.path
            told = listing or f"<Error><Code>{code}</Code><Message>No.</Message></Error>"
            body = told.encode() if frozen else b"fine"
            self.send_response(status if frozen else 200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Last-Modified", "Mon, 16 Nov 2026 10:00:00 GMT")
            self.send_header("ETag", '"1"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    blobs = open_blobs(f"s3://key:secret@127.0.0.1:{server.server_port}/bucket", tmp_path, patience=patience)
    try:
        yield blobs
    finally:
        blobs.close()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("code", ["InvalidObjectState", "AccessDenied", "SomethingNew"])
def test_one_object_that_cannot_be_read_is_no_fault_of_the_store(code, tmp_path):
    with store_that_answers(403, code, tmp_path) as blobs:
        for ask in (lambda: blobs.get(KEY), lambda: list(blobs.open(KEY))):
            with pytest.raises(ItemRefused) as refused:
                ask()
            assert refused.value.exit_code == 7 and not isinstance(refused.value, EngineError)
        assert blobs.get("downloads/8") == b"fine"


@pytest.mark.parametrize("code", ["InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket"])
def test_a_store_that_refuses_us_altogether_is_an_engine_s_error(code, tmp_path):
    with store_that_answers(403, code, tmp_path) as blobs, pytest.raises(EngineError):
        blobs.get(KEY)


@pytest.mark.parametrize("read", [lambda blobs: list(blobs.list("downloads/*")), lambda blobs: blobs.versions(KEY)])
def test_a_store_that_forbids_listing_refuses_us(read, tmp_path):
    with store_that_answers(403, "AccessDenied", tmp_path) as blobs, pytest.raises(EngineError, match="does not allow"):
        read(blobs)


def test_a_store_without_room_for_the_moment_is_waited_for_and_then_told(tmp_path):
    with store_that_answers(503, "SlowDown", tmp_path) as blobs:
        for ask in (lambda: blobs.get(KEY), lambda: blobs.versions(KEY)):
            with pytest.raises(TearsheetError, match="SlowDown") as told:
                ask()
            assert isinstance(told.value, LostConnection)


BLOB = "<Contents><Key>a</Key><Size>1</Size><LastModified>2026-11-16T10:00:00Z</LastModified></Contents>"
LISTING = f"<ListBucketResult><IsTruncated>true</IsTruncated>{{token}}{BLOB}</ListBucketResult>"


def test_a_blob_that_is_not_described_is_told(tmp_path):
    listing = "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"
    with (
        store_that_answers(200, "", tmp_path, listing=listing) as blobs,
        pytest.raises(EngineError, match="lists a blob without its 'Size'"),
    ):
        list(blobs.list("*"))


@pytest.mark.parametrize("token", ["", "<NextContinuationToken>again</NextContinuationToken>"])
def test_a_store_whose_listing_never_goes_on_is_told(token, tmp_path):
    with store_that_answers(200, "", tmp_path, listing=LISTING.format(token=token)) as blobs:
        with pytest.raises(EngineError, match="does not say where its listing goes on"):
            list(blobs.list("*"))
        assert blobs.versions(KEY) == []


def test_entities_of_a_listing_do_not_fill_the_memory(tmp_path):
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 100}">' for n in range(10))
    bomb = f"<!DOCTYPE a [{entities}]><ListBucketResult><Contents><Key>&e9;</Key></Contents></ListBucketResult>"
    with store_that_answers(200, "", tmp_path, listing=bomb) as blobs, pytest.raises(TearsheetError):
        list(blobs.list("*"))
