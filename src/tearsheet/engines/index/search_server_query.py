"""The tree of a query in the query language of OpenSearch and Elasticsearch."""

from __future__ import annotations

from typing import Any

from tearsheet.engines.index.search_server_mapping import WORDS_OF
from tearsheet.query import (
    ANY,
    STORY,
    WORD_FIELDS,
    All,
    And,
    Leaf,
    Node,
    Not,
    OneOf,
    Or,
    Phrase,
    Prefix,
    Range,
    Term,
    Wildcard,
    day_of,
    reduce_tree,
)

Clause = dict[str, Any]


def to_search(tree: Node) -> Clause:
    """The query for an index with our mapping."""

    def join(node: And | Or | Not, parts: list[Clause]) -> Clause:
        if isinstance(node, Not):
            return {"bool": {"must_not": parts}}
        if isinstance(node, Or):
            return any_of(parts)
        wanted = [part for part in parts if not _is_negation(part)]
        unwanted = [inner for part in parts if _is_negation(part) for inner in part["bool"]["must_not"]]
        return {"bool": {"must": wanted, "must_not": unwanted} if unwanted else {"must": wanted}}

    return reduce_tree(tree, _leaf, join)


def any_of(parts: list[Clause]) -> Clause:
    """At least one of these."""
    return parts[0] if len(parts) == 1 else {"bool": {"should": parts, "minimum_should_match": 1}}


def _is_negation(part: Clause) -> bool:
    return "bool" in part and list(part["bool"]) == ["must_not"]


def _leaf(leaf: Leaf) -> Clause:
    if isinstance(leaf, All):
        return {"match_all": {}}
    if isinstance(leaf, Range):
        return _range(leaf)
    if isinstance(leaf, OneOf) and leaf.field == STORY:
        return {"ids": {"values": list(leaf.values)}}
    if isinstance(leaf, OneOf):
        return {"terms": {leaf.field: list(leaf.values)}} if leaf.values else {"match_none": {}}
    fields = WORD_FIELDS if leaf.field == ANY else (leaf.field,)
    return any_of([_in_field(leaf, WORDS_OF.get(field, field)) for field in fields])


def _range(leaf: Range) -> Clause:
    if leaf.field == "indexed_date":
        limits: dict[str, Any] = {"gte": leaf.low, "lte": leaf.high}
        name = "indexed_nanos"
    else:
        limits = {
            "gte": None if leaf.low is None else day_of(leaf.low).isoformat(),
            "lte": None if leaf.high is None else day_of(leaf.high).isoformat(),
        }
        name = leaf.field
    limits = {sign: value for sign, value in limits.items() if value is not None}
    return {"range": {name: limits}} if limits else {"exists": {"field": name}}


def _in_field(leaf: Term | Phrase | Prefix | Wildcard, field: str) -> Clause:
    if isinstance(leaf, Term):
        return {"term": {field: {"value": leaf.word}}}
    if isinstance(leaf, Prefix):
        return {"prefix": {field: {"value": leaf.start}}}
    if isinstance(leaf, Wildcard):
        return {"wildcard": {field: {"value": leaf.glob}}}
    if leaf.open_end:
        spans: list[Clause] = [{"span_term": {field: {"value": word}}} for word in leaf.words[:-1]]
        spans.append({"span_multi": {"match": {"prefix": {field: {"value": leaf.words[-1]}}}}})
        return {"span_near": {"clauses": spans, "slop": 0, "in_order": True}}
    return {"match_phrase": {field: {"query": " ".join(leaf.words), "slop": leaf.slop}}}
