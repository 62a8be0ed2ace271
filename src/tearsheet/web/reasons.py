"""Why a story is missing, in plain English: the reasons that queuers and stages count."""

from __future__ import annotations

import re

STATUS_TEXTS: dict[str, str] = {
    "done": "went on",
    "dropped": "dropped",
    "quarantined": "in quarantine",
    "retrying": "to be tried again",
    "recovered": "recovered",
}

STAGE_VERBS = {"fetcher": "fetched", "parser": "read", "importer": "indexed", "archiver": "archived"}

REASON_TEXTS: dict[str, str] = {
    "answer": "what was found in the page is larger than allowed",
    "bad-columns": "the input file lacks a column that is needed",
    "bad-date": "a date in the input file cannot be read",
    "bad-dlid": "the legacy number of the download cannot be read",
    "bad-gzip": "the stored page cannot be unpacked",
    "bad-host": "the address names no public host",
    "bad-row": "a row of the input file cannot be read",
    "bad-url": "the address cannot be read",
    "bad-xml": "a part of the input file is no XML",
    "badredir": "redirected to an address that cannot be fetched",
    "crash": "the page crashed the parser's process",
    "damaged": "a part of the archive file cannot be read",
    "dups": "another copy of the story was first",
    "empty": "the input file is empty",
    "epoch-err": "the stored page is of another time than the story",
    "erased": "the story was erased with `tearsheet erase`, and stays away",
    "error": "a stage failed unexpectedly",
    "feed": "the page is a feed or a sitemap, not an article",
    "homepage": "the page is a front page, not an article",
    "http-403": "the server refused us (403)",
    "http-404": "the page does not exist (404)",
    "http-429": "the server asked us to slow down (429), to the end",
    "incomplete": "the archive file could not be read whole",
    "maxredir": "too many redirects",
    "memory": "reading the page needed too much memory",
    "no-canonical-url": "the page does not give its own address",
    "no-data": "neither an address nor a text",
    "no-file": "the input file cannot be opened",
    "no-html": "the page is empty or no HTML",
    "no-metadata": "the page was archived without its metadata",
    "no-page": "the page could not be put into the page store",
    "no-response": "the record of the archive file is not a server's answer",
    "no-text": "no article was found in the page",
    "no-url": "no address is known",
    "noconn": "the server could not be reached",
    "non-news": "the site publishes no news",
    "non-news2": "redirected to a site that publishes no news",
    "not-found": "the stored page is not in the blob store",
    "not-text": "the answer is not text",
    "oversized": "the page is larger than allowed",
    "purged": "deleted from its queue by an operator",
    "redundant": "a feed that had not changed, not an article",
    "refresh": "the page only sends its reader on to another one",
    "robots": "robots.txt forbids it",
    "robots-error": "robots.txt could not be fetched",
    "skipped": "the server could not be reached lately",
    "spidered": "only the spider of a topic fetched the page; it is searched with `--topic`",
    "timeout": "the page took too long",
    "too-short": "the text is too short for an article",
    "truncated": "the input file is cut off",
    "unreadable": "the queued message or the input file cannot be read",
}
_HTTP_STATUS = re.compile(r"http-(\d)xx|http-(\d{3})")
_HTTP_KINDS = {"1": "informs only", "3": "redirects nowhere", "4": "refuses the request", "5": "had an error"}


def describe_reason(reason: str) -> str:
    """What a reason means; an unknown reason is shown as it is."""
    if reason in REASON_TEXTS:
        return REASON_TEXTS[reason]
    if found := _HTTP_STATUS.fullmatch(reason):
        code = found[1] or found[2]
        kind = _HTTP_KINDS.get(code[0], "gave a strange answer")
        return f"the server {kind} ({found[2] or found[1] + 'xx'})"
    return reason.replace("-", " ").replace("_", " ") or "no reason given"


def describe_status(status: str, stage: str = "") -> str:
    """What an outcome is called; for a known stage that is done, the stage's own verb."""
    if status == "done" and stage in STAGE_VERBS:
        return STAGE_VERBS[stage]
    return STATUS_TEXTS.get(status, status)
