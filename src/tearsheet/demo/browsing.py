"""Lets people browse the newsroom: every site is at `/~host/` of the server's own address."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from html import escape

from tearsheet.demo.model import Reply, html_reply
from tearsheet.demo.newsroom import Newsroom

_ABSOLUTE = re.compile(rb'((?:href|src)=")http://([a-z0-9.-]+)(?::80)?(/[^"]*|)(")', re.I)
_ROOTED = re.compile(rb'((?:href|src)=")(/(?![/~])[^"]*")', re.I)


def split_view(target: str) -> tuple[str, str] | None:
    """`/~name.example/path` as host and target; None when the target is not of this form."""
    if not target.startswith("/~"):
        return None
    host, slash, rest = target[2:].partition("/")
    return host.lower(), slash + rest or "/"


def for_viewing(reply: Reply, host: str, hosts: Collection[str]) -> Reply:
    """The reply with its links rewritten, so that a browser stays inside the newsroom."""
    location = reply.header("location")
    if location is not None:
        return replace(
            reply, headers=(("Location", _view_address(location, host, hosts)), ("Content-Type", "text/html"))
        )
    if not (reply.header("content-type") or "").startswith("text/html") or reply.header("content-encoding"):
        return reply
    prefix = f"/~{host}".encode()

    def absolute(found: re.Match[bytes]) -> bytes:
        if found[2].decode().lower() not in hosts:
            return found[0]
        return found[1] + b"/~" + found[2] + (found[3] or b"/") + found[4]

    return replace(reply, body=_ROOTED.sub(rb"\1" + prefix + rb"\2", _ABSOLUTE.sub(absolute, reply.body)))


def _view_address(location: str, host: str, hosts: Collection[str]) -> str:
    if location.startswith("/"):
        return f"/~{host}{location}"
    name, slash, rest = location.removeprefix("http://").partition("/")
    return f"/~{name}{slash}{rest}" if name in hosts else location


def directory_page(newsroom: Newsroom) -> Reply:
    """The list of all sites and feeds, for people."""
    rows = "".join(
        f'<tr><td><a href="/~{site.host}/">{escape(site.name)}</a></td><td>{site.host}</td><td>{", ".join(site.languages)}</td>'
        f"<td>{_feed_links(newsroom, site.host)}</td></tr>"
        for site in newsroom.sites
    )
    return html_reply(
        (
            "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Demo newsroom</title>"
            "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:3em auto;padding:0 1em}"
            "table{border-collapse:collapse;width:100%}td,th{text-align:start;"
            "padding:.45em .7em;border-bottom:1px solid #ddd}</style></head><body><h1>Demo newsroom</h1>"
            f"<p>{len(newsroom.sites)} invented papers, {len(newsroom.articles)} invented articles, seed {newsroom.seed}.</p>"
            f"<table><tr><th>Paper<th>Host<th>Languages<th>Feeds</tr>{rows}</table></body></html>"
        ).encode()
    )


def _feed_links(newsroom: Newsroom, host: str) -> str:
    return ", ".join(
        f'<a href="/~{feed.url.removeprefix("http://")}">{feed.format}</a>'
        for feed in newsroom.feeds
        if feed.site.host == host
    )
