import pytest

from tearsheet.feeds.polling.advice import what_to_do


@pytest.mark.parametrize(
    ("status", "detail", "told"),
    [
        ("parse error", "parse error; html?", "`tearsheet feeds discover` finds the feeds of a page"),
        ("parse error", "parse error; empty", "see whether a browser shows anything"),
        ("parse error", "parse error; no version", "see in a browser whether it is a feed"),
        ("HTTP 401 Unauthorized", "", "`tearsheet feeds set FEED --user NAME --password-prompt` gives it one"),
        ("HTTP 404 Not Found", "", "check its address"),
        ("HTTP 403 Forbidden", "html?", "the site refuses us"),
        ("unknown hostname", "unknown-host: ", "check the name of the site"),
        ("fetch error", "forbidden-address: loopback", "it is in a private network"),
        ("HTTP 401 Unauthorized", "", "`tearsheet feeds set FEED --user NAME --password-prompt`"),
        ("fetch error", "too-large: more than 15000000 bytes", "the setting `feeds.max_bytes`"),
        ("HTTP 503 Service Unavailable", "", "tried again later"),
        ("connect timeout", "", "tried again later"),
    ],
)
def test_every_failure_is_told_with_what_to_do(status: str, detail: str, told: str):
    assert told in what_to_do(status, detail)
