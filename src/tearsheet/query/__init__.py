"""The query language: one parser, and a tree that runs on every index."""

from tearsheet.query.tree import Query, QueryError, parse_query

__all__ = ["Query", "QueryError", "parse_query"]
