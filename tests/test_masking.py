"""What is hidden of a secret: all of it, however badly it is written, and none of what surrounds it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.masking import keep_secret, masked, masked_place, redacted, shown_url, without_login

SECRET = "Tr0ub4dor-correct-horse"


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    keep_secret([])
    yield
    keep_secret([])


def pieces(secret: str, length: int = 6) -> set[str]:
    return {secret[at : at + length] for at in range(len(secret) - length + 1)}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        ("a-token", "***"),
        ("sqlite:///tearsheet.db", "sqlite:///tearsheet.db"),
        ("postgresql://me:pw@db.example/x", "postgresql://me:***@db.example/x"),
        ("postgresql://me:p@w@db.example:5432/x", "postgresql://me:***@db.example:5432/x"),
        ("postgresql://me:p%40w@[::1]:5432/x?sslmode=require", "postgresql://me:***@[::1]:5432/x?sslmode=require"),
        ("postgresql://db.example/x?user=me&password=pw", "postgresql://db.example/x?***"),
        ("postgresql://db.example/x?sslmode=require&password=p@w", "postgresql://***"),
        ("s3://KEY:SE/CR/ET@objects.example/b", "s3://***"),
        ("s3://KEY:SE%2FCRET@objects.example/b?region=x&aws_secret=y", "s3://KEY:***@objects.example/b?region=x&***"),
        ("s3://KEY:SECRET/bucket", "s3://***"),
        ("https://token@rss.example", "https://***@rss.example"),
        ("kafka://u:p?w@events.example", "kafka://***"),
        ("amqp://u:p#w@broker.example/v", "amqp://u:***@broker.example/v"),
        ([], []),
        (["file:///copies", "s3://K:S@h/b"], ["file:///copies", "s3://K:***@h/b"]),
    ],
)  # fmt: skip
def test_a_secret_setting_shows_its_place_only(value, shown):
    assert masked(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("tearsheet.db", "tearsheet.db"),
        ("/mnt/two words/a%20b", "/mnt/two words/a%20b"),
        ("file:copies", "file:copies"),
        (["/mnt/disk", "s3://K:S@h/b"], ["/mnt/disk", "s3://K:***@h/b"]),
        ("", ""),
        ("KEY:SECRET@objects.example/b", "***"),
        ("s3:KEY", "***"),
        ("s3://KEY:SE/CR/ET@objects.example/b", "s3://***"),
    ],
)
def test_a_path_is_no_secret_and_a_url_shows_its_place_only(value, shown):
    assert masked_place(value) == shown


WORD = st.text(st.characters(codec="ascii", exclude_categories=["C", "Z"]), min_size=6, max_size=12)


@given(
    WORD, WORD, st.sampled_from(["s3://u:{}@host.example/b", "postgresql://host.example/b?password={}", "{}", "x{}"])
)
def test_no_character_of_a_password_makes_it_visible(first, second, form):
    secret = f"{first}/{second}@{first}"
    shown = masked(form.format(secret))
    assert not any(piece in shown for piece in pieces(secret) if piece not in form)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/x?y=1&author=2", "https://a.example/x?y=1&author=2"),
        ("https://bob:pw@a.example:8443/x", "https://a.example:8443/x"),
        ("https://bob:p@w@a.example/x", "https://a.example/x"),
        ("https://bob:p/w@a.example/x", "https://***"),
        ("https://medium.example/@bob", "https://medium.example/@bob"),
        ("https://medium.example:8443/@bob", "https://medium.example:8443/@bob"),
        ("https://a.example/x?token=pw&y=1", "https://a.example/x?token=***&y=1"),
        ("https://a.example/x?X-Amz-Signature=pw&access_token=pw&api_key=pw&key=pw&password=pw",
         "https://a.example/x?X-Amz-Signature=***&access_token=***&api_key=***&key=***&password=***"),
    ],
)  # fmt: skip
def test_a_web_address_is_shown_without_login_and_keys(url, shown):
    assert shown_url(url) == shown


def test_only_the_login_is_taken_out_of_an_address_that_is_kept():
    assert without_login("https://bob:pw@a.example/x?token=1") == "https://a.example/x?token=1"
    assert without_login("no address") == "no address"


@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        f"postgresql://me:{SECRET}@db.example/x",
        f"postgresql://db.example/x?user=me&password={SECRET}",
        [f"s3://KEY:{SECRET}@objects.example/b", "file:///copies"],
    ],
    ids=str,
)
def test_a_known_secret_is_found_in_any_text(value):
    keep_secret([value])
    for text in (f'could not connect with "{SECRET}"', f"pass={quote(SECRET)}", f"at {value}"):
        said = redacted(text)
        assert not any(piece in said for piece in pieces(SECRET)), said
        assert "***" in said


@pytest.mark.parametrize("secret", ["a/b+c=d e", "p@ss:w/rd", "pass?word#1", "ümläut-password"])
def test_a_known_secret_is_found_however_it_is_written(secret):
    keep_secret([f"s3://KEY:{quote(secret, safe='')}@objects.example/b"])
    for text in (secret, quote(secret), quote(secret, safe="")):
        assert redacted(f"<{text}>") == "<***>"


def test_what_is_no_secret_stays():
    keep_secret(["postgresql://tearsheet:tearsheet@db.example/tearsheet", "amqp://u:abc@h/", "sqlite:///a.db"])
    text = "tearsheet: abc and sqlite:///a.db are no secrets; mail bob@a.example, see https://a.example/@bob"
    assert redacted(text) == text
    assert redacted("https://bob:pw@a.example/x") == "https://***@a.example/x"
