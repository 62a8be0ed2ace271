from datetime import UTC, datetime

import msgspec

from tearsheet.topics.methods.paragraph import Result, methods_paragraph
from tearsheet.topics.methods.record import Decided, Record
from tearsheet.topics.rehearsal.precision import Precision

JUNE = datetime(2026, 6, 1, 12, tzinfo=UTC)
RECORD = Record(
    taken_at=JUNE, version="1.2.3", topic="Rivers", query="flood* NOT insurance", explained="Stories with “flood”",
    max_iterations=5, max_stories=1_000, max_self_linked=200, seconds_per_media_fetch=2.5, created_at=JUNE,
    runs=(JUNE, JUNE), seeds={"url": 2, "index": 1_200}, assumed=2, posts=0,
    asked={"story added": 700, "content match failed": 1, "pending": 3, "strange": 1},
    stories={"in": 900, "merged": 1, "out": 60, "over-budget": 7}, left_out={"no match": 59, "outside dates": 1},
    iterations={0: 800, 1: 90, 2: 10}, put_off=3, decided=(),
)  # fmt: skip
RESULT = Result(900, 40, 3_000, 2_800, 7, JUNE, "abc")
NOTHING = Precision(0, 0, 0, 900)


def said(record=RECORD, result=RESULT, precision=NOTHING, **changes) -> str:
    return methods_paragraph(msgspec.structs.replace(record, **changes), result, precision)


def test_every_step_is_told_with_its_numbers():
    text = said()
    for sentence in (
        "The topic “Rivers” was mapped with Tearsheet 1.2.3. It was defined on 1 June 2026 by the query “flood* NOT insurance”, "
        "which asks for stories with “flood”.",
        "It started from 1,202 seeds: 1,200 stories of the collection that match and 2 addresses that were given by hand. "
        "Of these seeds, 2 were taken in whatever the text said.",
        "for at most 5 iterations (2 brought stories), with at least 2.5 seconds between two requests to one source.",
        "The topic may have at most 1,000 stories and one source may not bring more than 200 stories by links within itself;",
        "Of 705 unknown addresses that seeds and links led to, 700 gave the page of a new story, 1 had none of the words "
        "asked for, 3 were still to be fetched and 1 was strange. For 3 of them another try was outstanding.",
        "Of 961 stories whose title, description, address and text were judged, 901 belong to the topic, 59 did not match "
        "the query and 1 was dated outside its dates.",
        "1 story was merged into another of the same source and day with the same title, which leaves 900.",
        "Not judged were 7 found when the topic had as many stories as it may have.",
        "Nothing was decided by hand",
        "Snapshot 7 of 1 June 2026, after 2 runs that ended, has 900 stories of 40 sources and 3,000 links between stories, "
        "200 of them within one source (SHA-256 abc).",
    ):
        assert sentence in text, text
    assert "  " not in text and "\n" not in text


def test_decisions_are_told_with_numbers_and_reasons():
    decided = (
        Decided("exclude", "an advertisement", 2),
        Decided("exclude", "", 1),
        Decided("include", "about the flood all the same", 1),
        Decided("merge", "its regional edition", 1, "daily.example into paper.example"),
        Decided("edit", "", 1, "query (from flood to flood*)"),
    )
    assert (
        "By hand, 1 page was taken in (“about the flood all the same”), 3 pages were left out (2 for “an advertisement” and "
        "no reason given), 1 source was merged (daily.example into paper.example: “its regional edition”) and 1 change was made "
        "to the definition (query (from flood to flood*): no reason given)."
    ) in said(decided=decided)


def test_precision_is_told_with_its_interval():
    assert (
        "A random sample of 20 stories was judged by hand: 18 belong to the topic, 1 other could not be told, "
        "a precision of 90 % (95 % confidence interval (Wilson) 70 % to 97 %)."
    ) in said(precision=Precision(18, 2, 1, 900))
    assert "(all were judged)" in said(precision=Precision(18, 2, 0, 20))
    assert "No random sample of the stories was judged by hand." in said()


def test_a_topic_that_has_not_begun_says_so():
    text = said(seeds={}, runs=(), asked={}, stories={}, left_out={}, iterations={}, result=Result(0, 0, 0, 0))
    assert "It has no seeds yet. It has not been run yet." in text
    assert "no snapshot was taken yet" in text


def test_a_snapshot_without_a_record_says_so():
    text = said(result=Result(900, 40, 3_000, 2_800, 7, JUNE, "abc", frozen=False))
    assert "No record was kept with this snapshot" in text and "as of 1 June 2026" in text


def test_links_that_were_not_followed_are_not_told_of():
    assert "No links were followed." in said(max_iterations=0)
