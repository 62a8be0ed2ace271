"""Names of topics, groups and objects, as readers of the Internet Archive's ingest know them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from tearsheet.errors import UsageError
from tearsheet.ingest.file_facts import is_sha1


@dataclass(slots=True, frozen=True)
class Names:
    """The names of one environment (`prod`, `qa`, `dev`)."""

    environment: str = "prod"

    def _topic(self, name: str) -> str:
        return f"sandcrawler-{self.environment}.{name}"

    @property
    def requests(self) -> str:
        """Topic of requests."""
        return self._topic("ingest-file-requests-daily")

    @property
    def results(self) -> str:
        """Topic of results, keyed by the type and address of their request."""
        return self._topic("ingest-file-results")

    @property
    def teixml(self) -> str:
        """Topic of texts, keyed by the SHA-1 of their document."""
        return self._topic("html-teixml")

    def group(self, worker: str) -> str:
        """The consumer group of the workers of this name."""
        known = {
            "ingest": "ingest-file",
            "persist-result": "persist-ingest",
            "persist-html-text": "persist-html-teixml",
        }
        return f"sandcrawler-{self.environment}-{known[worker]}"


def tei_key(sha1hex: str) -> str:
    """The key of a text in the blob store: `html/aa/bb/SHA1.tei.xml`. Raises UsageError if it is not a SHA-1."""
    if not is_sha1(sha1hex):
        raise UsageError(f"{sha1hex[:50]!r} is no SHA-1")
    return f"html/{sha1hex[:2]}/{sha1hex[2:4]}/{sha1hex}.tei.xml"


def bucket_url(blobs: str, bucket: str) -> str:
    """The store of the ingest: the bucket of that name on the server of `engines.blobs`, or a folder in its folder."""
    if not bucket:
        return blobs
    if blobs.startswith("s3://"):
        return urlsplit(blobs)._replace(path=f"/{bucket}").geturl()
    return f"{blobs.rstrip('/')}/{bucket}"
