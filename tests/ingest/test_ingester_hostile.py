"""Pages that mean harm, or are merely broken, give a status each, and the work goes on."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from tearsheet.fetch import PoliteClient
from tearsheet.ingest import Ingester, IngestLimits, request_for
from tearsheet.ingest.fetching import Visitor
from tearsheet.work import ThreadReader
from tests.support.ingest_checks import check
from tests.support.ingest_site import Answer, Site, prose

HTML = ("Content-Type: text/html; charset=utf-8",)
LARGE = 10_000_000


def hostile(number: int) -> Answer:
    """One page, always the same for its number."""
    rng = random.Random(number)
    kind = KINDS[number % len(KINDS)]
    return kind(rng, number)


def broken_charset(rng: random.Random, number: int) -> Answer:
    label = rng.choice(["utf-8", "utf-16", "x-user-defined", "base64", "shift_jis", "\xff", "idna", "zlib"])
    body = rng.randbytes(3000) + prose(1300).encode(rng.choice(["utf-16", "latin-1"])) + rng.randbytes(3000)
    return Answer(b"<html>" + body, headers=(f"Content-Type: text/html; charset={label}",))


def many_metas(rng: random.Random, number: int) -> Answer:
    size = LARGE if number < 2 * len(KINDS) else 100_000
    one = b"<meta name=citation_author content='%d'><meta name=citation_reference content='x'>" % number
    return Answer(b"<html><head>" + one * (size // len(one)) + prose(1300).encode(), headers=HTML)


def nested_frames(rng: random.Random, number: int) -> Answer:
    depth = rng.choice([10, 1_000, 20_000])
    return Answer(
        b"<iframe src='/h/%d'>" % number + b"<div><iframe src='/h/1'>" * depth + prose(1300).encode(), headers=HTML
    )


def cyclic_refresh(rng: random.Random, number: int) -> Answer:
    target = rng.choice(
        [f"/h/{number}", f"/h/{number + len(KINDS)}", f"//h{number}.example/h/{number}", "javascript:1", "http://["]
    )
    return Answer(f"<meta http-equiv=refresh content='0;url={target}'>{prose(100)}".encode(), headers=HTML)


def this_machine(rng: random.Random, number: int) -> Answer:
    place = rng.choice(
        [
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/",
            "http://[::1]:22/",
            "http://0x7f.1/",
            "file:///etc/passwd",
        ]
    )
    if rng.random() < 0.5:
        return Answer(b"", "302 Found", (f"Location: {place}",))
    body = f"<base href='{place}'><link rel=stylesheet href=s.css><img src=i.png><iframe src='{place}'></iframe>{prose(1300)}"
    return Answer(body.encode(), headers=HTML)


def broken_json_ld(rng: random.Random, number: int) -> Answer:
    nasty = rng.choice(
        [
            "[" * 50_000,
            '{"@type":"Article","author":' + '[{"name":' * 500,
            '{"@type":["Article",1,null],"headline":{"@value":[1]}}',
        ]
    )
    return Answer(f"<script type='application/ld+json'>{nasty}</script>{prose(1300)}".encode(), headers=HTML)


def odd_metadata(rng: random.Random, number: int) -> Answer:
    value = rng.choice(["&#0;&#xD800;\x01]]>", "9" * 4000, "10." * 3000, "2020-" * 2000, "\U0010ffff", "<![CDATA["])
    names = (
        "citation_title",
        "citation_doi",
        "citation_date",
        "citation_isbn",
        "citation_issn",
        "dc.language",
        "citation_pdf_url",
    )
    return Answer(
        ("".join(f"<meta name={name} content='{value}'>" for name in names) + prose(1300)).encode(), headers=HTML
    )


def wrong_bytes(rng: random.Random, number: int) -> Answer:
    start = rng.choice(
        [b"%PDF-1.4", b"\x1f\x8b\x08", b"\x89PNG", b"", b"\x00" * 500, b"<?xml version='1.0'?><article>"]
    )
    return Answer(start + rng.randbytes(rng.choice([0, 5000])), headers=HTML)


def lying_headers(rng: random.Random, number: int) -> Answer:
    header = rng.choice(
        ["Content-Encoding: gzip", "Content-Encoding: br", "Content-Encoding: zstd", "Location: /", "Content-Type: ;;="]
    )
    return Answer(
        prose(1300).encode(), rng.choice(["200 OK", "204 No", "301 Moved", "999 What", "503 Busy"]), (*HTML, header)
    )


def deep_tags(rng: random.Random, number: int) -> Answer:
    tag = rng.choice(["<div>", "<b>", "<table><tr><td>", "<svg>", "<p><ul><li>", "<template>", "<select><option>"])
    return Answer((prose(1300) + tag * 20_000).encode(), headers=HTML)


KINDS = (
    broken_charset, many_metas, nested_frames, cyclic_refresh, this_machine, broken_json_ld, odd_metadata, wrong_bytes,
    lying_headers, deep_tags,
)  # fmt: skip


@pytest.mark.parametrize(
    "count", [60, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])], ids=["some", "a thousand"]
)
def test_every_hostile_page_gets_a_status(count):
    site = Site(
        otherwise=lambda path: hostile(int(path[3:])) if path.startswith("/h/") and path[3:].isdigit() else None
    )

    async def run() -> Counter[str]:
        statuses: Counter[str] = Counter()
        places = asyncio.Semaphore(4)
        async with site.serving(), PoliteClient(site.settings(obey_robots=False, max_bytes=20_000_000)) as client:
            ingester = Ingester(Visitor(client), ThreadReader(), IngestLimits(seconds=60, resource_seconds=5))

            async def one(number: int) -> None:
                async with places:
                    result = check(await ingester.ingest(request_for(f"http://h{number}.example/h/{number}")))
                    statuses[result.status] += 1

            await asyncio.gather(*map(one, range(count)))
        return statuses

    statuses = asyncio.run(run())
    assert sum(statuses.values()) == count
    assert statuses["internal-error"] == 0, statuses
    assert statuses["success"] > count // 4 and statuses["skip-url-blocklist"] > 0 and len(statuses) > 5, statuses
