"""Pages in the shape of the five that the seed names come out as the seed wants."""

from __future__ import annotations

import base64
import hashlib

from tests.support.ingest_checks import check
from tests.support.ingest_site import PNG, Site, prose


def test_an_article_with_scripts_and_figures():
    site = Site()
    site.page(
        "/2020/optimization/",
        f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Choosing Where to Look</title>
        <meta name="citation_title" content="Choosing Where to Look"><meta name="citation_author" content="Asha, Ngo">
        <meta name="citation_author" content="Berg, Lea"><meta name="citation_publication_date" content="2020/05/05">
        <meta name="citation_journal_title" content="Clear Papers"><meta name="citation_issn" content="2476-0757">
        <meta name="citation_doi" content="10.5555/clear.00026">
        <meta name="citation_fulltext_html_url" content="http://papers.example/2020/optimization/">
        <meta name="citation_reference" content="citation_title=A;citation_author=B">
        <meta name="citation_reference" content="citation_title=C">
        <link rel="stylesheet" href="style.css"><script src="/lib/template.v2.js"></script>
        <script src="https://www.google-analytics.com/analytics.js"></script></head>
        <body><h1>Choosing Where to Look</h1>{prose(700)}<h2>Mining</h2>{prose(800)}
        <figure><img src="images/one.png" srcset="images/one.png 1x, images/one@2x.png 2x">
        <video poster="p.png" src="v.mp4"></video></figure>
        <script src="main.js"></script></body></html>""",
    )
    site.file("/2020/optimization/style.css", b"@import 'more.css'; h1 { background: url(bg.png) }", "text/css")
    site.file("/2020/optimization/more.css", b"@font-face { src: url('f.woff2') }", "text/css")
    for path in ("images/one.png", "images/one@2x.png", "p.png", "bg.png", "v.mp4", "f.woff2"):
        site.file(f"/2020/optimization/{path}")
    for path in ("/lib/template.v2.js", "/2020/optimization/main.js"):
        site.file(path, b"1", "text/javascript")
    result = check(site.run("http://papers.example/2020/optimization/"))
    assert (result.status, result.hit, result.scope) == ("success", True, "article-fulltext")
    assert result.hops == ["http://papers.example/2020/optimization/"]
    body = site.answers["/2020/optimization/"].body
    assert result.file_meta and result.cdx and result.terminal and result.html_biblio and result.html_body
    assert result.file_meta.sha1hex == hashlib.sha1(body).hexdigest() == result.terminal.terminal_sha1hex
    assert result.file_meta.md5hex == hashlib.md5(body).hexdigest()
    assert result.file_meta.sha256hex == hashlib.sha256(body).hexdigest()
    assert (result.file_meta.size_bytes, result.file_meta.mimetype) == (len(body), "text/html")
    assert result.cdx.surt == "example,papers)/2020/optimization"
    assert result.cdx.sha1b32 == base64.b32encode(hashlib.sha1(body).digest()).decode()
    biblio = result.html_biblio
    assert (biblio.title, biblio.contrib_names) == ("Choosing Where to Look", ["Asha, Ngo", "Berg, Lea"])
    assert (biblio.release_date, biblio.release_year, biblio.doi) == ("2020-05-05", 2020, "10.5555/clear.00026")
    assert (biblio.container_name, biblio.container_issn, len(biblio.raw_references or ())) == (
        "Clear Papers",
        "2476-0757",
        2,
    )
    assert result.html_body.word_count and result.html_body.word_count > 1200
    assert "<head>Mining</head>" in (result.html_body.tei_xml or "")
    found = {resource.url.rpartition("/")[2]: resource for resource in result.html_resources or ()}
    assert set(found) == {
        "style.css", "more.css", "template.v2.js", "main.js", "one.png", "one@2x.png", "p.png", "v.mp4", "bg.png", "f.woff2",
    }  # fmt: skip
    assert {resource.status for resource in found.values()} == {"success"}
    assert found["one.png"].sha1hex == hashlib.sha1(PNG).hexdigest()
    assert found["one.png"].mimetype == "image/png"
    assert (found["more.css"].resource_type, found["f.woff2"].resource_type) == ("stylesheet", "font")


def test_an_old_journal_page_without_metadata():
    text = prose(1500).replace("<p>", "").replace("</p>", "<br><br>")
    site = Site()
    site.page(
        "/issues/v5n1/rosen.htm",
        f"<html><title>J. of Plain Behavior 5.1</title><body background=paper.gif><font face=Arial>{text}</font></body></html>",
        headers=("Content-Type: text/html",),
    )
    site.file("/issues/v5n1/paper.gif", b"GIF89a...", "image/gif")
    result = check(site.run("http://www.plain.example/issues/v5n1/rosen.htm"))
    assert (result.status, result.scope) == ("success", "article-fulltext")
    assert result.html_biblio is None or result.html_biblio.release_date is None
    assert [(r.resource_type, r.mimetype) for r in result.html_resources or ()] == [("image", "image/gif")]


def test_an_institutional_page():
    site = Site()
    site.page(
        "/pubs/bulletin/ja02/merge.html",
        f"""<html><head><title>Catalogue Merges. Technical Bulletin. 2002 Jul-Aug</title>
        <meta name="DC.Title" content="Catalogue Merges"><meta name="DC.Publisher" content="National Library">
        <meta name="DC.Date.Issued" content="2002-07-19"><meta name="DC.Language" content="eng">
        <meta name="DC.Rights" content="Public Domain">
        <meta name="DC.Creator" content="Tybaert, S."></head><body><img src="/images/head.gif">{prose(400)}</body></html>""",
    )
    site.file("/images/head.gif", b"GIF89a", "image/gif")
    result = check(site.run("https://library.example/pubs/bulletin/ja02/merge.html".replace("https", "http")))
    assert (result.status, result.hit, result.scope) == ("unknown-scope", False, "unknown")
    biblio = result.html_biblio
    assert biblio and (biblio.title, biblio.publisher, biblio.release_date) == (
        "Catalogue Merges",
        "National Library",
        "2002-07-19",
    )
    assert (biblio.license, biblio.contrib_names, biblio.lang) == ("Public Domain", ["Tybaert, S."], None)
    assert len(result.html_resources or ()) == 1


def test_a_journal_system_landing_page_with_its_full_text_behind():
    site = Site()
    base = "/ojs/index.php/fm/article"
    site.page(
        f"{base}/view/10274",
        """<html><head><meta name="generator" content="Open Journal Systems 3.1.2.4"><title>Tidal Media</title>
        <meta name="citation_title" content="Tidal Media"><meta name="citation_author" content="Ana Sol">
        <meta name="citation_date" content="2020"><meta name="citation_volume" content="25">
        <meta name="citation_issue" content="9">
        <meta name="citation_firstpage" content="1"><meta name="citation_lastpage" content="20">
        <meta name="DC.Identifier.DOI" content="10.5555/fm.10274">
        </head><body><p>Abstract.</p><a class="obj_galley_link file" href="10274/9729">HTML</a></body></html>""",
    )
    site.page(
        f"{base}/view/10274/9729",
        """<html><head><title>View of Tidal Media</title></head><body>
        <iframe name="htmlFrame" src="/ojs/index.php/fm/article/download/10274/9729?inline=1"></iframe></body></html>""",
    )
    site.page(
        f"{base}/download/10274/9729?inline=1",
        f"<html><head><title>Tidal Media</title></head><body><h1>Tidal Media</h1>{prose(1600)}<img src=fig1.png></body>",
    )
    site.file(f"{base}/download/10274/fig1.png")
    result = check(site.run(f"http://monday.example{base}/view/10274"))
    assert (result.status, result.scope) == ("success", "article-fulltext")
    assert [hop.rpartition("/")[2] for hop in result.hops] == ["10274", "9729", "9729?inline=1"]
    biblio = result.html_biblio
    assert biblio and (biblio.title, biblio.volume, biblio.issue, biblio.pages) == ("Tidal Media", "25", "9", "1-20")
    assert (biblio.release_year, biblio.release_date, biblio.doi) == (2020, None, "10.5555/fm.10274")
    assert [resource.status for resource in result.html_resources or ()] == ["success"]


def test_a_magazine_page():
    site = Site()
    site.page(
        "/dlib/july17/williams/07williams.html",
        f"""<html><head><title>Keeping Words</title><meta name="DOI" content="10.1045/july2017-williams">
        <meta name="issn" content="1082-9873">
        <link href="../../../style/main.css" rel="stylesheet" type="text/css"></head><body><table><tr>
        <td background="/img/b.gif">
        <h3>Magazine</h3><p>July/August 2017<br>Volume 23, Number 7/8</p></td></tr></table>{prose(2000)}
        <img src="table1.png" alt="Table"><img src="http://www.dlibs.example/img/corner.gif"></body></html>""",
    )
    site.file("/style/main.css", b"body { color: black }", "text/css")
    for path in ("/img/b.gif", "/img/corner.gif", "/dlib/july17/williams/table1.png"):
        site.file(path)
    result = check(site.run("http://www.dlibs.example/dlib/july17/williams/07williams.html"))
    assert (result.status, result.scope) == ("success", "article-fulltext")
    assert result.html_biblio and result.html_biblio.doi == "10.1045/july2017-williams"
    assert len(result.html_resources or ()) == 4
