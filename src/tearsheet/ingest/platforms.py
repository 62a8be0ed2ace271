"""Which publishing system made a page, by the traces it leaves."""

from __future__ import annotations

from tearsheet.extract import Document

_GENERATORS = (
    ("open journal systems 3", "ojs3"),
    ("open journal systems", "ojs"),
    ("plone", "plone"),
    ("wordpress", "wordpress"),
    ("blogger", "blogger"),
    ("drupal", "drupal"),
    ("joomla", "joomla"),
    ("ghost", "ghost"),
    ("hugo", "hugo"),
    ("dspace", "dspace"),
    ("eprints", "eprints"),
    ("typo3", "typo3"),
    ("mediawiki", "mediawiki"),
)
"""Phrases in `meta generator`."""
_MARKS = (
    ('id="pkp-common-openJournalSystems"', "ojs"),
    ("powered by PKP OJS", "ojs"),
    ("/plugins/generic/pdfJsViewer", "ojs"),
    ("assets.pubpub.org", "pubpub"),
    ("ARPHA Preprints", "arpha"),
    ("/arpha/", "arpha"),
    ("galenos.com.tr", "galenos"),
    ("journalssystem.com", "journalssystem.com"),
    ("indexcopernicus.com", "indexcopernicus"),
)
"""Phrases in the page itself, the most telling first; searched for near its start and end."""
_EDGE = 200_000


def platform_of(document: Document, text: str) -> str | None:
    """The system's name, or None. `text` is the page as it was received."""
    developed = document.tree.css_first("a#developedBy")
    generator = document.head.first("generator") or (developed.text() if developed is not None else "")
    for word, name in _GENERATORS:
        if word in generator.lower():
            return name
    edges = text[:_EDGE] + text[-_EDGE:]
    for mark, name in _MARKS:
        if mark in edges:
            return name
    return "scielo" if "scielo" in document.url.lower() else None
