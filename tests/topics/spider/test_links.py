import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics import mine_links
from tearsheet.topics.spider.addresses import video_page
from tearsheet.topics.spider.links import MAX_SELF_LINKS

PROSE = "The committee met on Tuesday and heard three hours of testimony about the dams, the levees and the money. "


def page(body: str) -> str:
    return f"""<html><head><title>A page</title></head><body><nav><a href="http://nav.example/x">Nav</a></nav>
    <article><h1>Title</h1><p>{PROSE}</p>{body}<p>{PROSE}{PROSE}</p></article>
    <aside><p>{PROSE}<a href="http://aside.example/x">beside</a></p></aside>
    <footer><a href="http://footer.example/x">Foot</a></footer></body></html>"""


def urls(html: str, url: str = "http://paper.example/2024/a.html") -> list[str]:
    return [link.url for link in mine_links(html, url)]


def test_only_the_substantive_content_is_mined():
    html = page(f'<p>{PROSE} as <a href="http://other.example/story">others reported</a> last week.</p>')
    assert urls(html) == ["http://other.example/story"]


def test_links_are_found_in_a_post_that_is_one_block_split_by_breaks():
    for breaks in ("<br>", "<br><br>", "<br/>\n<br/>", "<hr>"):
        parts = [f'{PROSE}As <a href="http://other{i}.example/x">others</a> wrote. {PROSE}' for i in range(6)]
        html = f"<html><body><div>{breaks.join(parts)}</div></body></html>"
        assert urls(html) == [f"http://other{i}.example/x" for i in range(6)], breaks


@pytest.mark.parametrize(
    "between",
    ["<script>var x;</script>", "<noscript>On</noscript>", "<button>Share</button>", "<svg><title>x</title></svg>",
     "<style>a{}</style>", "<div>Advertisement</div>"],
)  # fmt: skip
def test_what_is_not_read_does_not_hide_the_links_around_it(between):
    html = page(
        f'<div>{PROSE}As <a href="http://other.example/a">some</a> wrote, {between} and <b><a href="/b.html">others</a></b> '
        f'said the day after: {PROSE}</div><div><br><a href="http://logo.example/"><img src="x"></a><br></div>'
    )
    assert urls(html) == ["http://other.example/a", "http://paper.example/b.html"]


def test_each_link_knows_the_sentence_around_it():
    html = page(
        f'<p>{PROSE}The dam\n broke, <b><a href="http://other.example/a">others\nreported</a></b>, at night. {PROSE}'
        f'<br>{PROSE}See <a href="http://third.example/b">this</a>.<br>More: http://fourth.example/c says so. {PROSE}</p>'
    )
    found = mine_links(html, "http://paper.example/2024/a.html")
    assert {link.url: link.sentence for link in found} == {
        "http://other.example/a": "The dam broke, others reported, at night.",
        "http://third.example/b": "See this.",
        "http://fourth.example/c": "More: http://fourth.example/c says so.",
    }


def test_relative_links_are_resolved_and_tracking_is_removed():
    html = page(
        f'<p>{PROSE}<a href="../older.html?id=7&amp;utm_source=x&fbclid=y#top">older</a> '
        f'<a href="//other.example/b?utm_medium=z">b</a></p>'
    )
    assert urls(html) == ["http://paper.example/older.html?id=7", "http://other.example/b"]


def test_addresses_in_clear_text_without_what_ends_the_sentence():
    html = page(
        f"<p>{PROSE} See https://other.example/report(x and (http://third.example/a/b). Again: http://x.example/y…</p>"
    )
    assert urls(html) == ["https://other.example/report", "http://third.example/a/b"]


def test_embedded_videos_are_found_in_the_whole_page():
    html = page("") + '<iframe src="//www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0"></iframe>'
    assert urls(html) == ["https://www.youtube.com/watch?v=dQw4w9WgXcQ"]
    assert video_page("https://player.vimeo.com/video/123") == "https://vimeo.com/123"
    assert video_page("https://ads.example/frame") is None


def test_a_page_is_found_once_whatever_its_address_looks_like_and_never_itself():
    html = page(
        f'<p>{PROSE}<a href="https://www.other.example/A/">a</a> <a href="http://m.other.example/a?utm_source=q">again</a>'
        f' <a href="http://www.paper.example/2024/a.html#comments">me</a></p>'
    )
    assert urls(html) == ["https://www.other.example/A/"]


def test_links_to_the_own_source_are_limited():
    many = " ".join(f'<a href="/story-{i}.html">{i}</a>' for i in range(50))
    html = page(f'<p>{PROSE * 5}<a href="/tag/dams">dams</a> <a href="/author/x">x</a> {many}</p>')
    assert urls(html) == [f"http://paper.example/story-{i}.html" for i in range(MAX_SELF_LINKS)]


@given(st.text(alphabet="<>ahref='\" /:ptsx&;#.iframe", max_size=300))
def test_hostile_pages_raise_nothing(text):
    mine_links("<article><p>" + PROSE + text, "http://paper.example/")


def test_a_heading_before_a_line_break_is_part_of_the_paragraph():
    html = page(f'<p><a href="http://other.example/dress">The Fen Dress</a><br>{PROSE}</p>')
    assert urls(html) == ["http://other.example/dress"]


def test_wrapped_links_lead_to_the_page_that_is_meant():
    html = page(
        f'<p>{PROSE}<a href="https://web.archive.org/web/20240301000000/http://other.example/a">a copy</a> and '
        f'<a href="https://l.facebook.com/l.php?u=http%3A%2F%2Fother.example%2Fa&amp;h=x">the same</a> and '
        f'<a href="/web/20240301000000/http://third.example/b">in a copy</a>, https://www.google.com/url?q=http://x.example/c</p>'
    )
    assert urls(html) == ["http://other.example/a", "http://third.example/b", "http://x.example/c"]


def test_a_link_from_one_account_to_another_of_the_same_platform_is_no_self_link():
    many = " ".join(f'<a href="https://bob.substack.com/p/{i}">{i}</a>' for i in range(30))
    html = page(f'<p>{PROSE * 5}{many} <a href="https://bob.substack.com/tag/dams">dams</a></p>')
    assert len(urls(html, "https://alice.substack.com/p/flood")) == 31
