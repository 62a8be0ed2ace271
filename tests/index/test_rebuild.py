"""An index that was lost is filled again from archived stories."""

from __future__ import annotations

from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.index.rebuild import rebuild_from_stories
from tearsheet.query import parse_query
from tearsheet.story import ContentMetadata, Story


def test_an_index_is_made_anew_from_archived_stories(tmp_path):
    def archived(n, text="words"):
        content = ContentMetadata(
            url=f"https://example.com/{n}", text_content=text, parsed_date="2024-01-05T10:00:00.000001"
        )
        return Story(id=str(n), content_metadata=content)

    index = TantivyIndex(tmp_path)
    stories = [archived(n) for n in range(7)] + [archived(3)] + [archived(8, "")]
    other = archived(2)
    other.id = "other"
    seen = []
    report = rebuild_from_stories(index, [*stories, other], lambda report: seen.append(report.total))
    assert (report.created, report.there_already, report.duplicates, report.not_indexable) == (7, 1, 1, 1)
    assert seen == [10]
    again = rebuild_from_stories(index, stories)
    assert (again.created, again.there_already) == (0, 8)
    (one,) = index.search(parse_query('url:"https://example.com/4"')).stories
    assert one.indexed_date == 1_704_448_800_000_001_000
    index.close()
