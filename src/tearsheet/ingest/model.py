"""What an ingest returns: `IngestWebResult` and its parts, their JSON form, and the schema of that form."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Sha1 = Annotated[str, Meta(pattern="^[0-9a-f]{40}$")]
Sha1Base32 = Annotated[str, Meta(pattern="^[A-Z2-7]{32}$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Md5 = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Time14 = Annotated[str, Meta(pattern="^[0-9]{14}$", description="UTC, YYYYMMDDhhmmss")]
Day = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Count = Annotated[int, Meta(ge=0)]
MAX_ERROR = 1600
"""How many characters of an error message are kept."""


@dataclass(slots=True)
class Terminal:
    """Where the hops ended. What was never received is missing."""

    terminal_url: str
    terminal_dt: Time14 | None = None
    terminal_status_code: int | None = None
    terminal_sha1hex: Sha1 | None = None


@dataclass(slots=True)
class CdxRow:
    """The primary document as a web archive's index knows it; the last three when it is archived."""

    surt: str
    datetime: Time14
    url: str
    mimetype: str
    status_code: int
    sha1b32: Sha1Base32
    sha1hex: Sha1
    warc_csize: Count | None = None
    warc_offset: Count | None = None
    warc_path: str | None = None


@dataclass(slots=True)
class FileMeta:
    """The primary document as a file: the decoded body."""

    size_bytes: Count
    md5hex: Md5
    sha1hex: Sha1
    sha256hex: Sha256
    mimetype: str


@dataclass(slots=True)
class Biblio:
    """What the page says about the work that it is. Nothing is guessed: a year alone stays a year."""

    title: str | None = None
    subtitle: str | None = None
    contrib_names: list[str] | None = None
    release_date: Day | None = None
    release_year: int | None = None
    release_type: str | None = None
    lang: str | None = None
    volume: str | None = None
    issue: str | None = None
    number: str | None = None
    pages: str | None = None
    first_page: str | None = None
    last_page: str | None = None
    license: str | None = None
    publisher: str | None = None
    container_name: str | None = None
    container_abbrev: str | None = None
    container_issn: str | None = None
    raw_references: list[str] | None = None
    doi: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    isbn13: str | None = None
    isbn: str | None = None
    abstract: str | None = None
    pdf_fulltext_url: str | None = None
    html_fulltext_url: str | None = None
    xml_fulltext_url: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the page says nothing."""
        return all(getattr(self, item.name) is None for item in fields(self))


@dataclass(slots=True)
class WebResource:
    """A sub-resource, and what became of it. Hashes are there when it was fetched."""

    url: str
    """As the page names it, made absolute."""
    status: str
    """`success`, or why not."""
    resource_type: str
    terminal_url: str | None = None
    surt: str | None = None
    timestamp: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")] | None = None
    sha1hex: Sha1 | None = None
    sha256hex: Sha256 | None = None
    mimetype: str | None = None
    status_code: int | None = None
    size: Count | None = None


@dataclass(slots=True)
class HtmlBody:
    """The text. `tei_xml` travels by its own topic and is left out of a result as JSON."""

    status: str
    agent: str
    word_count: Count | None = None
    tei_xml: str | None = None
    error_msg: str | None = None


@dataclass(slots=True)
class IngestWebResult:
    """One web document, captured whole, for a catalogue to import."""

    status: str
    hit: bool
    request: dict[str, Any] | None = None
    error_message: str | None = None
    hops: list[str] = field(default_factory=list)
    """Every address that was visited on the way, redirects included; the last one is the terminal document's."""
    terminal: Terminal | None = None
    cdx: CdxRow | None = None
    file_meta: FileMeta | None = None
    html_biblio: Biblio | None = None
    scope: str | None = None
    platform: str | None = None
    html_body: HtmlBody | None = None
    html_resources: list[WebResource] | None = None
    unchanged: bool | None = None
    """True if the same bytes were ingested before: what is said about their resources dates from then."""


def result_json(result: IngestWebResult) -> dict[str, Any]:
    """A result as JSON, without unknown values and without the TEI."""
    if result.html_body is not None:
        result = replace(result, html_body=replace(result.html_body, tei_xml=None))
    made: dict[str, Any] = plain(result)
    return made


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries without the values that are None; the keys of other mappings are all kept."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((item.name, getattr(value, item.name)) for item in fields(value))
        return {name: plain(item) for name, item in pairs if item is not None}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def read_result(value: object) -> IngestWebResult:
    """A result from its JSON form. Raises ValueError if it is not one."""
    try:
        return msgspec.convert(value, IngestWebResult)
    except msgspec.ValidationError as error:
        raise ValueError(f"not an ingest result: {error}") from error


def result_schema() -> dict[str, Any]:
    """The JSON schema of `result_json`, as published in the reference."""
    schema = msgspec.json.schema(IngestWebResult)
    for part in schema["$defs"].values():
        part["additionalProperties"] = False
    schema["$defs"]["HtmlBody"]["properties"].pop("tei_xml")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "IngestWebResult", **schema}
