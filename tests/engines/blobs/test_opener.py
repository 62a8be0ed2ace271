"""What a blob URL means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.engines.blobs.opener import blob_place, open_blobs
from tearsheet.errors import ConfigError, UsageError

S3 = "s3://key:secret@store.example:9000/main?region=x"


@pytest.mark.parametrize(
    ("url", "default", "store", "pattern", "shown"),
    [
        ("s3://bucket/a/b*", S3, "s3://key:secret@store.example:9000/bucket?region=x", "a/b*", "s3://bucket/a"),
        ("s3://k:s@h:1/bucket/a?tls=off", S3, "s3://k:s@h:1/bucket?tls=off", "a", "s3://bucket/a"),
        ("s3://bucket/a", "blobs", "s3://s3.amazonaws.com/bucket", "a", "s3://bucket/a"),
        ("blob:a/b", S3, S3, "a/b", "s3://main/a"),
        ("blob:a/b", "blobs", "blobs", "a/b", "blob:a"),
    ],
)
def test_where_a_blob_url_points_and_that_it_shows_no_secret(url, default, store, pattern, shown):
    place = blob_place(url, default)
    assert place is not None
    assert (place.store, place.pattern, place.name("a")) == (store, pattern, shown)


def test_what_is_no_blob_url():
    assert blob_place("/tmp/a.csv", S3) is None
    with pytest.raises(UsageError, match="names no blob") as caught:
        blob_place("s3://key:secret@host/bucket", S3)
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigError, match="unknown engine"):
        open_blobs("ftp://x/y", Path())
