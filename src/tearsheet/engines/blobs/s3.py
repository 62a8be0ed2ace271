"""Blobs in an S3-compatible store: SeaweedFS, AWS, Backblaze B2, MinIO.

Bytes go through obstore (parts in parallel, retries with growing pauses). Listings go through boto3: it lists versions, and it
takes a prefix that ends inside a name, as in `2026/1*`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tearsheet.engines.blobs.keys import check_key, split_pattern
from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.engines.server import (
    PATIENCE_SECONDS,
    LostConnection,
    ServerUrl,
    cannot_reach,
    load_client,
    parse_server_url,
    pauses,
)  # fmt: skip
from tearsheet.errors import ConfigError, EngineError, ItemRefused, NotFoundError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from obstore.store import S3Store

_PART = 8 << 20
_PIECE = 1 << 20
ANSWER_SECONDS = 600.0
"""Longest time for one request: a part of a large blob, over a slow line."""
_REFUSED = {
    "InvalidAccessKeyId": "does not know the access key",
    "SignatureDoesNotMatch": "refuses the secret",
    "AuthorizationHeaderMalformed": "expects another region (add ?region=NAME to the URL)",
    "PermanentRedirect": "keeps this bucket at another endpoint",
}

_FORBIDDEN = "does not allow this with our access key"
_PASSING = {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "XMinioServerNotInitialized", "Busy"}
_PASSING_STATUSES = {"429", "500", "502", "503", "504"}
"""Errors about the store and not about the object: it is overloaded, starting or stopping."""


def open_s3_blobs(url: str, *, patience: float = PATIENCE_SECONDS, setting: str = "engines.blobs") -> S3Blobs:
    """The blob store of `s3://KEY:SECRET@HOST[:PORT]/BUCKET[/FOLDER]`, with `?region=NAME` and `?tls=off` where needed.

    Without KEY and SECRET, credentials come from where AWS clients look for them. Connections to this machine are not encrypted.
    Characters such as `/` and `+` in the secret are written as %2F and %2B.
    """
    server = parse_server_url(url, setting, {"s3": 0})
    if not server.path.partition("/")[0]:
        raise ConfigError(f"{setting}: the URL should end in the name of a bucket: s3://KEY:SECRET@HOST:PORT/BUCKET")
    return S3Blobs(server, patience)


class S3Blobs:
    """One bucket. Each call waits up to `patience` seconds for a server that is down."""

    def __init__(self, server: ServerUrl, patience: float) -> None:
        self._server = server
        self._patience = patience
        self._bucket, _, folder = server.path.partition("/")
        self._folder = f"{folder.strip('/')}/" if folder.strip("/") else ""
        load_client("obstore", "s3", server.setting)
        load_client("boto3", "s3", server.setting)
        self._store = _obstore(server, patience)
        self._client = _boto(server)

    def make(self) -> None:
        """Nothing: a bucket is made by its owner, and the first request says if there is none."""

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        """Store bytes or a local file; large ones in parts, which become a blob only when all have arrived."""
        import obstore

        if isinstance(data, Path) and not data.is_file():
            raise NotFoundError(f"there is no file {data} to store as {key!r}")
        attributes: Any = {"Content-Type": content_type} if content_type else None
        with self._explained(check_key(key)):
            stored = obstore.put(self._store, key, data, attributes=attributes, chunk_size=_PART, max_concurrency=4)
        size = data.stat().st_size if isinstance(data, Path) else len(data)
        return BlobInfo(key, size, datetime.now(UTC), stored["version"], stored["e_tag"])

    def get(self, key: str, *, version: str | None = None) -> bytes:
        """The bytes of a blob, or of one version of it."""
        import obstore

        with self._explained(check_key(key), version, reading=True):
            return bytes(obstore.get(self._store, key, options=_options(version)).bytes())

    def open(self, key: str, *, version: str | None = None) -> Iterator[bytes]:
        """The bytes of a blob, piece by piece."""
        import obstore

        with self._explained(check_key(key), version, reading=True):
            stream = obstore.get(self._store, key, options=_options(version)).stream(min_chunk_size=_PIECE)
        return self._pieces(key, stream)

    def read(self, key: str, start: int, length: int) -> bytes:
        """A range of a blob's bytes, in one request."""
        import obstore

        with self._explained(check_key(key)):
            return bytes(obstore.get_range(self._store, key, start=start, length=length))

    def head(self, key: str) -> BlobInfo | None:
        """What is known about a blob, or None."""
        import obstore

        try:
            with self._explained(check_key(key)):
                meta = obstore.head(self._store, key)
        except NotFoundError:
            return None
        return BlobInfo(key, meta["size"], meta["last_modified"], meta["version"], meta["e_tag"])

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        """Blobs in order of key, page after page."""
        prefix, wildcard = split_pattern(pattern)
        if not wildcard:
            found = self.head(prefix)
            yield from [found] if found else []
            return
        start: dict[str, str] = {}
        while True:
            page = self._ask("list_objects_v2", Prefix=self._folder + prefix, **start)
            for item in page.get("Contents", []):
                yield self._listed(item)
            if not page.get("IsTruncated"):
                return
            start = self._next(start, {"ContinuationToken": page.get("NextContinuationToken")})

    def versions(self, key: str) -> Sequence[BlobInfo]:
        """Every stored version with its date, newest first; deletion markers do not count."""
        full = self._folder + check_key(key)
        found: list[BlobInfo] = []
        start: dict[str, str] = {}
        while True:
            page = self._ask("list_object_versions", Prefix=full, **start)
            found += [self._listed(item) for item in page.get("Versions", []) if item.get("Key") == full]
            # Keys that merely start with ours come after all of our own versions.
            if not page.get("IsTruncated") or page.get("NextKeyMarker") != full:
                break
            start = self._next(start, {"KeyMarker": full, "VersionIdMarker": page.get("NextVersionIdMarker")})
        # The store lists the versions of a key newest first; a stable sort keeps its order within one second.
        return sorted(found, key=lambda info: info.modified, reverse=True)

    def delete(self, key: str, *, version: str | None = None) -> None:
        """Remove a blob, or one version of it; a bucket with versions keeps the others."""
        # One by one: obstore deletes in bulk, and takes the answer for a refusal when the key is, of all things, `SlowDown`.
        try:
            of_version = {"VersionId": version} if version is not None else {}
            self._ask("delete_object", Key=self._folder + check_key(key), **of_version)
        except NotFoundError:
            return

    def file_of(self, key: str) -> Path | None:
        """None: a blob is not on this machine."""
        return None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _pieces(self, key: str, stream: Any) -> Iterator[bytes]:
        with self._explained(key, reading=True):
            for piece in stream:
                yield bytes(piece)

    def _listed(self, item: dict[str, Any]) -> BlobInfo:
        """A blob of a listing. Raises EngineError when it is not described as an S3 store does."""
        try:
            key = str(item["Key"]).removeprefix(self._folder)
            return BlobInfo(key, item["Size"], item["LastModified"], item.get("VersionId"), item.get("ETag"))
        except KeyError as error:
            raise EngineError(f"{self._at} lists a blob without its {error}; check that it is an S3 store") from error

    def _next(self, start: dict[str, str], after: dict[str, str | None]) -> dict[str, str]:
        """Where the next page of a listing begins. Raises EngineError for a store that would list for ever."""
        told = {name: value for name, value in after.items() if value}
        if len(told) < len(after) or told == start:
            raise EngineError(f"{self._at} does not say where its listing goes on; check that it is an S3 store")
        return told

    def _ask(self, operation: str, **arguments: str) -> dict[str, Any]:
        """One request, repeated with growing pauses while the store is down or busy."""
        tries = pauses(self._patience)
        while True:
            try:
                with self._explained(arguments.get("Key") or arguments["Prefix"]):
                    found: dict[str, Any] = getattr(self._client, operation)(Bucket=self._bucket, **arguments)
                    return found
            except LostConnection:
                pause = next(tries, None)
                if pause is None:
                    raise
                time.sleep(pause)

    @contextmanager
    def _explained(self, key: str, version: str | None = None, *, reading: bool = False) -> Iterator[None]:
        """Turn the clients' errors into one line that says what to do. A refused read may concern only the one object."""
        from botocore.exceptions import BotoCoreError, ClientError
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, FileNotFoundError, ClientError, BotoCoreError) as error:
            if reading and _code_of(error) == "AccessDenied":
                raise ItemRefused(f"{self._at} {_FORBIDDEN}; check this setting") from error
            raise self._explain(error, key, version) from error
        except RecursionError as error:  # how boto3 ends when it asks a store that redirects where its bucket is
            raise EngineError(f"{self._at} redirects us; check this setting") from error

    @property
    def _at(self) -> str:
        return f"{self._server.setting}: the store at {self._server.address}"

    def _explain(self, error: Exception, key: str, version: str | None) -> NotFoundError | ItemRefused | EngineError:
        code = _code_of(error)
        if code == "NoSuchBucket":
            return EngineError(
                f"{self._server.setting}: there is no bucket {self._bucket!r} at {self._server.address}; create it first"
            )
        if code in _REFUSED or code == "AccessDenied":
            return EngineError(f"{self._at} {_REFUSED.get(code, _FORBIDDEN)}; check this setting")
        if version is not None and (
            isinstance(error, FileNotFoundError) or code in ("NoSuchVersion", "InvalidArgument")
        ):
            return NotFoundError(f"blob {key!r} has no version {version!r}")
        if isinstance(error, FileNotFoundError) or code == "NoSuchKey":
            return NotFoundError(f"there is no blob {key!r}")
        if code:
            passing = code in _PASSING or code in _PASSING_STATUSES
            kind = LostConnection if passing else ItemRefused
            return kind(f"{self._at} answers {code} to {key!r}; try again later")
        return cannot_reach(self._server, "blob store")


def _options(version: str | None) -> Any:
    return {"version": version} if version is not None else None


def _code_of(error: Exception) -> str:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return str(response.get("Error", {}).get("Code", ""))
    found = re.search(r"<Code>(\w+)</Code>", str(error)) or re.search(r"status code: (\d{3})", str(error))
    # A HEAD has no body to name the code in; 403 means what it says.
    return {"403": "AccessDenied", "404": ""}.get(found[1], found[1]) if found else ""


def _endpoint(server: ServerUrl) -> str:
    encrypted = server.options.get("tls", "off" if server.on_loopback else "on") != "off"
    port = f":{server.port}" if server.port else ""
    return f"{'https' if encrypted else 'http'}://{server.host_in_url}{port}"


def _obstore(server: ServerUrl, patience: float) -> S3Store:
    from obstore.store import S3Store

    credentials: Any = {}
    if server.user:
        credentials = {"access_key_id": server.user, "secret_access_key": server.password}
    return S3Store(
        server.path.partition("/")[0],
        prefix=server.path.partition("/")[2].strip("/") or None,
        endpoint=_endpoint(server),
        region=server.options.get("region", "us-east-1"),
        virtual_hosted_style_request=False,
        client_options={"allow_http": True, "connect_timeout": timedelta(seconds=10), "timeout": timedelta(seconds=ANSWER_SECONDS)},
        retry_config={
            "max_retries": 1000,
            "retry_timeout": timedelta(seconds=patience),
            "backoff": {
                "init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2
            },
        },
        **credentials,
    )  # fmt: skip


def _boto(server: ServerUrl) -> S3Client:
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=_endpoint(server),
        region_name=server.options.get("region", "us-east-1"),
        aws_access_key_id=server.user or None,
        aws_secret_access_key=server.password or None,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "path"},
            connect_timeout=10,
            read_timeout=min(60.0, ANSWER_SECONDS),
            retries={"total_max_attempts": 1},  # we try again ourselves, for as long as the settings say
        ),
    )
