"""Whose account on a publishing platform an address belongs to, as far as the address alone says."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

from tearsheet.lexicon import (
    BY_PATH,
    BY_SUBDOMAIN,
    FEDIVERSE_HOSTS,
    FEDIVERSE_PAGE,
    FEDIVERSE_POST,
    OWN_SUBDOMAINS,
    SAME_PLATFORM,
)

_LONGEST_PATH = 500
"""How much of a path is looked at: names of accounts stand at its start."""
_LONGEST_NAME = 100
_PREFIXES = ("www.", "m.", "mobile.", "amp.")
_POST, _PAGE = re.compile(FEDIVERSE_POST), re.compile(FEDIVERSE_PAGE)
_BLOGSPOT = re.compile(r"(?:.*\.)?([a-z0-9-]+)\.blogspot\.(?:com|[a-z]{2}|com?\.[a-z]{2})")


def account_of(host: str, path: str, query: str, domain: str) -> str | None:
    """The source that an account is: `name.substack.com`, `medium.com/@name`; None where the address names none.

    `host` is in lower case, and `domain` what is registered of it. Names are in lower case, as platforms take them.
    """
    bare = _bare(host)
    if name := _by_path(SAME_PLATFORM.get(bare, bare), path, query):
        return name
    if blog := _BLOGSPOT.fullmatch(bare):  # a blog has the same name under the domain of each country
        return None if blog[1] in OWN_SUBDOMAINS else f"{blog[1]}.blogspot.com"
    if domain in BY_SUBDOMAIN and bare != domain:
        label = bare.removesuffix(f".{domain}").rpartition(".")[2]
        return None if label in OWN_SUBDOMAINS or label == "www" else f"{label}.{domain}"
    return _fediverse(bare, path) if "/@" in path or "/users/" in path else None


def name_in_addresses(source: str) -> str:
    """What every address of a source contains, in lower case, however its platform writes it: the account, or the domain."""
    name = source.rpartition("/")[2].removeprefix("@")
    if "/" not in source and source.partition(".")[2] in BY_SUBDOMAIN:
        return source.partition(".")[0]
    return name


def _bare(host: str) -> str:
    """A host without what says for which device it is."""
    for prefix in _PREFIXES:
        if host.startswith(prefix) and host.count(".") > 1:
            return host.removeprefix(prefix)
    return host


def _by_path(host: str, path: str, query: str) -> str | None:
    if host not in BY_PATH:
        return None
    start = _start(path)
    for pattern, name in _patterns(host):
        found = pattern.match(start) or (pattern.match(f"{start}?{query[:_LONGEST_PATH].lower()}") if query else None)
        if found and len(found[1]) <= _LONGEST_NAME:
            return name.format(found[1])
    return None


@cache
def _patterns(host: str) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), name) for pattern, name in BY_PATH[host]]


def _start(path: str) -> str:
    return unquote(path[:_LONGEST_PATH]).lower().strip("/")


def _fediverse(host: str, path: str) -> str | None:
    """An account on a server of the fediverse. What one server shows of an account on another is the other's."""
    start = _start(path)
    is_known = host in FEDIVERSE_HOSTS or host.startswith(("mastodon", "mstdn"))
    found = _PAGE.match(start) if is_known else _POST.match(start)
    if found is None:
        return None
    name, server = found[1] or found[3], found[2] or host
    return f"{server}/@{name}" if len(name) <= _LONGEST_NAME and len(server) <= _LONGEST_NAME else None
