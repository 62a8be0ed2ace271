from __future__ import annotations

import pytest

from tearsheet.errors import ConfigError, NotFoundError
from tearsheet.pipeline.flavours import (
    DEFAULT,
    PIPELINES,
    QUEUERS,
    Pipeline,
    Step,
    all_pipelines,
    chain,
    drawing,
    fetch_queues,
    pipeline_named,
)
from tearsheet.pipeline.queuers import FILE_KINDS
from tearsheet.settings import load_settings
from tearsheet.work.journey import input_queue, quarantine_queue


def test_the_flavours_are_those_of_the_seed():
    drawn = {name: drawing(pipeline) for name, pipeline in PIPELINES.items()}
    assert drawn == {
        "queue-fetcher": "feeds ─▶ fetcher ─▶ parser ─▶ importer ─▶ archiver",
        "historical": "hist ─▶ hist-fetcher ─▶ parser ─▶ importer ─▶ archiver",
        "csv": "csv ─▶ fetcher ─▶ parser ─▶ importer ─▶ archiver",
        "archive": "archive ─▶ importer",
        "reparse": "reparse ─▶ parser ─▶ importer ─▶ archiver",
        "batch": "batch ─▶ fetcher ─▶ parser ─▶ importer ─▶ archiver",
    }
    assert {name: pipeline.prefix for name, pipeline in PIPELINES.items() if pipeline.prefix} == {
        "historical": "mchistYYYY",
        "csv": "mccsv",
    }


def test_every_queuer_is_one_of_feeds_and_files():
    assert QUEUERS.keys() == FILE_KINDS.keys() | {"feeds"}


def test_no_two_pipelines_share_a_queue():
    queues = [
        name(pipeline.queue_name(step.stage))
        for pipeline in PIPELINES.values()
        for step in pipeline.steps
        for name in (input_queue, quarantine_queue)
    ]
    assert len(queues) == len(set(queues))
    assert PIPELINES[DEFAULT].queue_name("parser") == "parser"
    assert PIPELINES["csv"].queue_name("parser") == "csv.parser"


def test_fetch_queues_are_shared_out_by_host():
    assert fetch_queues(PIPELINES) == ("fetcher-in", "csv.fetcher-in", "batch.fetcher-in")


def test_a_stage_that_feeds_several_is_drawn_with_brackets():
    forked = (
        Step("fetcher", ("parser",)),
        Step("parser", ("importer", "archiver")),
        Step("importer"),
        Step("archiver"),
    )
    assert drawing(Pipeline("x", "", "csv", forked)) == "csv ─▶ fetcher ─▶ parser ─▶ [importer, archiver]"


def test_ones_own_pipelines_stand_in_the_settings(tmp_path):
    (tmp_path / "config.toml").write_text(
        '[pipelines.my-list]\nqueuer = "csv"\nstages = ["fetcher", "parser", "importer"]\nprefix = "mine"\nmax_retries = 1\n'
    )
    own = load_settings(tmp_path, environ={}).pipelines
    assert all_pipelines(own)["my-list"] == Pipeline(
        "my-list", "of your own", "csv", chain("fetcher", "parser", "importer"), "mine", 1
    )
    with pytest.raises(NotFoundError, match="did you mean my-list"):
        pipeline_named("your-list", own)


def test_ones_own_pipeline_may_branch(tmp_path):
    (tmp_path / "config.toml").write_text(
        '[pipelines.both]\nqueuer = "csv"\nstages = ["fetcher", "parser", "importer", "archiver", "page-storer"]\n'
        'outputs = {parser = ["importer", "page-storer"], archiver = []}\n'
    )
    pipeline = all_pipelines(load_settings(tmp_path, environ={}).pipelines)["both"]
    assert {step.stage: step.outputs for step in pipeline.steps} == {
        "fetcher": ("parser",), "parser": ("importer", "page-storer"), "importer": ("archiver",), "archiver": (),
        "page-storer": (),
    }  # fmt: skip
    assert drawing(pipeline) == "csv ─▶ fetcher ─▶ parser ─▶ [importer ─▶ archiver, page-storer]"


BRANCH = '[pipelines.x]\nqueuer = "csv"\nstages = ["fetcher", "parser", "importer"]\noutputs = '


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f'{BRANCH}{{printer = ["parser"]}}\n', "pipelines.x.outputs"),
        (f"{BRANCH}3\n", "pipelines.x.outputs"),
        (f'{BRANCH}{{parser = ["fetcher"]}}\n', "pipelines.x.outputs.parser"),
        (f'{BRANCH}{{parser = "importer"}}\n', "pipelines.x.outputs.parser"),
        (f'{BRANCH}{{fetcher = ["parser", "parser"]}}\n', "pipelines.x.outputs.fetcher"),
        (f"{BRANCH}{{parser = []}}\n", "no stage feeds importer"),
        ('[pipelines.x]\nqueuer = "cvs"\nstages = ["parser"]\n', "pipelines.x.queuer"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = []\n', "pipelines.x.stages"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = ["parser", "printer"]\n', "pipelines.x.stages"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = ["parser", "parser"]\n', "pipelines.x.stages"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = ["parser"]\nprefix = "a/b"\n', "pipelines.x.prefix"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = ["parser"]\nmax_retries = -1\n', "pipelines.x.max_retries"),
        ('[pipelines.x]\nqueuer = "csv"\nstages = ["parser"]\ncolour = 1\n', "pipelines.x.colour"),
        ('[pipelines.csv]\nqueuer = "csv"\nstages = ["parser"]\n', "pipelines.csv"),
        ('[pipelines."A B"]\nqueuer = "csv"\nstages = ["parser"]\n', "pipelines.A B"),
        ('[pipelines]\nx = "csv"\n', "pipelines.x"),
    ],
)
def test_a_wrong_pipeline_is_named(tmp_path, text, names):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=names) as caught:
        all_pipelines(load_settings(tmp_path, environ={}).pipelines)
    assert "\n" not in str(caught.value)
