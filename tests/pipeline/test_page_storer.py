"""The page store as an output beside the archive."""

import pytest

from tearsheet.pipeline.flavours import PIPELINES, with_page_store


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "archive"])
def test_whoever_feeds_the_archive_feeds_the_page_store_too(name):
    pipeline = with_page_store(PIPELINES[name])
    feeding = [step for step in pipeline.steps if "archiver" in step.outputs]
    assert [step.outputs for step in feeding] == [("archiver", "page-storer")]
    assert pipeline.steps[-1].stage == "page-storer"
    assert with_page_store(pipeline) == pipeline


def test_a_pipeline_that_archives_nothing_stays_as_it_is():
    assert with_page_store(PIPELINES["archive"]) is PIPELINES["archive"]
