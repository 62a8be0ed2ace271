"""How workers are built: each stage by its own name, and an unknown one never as another. What a run says that it left."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tearsheet.app.pipelines import BUILDERS, Collector, Plan, build_worker
from tearsheet.clock import wall_clock
from tearsheet.engines.broker import Output
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.flavours import DEFAULT, PIPELINES, STAGES, Step
from tearsheet.story import Story
from tearsheet.work import (
    AsyncWorker,
    BatchWorker,
    CpuWorker,
    KeepingWorker,
    Ledger,
    LedgerEntry,
    Worker,
    new_message,
    read_times,
)
from tests.support.flavour_runs import configure, page
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services

KINDS: dict[str, type[Worker]] = {
    "fetcher": AsyncWorker,
    "hist-fetcher": AsyncWorker,
    "parser": CpuWorker,
    "importer": BatchWorker,
    "archiver": KeepingWorker,
    "page-storer": BatchWorker,
}


def build(tmp_path, *steps: Step, pipeline: str = DEFAULT) -> list[Worker]:
    async def go(services) -> list[Worker]:
        async with AsyncExitStack() as stack:
            broker = services.open_broker()
            stack.push_async_callback(broker.close)
            plan = Plan(services, PIPELINES[pipeline], broker, stack)
            workers = [build_worker(plan, step) for step in steps]
            for worker in workers:
                stack.push_async_callback(worker.close)
            return workers

    with open_services(tmp_path) as services:
        return asyncio.run(go(services))


def test_every_stage_that_a_pipeline_can_have_is_built_and_no_other():
    assert set(BUILDERS) == set(STAGES)


def test_every_run_folds_the_ledger_and_adds_up_its_times(tmp_path):
    """As `tearsheet worker importer` does, and `run` with all stages."""
    with open_services(tmp_path, **{"storage.ledger_days": 30}) as services:
        Ledger(services.database, clock=lambda: wall_clock() - 40 * 86_400).record(
            [LedgerEntry("old", "parser", "dropped")]
        )
        services.ledger.record([LedgerEntry("new", "parser", "dropped")])

        async def queue_one() -> None:
            broker = services.open_broker()
            await broker.publish([Output("importer-in", new_message(Story()))])
            await broker.close()

        asyncio.run(queue_one())
        collector = Collector(services, ["importer"])
        collector.run(once=True)
        assert [row.story_id for row in services.ledger.find({"stage": "parser"})] == ["new"]
        assert services.ledger.counts(domain="")[0].stories == 2
        assert sum(times.stories for times in read_times(services.database)["importer"]) == 1


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_built_as_itself(tmp_path, stage):
    [worker] = build(tmp_path, Step(stage), pipeline="csv")
    assert type(worker) is KINDS[stage]
    assert (worker.name, worker.queue_name) == (stage, f"csv.{stage}")


def test_an_unknown_stage_is_an_error_that_names_the_known_ones(tmp_path):
    with pytest.raises(NotFoundError, match="there is no stage 'translator'; there are: fetcher, hist-fetcher, parser"):
        build(tmp_path, Step("translator"))


def test_a_run_says_which_copies_it_could_not_make(tmp_path):
    data, old = tmp_path / "data", tmp_path / "old.csv"
    configure(data, f'[archive]\nstores = ["{tmp_path}/disk/copies"]\n')
    (data / "blobs" / "downloads").mkdir(parents=True)
    (data / "blobs" / "downloads" / "1").write_bytes(page("one"))
    old.write_text("downloads_id,url,collect_date\n1,http://old.example/1,2015-10-02 09:00:00\n")
    done = in_process("--quiet", "pipeline", "run", "historical", old, data=data)
    assert done.exit_code == 3, done.output
    told = " ".join(done.output.split())
    assert "tearsheet: 1 copy of archive files could not be made (" in told
    assert "a later run tries again, and `tearsheet archive upload --now` at once" in told
    (tmp_path / "disk").mkdir()
    assert in_process("archive", "upload", "--now", data=data).exit_code == 0
    assert in_process("--quiet", "pipeline", "run", "historical", old, data=data).exit_code == 0
