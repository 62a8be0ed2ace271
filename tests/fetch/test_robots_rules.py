"""The rules of a robots.txt for us: those that the library would obey, however many names and rules stand beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from tearsheet.fetch.robots_rules import MAX_COMPARED, RobotsRules
from tests.support.growth import assert_linear

URLS = [f"https://a.example{path}" for path in ("/", "/a", "/a/b?c=d", "/private/x", "/index.html", "/robots.txt")]
AGENT = "tearsheet"

LINES = st.sampled_from(
    [
        "User-agent: *", "user agent tearsheet", "USERAGENT: Tear", "User-agent: tearsheet # us", "User-agent: other", "user-agent",
        "User-agent: tear*", "User-agent:", "Disallow: /a", "Disallow: /private/*", "Allow: /a/b", "Disallow: /", "Allow: /*.html$",
        "Crawl-delay: 3", "Crawl-delay: 9", "Sitemap: https://a.example/s.xml", "", "# Disallow: /", "Disallow:", "nonsense",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=12))
def test_we_obey_what_the_library_would_obey(lines):
    text = "\n".join(lines)
    rules, whole = RobotsRules(text, AGENT), Protego.parse(text)
    assert [rules.allows(url) for url in URLS] == [whole.can_fetch(url, AGENT) for url in URLS]
    assert rules.crawl_delay == whole.crawl_delay(AGENT)


def names_and_rules(count: int) -> str:
    return (
        "".join(f"User-agent: bot{i}\n" for i in range(count))
        + "User-agent: *\n"
        + "".join(f"Disallow: /{i}\n" for i in range(count))
    )


KINDS = {
    "names and rules": names_and_rules,
    "one name again and again": lambda count: "User-agent: *\nDisallow: /a\n" * count,
    "names like ours": lambda count: "".join(f"User-agent: {AGENT[: i % 9]}\n" for i in range(count)) + "Disallow: /a\n" * count,
    "one long pattern": lambda count: "User-agent: *\nDisallow: /" + "*a" * count,
    "spaces": lambda count: "User-agent: *\nuser" + " " * count + "agent" + " " * count + "x",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_the_file(kind):
    def read(text: str) -> None:
        RobotsRules(text, AGENT).allows("https://a.example/" + "a" * 100)

    assert_linear(read, KINDS[kind], 500 if kind != "spaces" else 20_000)


def test_patterns_and_address_that_are_both_endless_are_refused():
    text = "User-agent: *\n" + ("Disallow: /*" + "a" * 97 + "b\n") * 5_000
    rules = RobotsRules(text, AGENT)
    assert rules.allows("https://a.example/" + "a" * 50)
    assert not rules.quick("https://a.example/" + "a" * 50)
    long = "https://a.example/" + "a" * (MAX_COMPARED // len(text))
    assert not rules.allows(long)
    assert RobotsRules("User-agent: *\nDisallow: /*b\n", AGENT).allows(long)
    assert RobotsRules("User-agent: *\nDisallow: /*b\n", AGENT).quick(long)
