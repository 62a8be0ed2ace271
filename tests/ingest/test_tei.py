"""Any page becomes a TEI file that others can read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.extract import Document
from tearsheet.ingest.biblio import html_biblio
from tearsheet.ingest.hops import next_hop
from tearsheet.ingest.resources import page_references
from tearsheet.ingest.tei import html_body, tei_xml
from tests.support.ingest_checks import check_tei

MARKUP = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            "<meta name=citation_date content='20|<meta property=og:title content=x>|<base href=//|<img srcset='a 1x,|"
            "<style>@import|"
            "url(|<iframe src=|<meta http-equiv=refresh content='0;url=|<script type=application/ld+json>{|</script>|<p>|</p>|'>|"
            "<h1>|<li>|\x00|\ud800|<td background=|<link rel=stylesheet href=|&#0;|]]>|<!--|--!>".split("|")
        ),
    ),
    max_size=40,
).map("".join)


@settings(max_examples=150)
@given(MARKUP)
def test_any_page_can_be_looked_at_and_written_as_tei(markup):
    document = Document(markup, "http://a.example/x/y")
    biblio = html_biblio(document)
    html_body(document, biblio)
    check_tei(tei_xml(document, biblio))
    for reference in page_references(document):
        assert reference.url.startswith(("http://", "https://"))
    next_hop(document, biblio.html_fulltext_url, ["http://a.example/x/y"])
