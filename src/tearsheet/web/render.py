"""Templates and the functions they may call. Everything is escaped, except markup that our own functions made."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from tearsheet import __version__
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.lexicon import language_name
from tearsheet.urls import BadURL, split_http_url
from tearsheet.web import charts
from tearsheet.web.reasons import describe_reason, describe_status
from tearsheet.web.site import site_of
from tearsheet.web.stories import DATE_SOURCE_WORDS

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})?", re.IGNORECASE)
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@cache
def environment() -> Environment:
    """The templates of this package."""
    made = Environment(
        loader=PackageLoader("tearsheet.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "version": __version__,
        "bar_chart": charts.bar_chart,
        "share_bar": charts.share_bar,
    }
    made.filters |= {
        "number": number,
        "counted": how_many,
        "size": size,
        "when": when,
        "day": charts.format_day,
        "web_address": web_address,
        "language_code": language_code,
        "language_name": language_name,
        "reason": describe_reason,
        "status": describe_status,
        "date_source": lambda source: DATE_SOURCE_WORDS.get(source, source),
        "paragraphs": paragraphs,
        "sentence": sentence,
        "code_spans": code_spans,
    }
    return made


def page(request: Request, template: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
    """A page for people."""
    site = site_of(request)
    html = environment().get_template(template).render(path=request.scope["path"], now=utc_now(site.clock), **values)
    return HTMLResponse(html, status_code)


def number(value: float) -> str:
    """`12,345`."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def size(count: int) -> str:
    """Bytes for people: `12.3 MB`."""
    amount = float(count)
    for unit in _UNITS:
        if amount < 1000 or unit == _UNITS[-1]:
            return f"{count:,} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("the last unit takes everything")


def when(moment: datetime) -> Markup:
    """A time for people and for programs."""
    words = f"{moment.day} {moment:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(timespec="seconds"), words)


def web_address(url: str) -> str:
    """An address that is safe in a link: http and https only, so that no page can smuggle in a script."""
    try:
        split_http_url(url)
    except BadURL:
        return ""
    return url


def language_code(code: str) -> str:
    """A code that is valid in a `lang` attribute; empty if the language is not known."""
    return code if _LANGUAGE.fullmatch(code) else ""


def sentence(text: str) -> str:
    """Text with a capital at the start and a full stop at the end."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def code_spans(text: str) -> Markup:
    """Text in which passages between backticks are code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part) for position, part in enumerate(parts)
    )


def paragraphs(text: str) -> Markup:
    """Text with its line breaks as paragraphs."""
    lines = (line.strip() for line in text.splitlines())
    return Markup("\n").join(Markup("<p>{}</p>").format(escape(line)) for line in lines if line)
