import pytest

from tearsheet.query import parse_query
from tearsheet.topics.planning.clauses import MOST_CLAUSES, clauses_of


def explained(query):
    return query.explain().removeprefix("Stories ").rstrip(".")


def test_every_clause_is_told_with_the_query_without_it():
    found = [
        (clause.kind, clause.text, explained(clause.without))
        for clause in clauses_of(parse_query("flood* AND (river OR dam) NOT insurance"))
    ]
    begins, river, dam, either = "a word that begins with “flood”", "“river”", "“dam”", "“river” or “dam”"
    assert found == [
        ("and", f"with {begins}", f"(with {either}) and without “insurance”"),
        ("and", f"with {either}", f"with {begins} and without “insurance”"),
        ("not", "with “insurance”", f"with {begins} and (with {either})"),
        ("or", f"with {river}", f"with {begins} and with {dam} and without “insurance”"),
        ("or", f"with {dam}", f"with {begins} and with {river} and without “insurance”"),
    ]


@pytest.mark.parametrize(
    "query", ["a OR b", "a AND b", "a AND NOT b", "NOT (a OR b)", "(a AND b) OR (c AND NOT (d OR e))"]
)
def test_the_queries_find_what_they_say(query):
    whole = parse_query(query)
    texts = ["", *"abcde", "a b", "a c", "c d", "c e", "b c d", "a b c d e"]

    def finding(one):
        return {text for text in texts if one.matches(text=text)}

    clauses = clauses_of(whole)
    assert clauses
    for clause in clauses:
        assert finding(clause.within) == finding(whole) & finding(clause.alone)
        assert finding(clause.without) != finding(whole)
    assert sorted(clause.text for clause in clauses if len(clause.text) == len("with “a”")) == [
        f"with “{letter}”" for letter in sorted(set(query) & set("abcde"))
    ]


def test_a_single_word_has_no_clauses():
    assert clauses_of(parse_query("flood")) == clauses_of(parse_query("*")) == []


def test_what_is_left_of_an_exclusion_is_everything():
    [clause] = clauses_of(parse_query("NOT flood AND NOT dam"))[:1]
    assert clause.kind == "not" and explained(clause.without) == "without “dam”"


def test_a_long_query_is_told_of_as_far_as_people_read():
    many = clauses_of(parse_query(" OR ".join(f"word{number}" for number in range(2_000))))
    assert len(many) == MOST_CLAUSES
    assert many[0].text == "with “word0”"
