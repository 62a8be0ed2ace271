"""The names under which pages describe their work, the most trusted first. Data, kept apart from the code."""

from __future__ import annotations


def _with_bepress(*names: str) -> tuple[str, ...]:
    """Each `citation_` name is followed by Bepress's own form of it."""
    found: list[str] = []
    for name in names:
        found.append(name)
        if name.startswith("citation_"):
            found.append("bepress_" + name)
    return tuple(found)


META: dict[str, tuple[str, ...]] = {
    "title": _with_bepress(
        "citation_title", "eprints.title", "prism.title", "dcterms.title", "dc.title", "og:title", "twitter:title"
    ),
    "subtitle": ("prism.subtitle",),
    "doi": _with_bepress("citation_doi", "doi", "prism.doi", "dc.identifier.doi", "dc.identifier;doi"),
    "pmid": ("citation_pmid",),
    "pmcid": ("citation_pmcid",),
    "abstract": _with_bepress(
        "citation_abstract", "eprints.abstract", "dcterms.abstract", "prism.teaser", "dc.description", "og:description"
    ),
    "container_name": _with_bepress(
        "citation_journal_title", "citation_conference_title", "citation_inbook_title", "prism.publicationname",
        "eprints.publication", "dc.relation.ispartof", "dc.source", "og:site_name",
    ),
    "container_abbrev": ("citation_journal_abbrev",),
    "container_issn": _with_bepress("citation_issn", "prism.issn", "prism.eissn", "eprints.issn", "dc.source.issn"),
    "isbn": _with_bepress("citation_isbn", "prism.isbn", "eprints.isbn", "book:isbn"),
    "date": _with_bepress(
        "citation_publication_date", "prism.publicationdate", "citation_date", "citation_online_date", "citation_year",
        "datepublished", "article:published_time", "article:published", "eprints.date", "eprints.datestamp",
        "dc.date.issued", "dc.issued", "dcterms.issued", "dc.date.created", "dcterms.created", "dcterms.date", "dc.date",
        "prism.copyrightyear", "prism:copyrightyear",
    ),
    "first_page": _with_bepress("citation_firstpage", "prism.startingpage", "dc.citation.spage"),
    "last_page": _with_bepress("citation_lastpage", "prism.endingpage", "dc.citation.epage"),
    "pages": ("eprints.pagerange", "prism.pagerange"),
    "issue": _with_bepress("citation_issue", "prism.issueidentifier", "dc.citation.issue", "eprints.number"),
    "volume": _with_bepress("citation_volume", "prism.volume", "dc.citation.volume", "eprints.volume"),
    "number": _with_bepress("citation_technical_report_number", "citation_number", "prism.number"),
    "publisher": _with_bepress(
        "citation_publisher", "eprints.publisher", "citation_technical_report_institution",
        "citation_dissertation_institution", "dcterms.publisher", "dc.publisher",
    ),
    "type": _with_bepress("citation_article_type", "prism.contenttype", "eprints.type", "dc.type"),
    "lang": _with_bepress("citation_language", "dcterms.language", "dc.language", "og:locale"),
    "license": ("citation_license", "dcterms.license", "dc.rights.uri", "dcterms.rights", "dc.rights", "prism.copyright"),
    "pdf": _with_bepress("citation_pdf_url", "eprints.document_url", "fulltext_pdf", "wkhealth_pdf_url"),
    "html": _with_bepress("citation_fulltext_html_url", "fulltext_html"),
    "xml": _with_bepress("citation_xml_url", "fulltext_xml"),
}  # fmt: skip
"""The names of `meta` elements, in lower case, by the field they fill. `name;scheme` is a name with that scheme."""

CONTRIBUTORS = _with_bepress(
    "citation_author", "citation_authors", "eprints.creators_name", "dcterms.creator", "article:author", "dc.creator",
    "dc.contributor", "author",
)  # fmt: skip
REFERENCES = ("citation_reference", "dcterms.references", "dc.relation.references")
IDENTIFIERS = ("eprints.id_number", "dcterms.identifier", "dc.identifier", "prism.url")

RELEASE_TYPES = {
    "research article": "article-journal",
    "research-article": "article-journal",
    "original research": "article-journal",
    "text.serial.journal": "article-journal",
    "article": "article-journal",
    "journal article": "article-journal",
    "journalarticle": "article-journal",
    "review article": "review-article",
    "review": "review-article",
    "editorial": "editorial",
    "letter": "letter",
    "thesis": "thesis",
    "dissertation": "thesis",
    "book": "book",
    "book chapter": "chapter",
    "conference_item": "paper-conference",
    "conference paper": "paper-conference",
    "dataset": "dataset",
    "report": "report",
    "technical report": "report",
    "preprint": "article",
    "blogposting": "post-weblog",
    "newsarticle": "article-newspaper",
    "scholarlyarticle": "article-journal",
    "techarticle": "article",
}
"""What pages call a kind of work, in lower case, and what catalogues call it."""
