"""The query language: one parser, and a tree that runs on every index."""

from tearsheet.query.errors import QueryError
from tearsheet.query.query import Query, parse_query

__all__ = ["Query", "QueryError", "parse_query"]
