"""Names, found by their capitals."""

import pytest

from tearsheet.topics.names import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The mayor met Angela Merkel in Berlin.", ["Angela Merkel", "Berlin"]),
        ("Merkel spoke. Later, Merkel left.", ["Merkel", "Merkel"]),
        ("Later she left. The rain came.", []),
        ("The White House denied it; the rain went on.", ["White House"]),
        ("White House officials denied it.", ["White House"]),
        ("Angela Merkel’s plan and NATO's.", ["Angela Merkel", "NATO"]),
        ("In Paris, London and New York, then in Rome", ["Paris", "London", "New York", "Rome"]),
        ("he said: “We go.” Then he saw Anna-Lena O'Hara.", ["Anna-Lena O'Hara"]),
        ("He met I and A. in 2024 May", ["May"]),
        ("One Two Three Four Five Six is a headline", []),
        ("on the Łódź–Kraków line", ["Łódź", "Kraków"]),
        ("東京都 العربية", []),
        ("", []),
    ],
)
def test_names(text, names):
    assert names_in(text) == names
