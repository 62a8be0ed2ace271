"""Whatever an address says, the server answers: never an error of its own."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

PATHS = st.sampled_from(
    ["/search", "/search.json", "/search.csv", "/search.parquet", "/outcomes", "/outcomes.json", "/api/search/words",
     "/api/search/story-list",
     "/api/search/count-over-time", "/api/search/total-count", "/api/search/story", "/api/sources/sources/", "/api/sources/feeds/",
     "/api/search/count-by-source-over-interval", "/stories/", "/api/sources/collections/7/"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["q", "start", "end", "domain", "language", "order", "token", "by", "status", "stage", "reason", "url", "ss", "cs", "limit",
     "offset", "page_size", "pagination_token", "sort_order", "storyId", "modified_since", "name", "interval", "source_id",
     "collection"]
)  # fmt: skip
PIECES = ("(", ")", '"', "*", "~5", " AND ", " NOT ", "title:", "[", " TO ", "]", "climate", "港", "\\", "-1", "9" * 30, "1e400",
          "nan", "2026-11-15", "0001-01-01", "9999-12-31", "1,2", "newest", "1.2", "0.0", "a~b~c", "\x00", "\ud7ff", "%",
          "_")  # fmt: skip
VALUES = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=20)


@settings(max_examples=150)
@given(PATHS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_no_address_breaks_the_server(client, path, parameters):
    answer = client.get(path, params=parameters)
    assert answer.status_code in (200, 400, 404), (answer.status_code, answer.text[:300])
