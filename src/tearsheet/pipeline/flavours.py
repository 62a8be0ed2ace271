"""All pipelines and their declarations: where their stories come from, which stages they pass, and which feeds which.

    name            queuer    stages
    queue-fetcher   feeds     fetcher ─▶ parser ─▶ importer ─▶ archiver
    historical      hist      hist-fetcher ─▶ parser ─▶ importer ─▶ archiver
    csv             csv       fetcher ─▶ parser ─▶ importer ─▶ archiver
    archive         archive   importer
    reparse         reparse   parser ─▶ importer ─▶ archiver
    batch           batch     fetcher ─▶ parser ─▶ importer ─▶ archiver

Queues of the default pipeline have the names that operators know: `parser-in`, `parser-quar`. Those of every other pipeline
begin with its name: `historical.parser-in`. So pipelines that run at the same time on one broker never take each other's
stories. Commands accept the name of a stage in the same form: `historical.parser`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tearsheet.errors import ConfigError, NotFoundError
from tearsheet.near_names import did_you_mean
from tearsheet.work import input_queue

STAGES = ("fetcher", "hist-fetcher", "parser", "importer", "archiver", "page-storer")
"""Every stage that a pipeline can have; `app/pipelines.py` builds them."""

QUEUERS: dict[str, str] = {
    "feeds": "new entries of the feeds, polled here or taken from the rss-fetcher of `feeds.remote`",
    "hist": "CSV files of the old system's database, whose pages are in a blob store",
    "csv": "CSV files of addresses",
    "archive": "our WARC files or Media Cloud's, with their metadata as it is",
    "reparse": "anyone's WARC files, from which only the pages are taken",
    "batch": "synthetic RSS files, one a day",
}
"""Every queuer, and what it reads."""

DEFAULT = "queue-fetcher"
YEAR = "YYYY"
"""In a prefix, stands for the year in which the story was collected."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
_PREFIX = re.compile(r"[A-Za-z0-9._]{1,40}")


@dataclass(slots=True, frozen=True)
class Step:
    """One stage of a pipeline, and the stages that get what it returns."""

    stage: str
    outputs: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class Pipeline:
    """A queuer and the steps that follow it."""

    name: str
    about: str
    queuer: str
    steps: tuple[Step, ...]
    prefix: str | None = None
    """First part of the names of its archive files; None for the setting `archive.prefix`."""
    max_retries: int | None = None
    """None for the setting `pipeline.max_retries`."""

    def step(self, stage: str) -> Step:
        """One step by the name of its stage."""
        for step in self.steps:
            if step.stage == stage:
                return step
        raise NotFoundError(
            f"the pipeline {self.name} has no stage {stage!r}; it has {', '.join(s.stage for s in self.steps)}"
        )

    def queue_name(self, stage: str) -> str:
        """The prefix of a stage's queue names, unique among all pipelines: `parser`, or `historical.parser`."""
        return stage if self.name == DEFAULT else f"{self.name}.{stage}"

    @property
    def first_queues(self) -> tuple[str, ...]:
        """The names of the queues to which the queuer sends its stories."""
        return (self.queue_name(self.steps[0].stage),)


def chain(*stages: str) -> tuple[Step, ...]:
    """Steps in which each stage feeds the next."""
    following = [(stage,) for stage in stages[1:]]
    return tuple(Step(stage, outputs) for stage, outputs in zip(stages, [*following, ()], strict=True))


def with_page_store(pipeline: Pipeline) -> Pipeline:
    """The pipeline with the page store as an output beside the archive; one that archives nothing is left as it is."""
    stages = [step.stage for step in pipeline.steps]
    if "archiver" not in stages or "page-storer" in stages:
        return pipeline
    steps = [
        replace(step, outputs=(*step.outputs, "page-storer")) if "archiver" in step.outputs else step
        for step in pipeline.steps
    ]
    return replace(pipeline, steps=(*steps, Step("page-storer")))


_FETCH_TO_ARCHIVE = chain("fetcher", "parser", "importer", "archiver")

PIPELINES: dict[str, Pipeline] = {
    pipeline.name: pipeline
    for pipeline in (
        Pipeline(DEFAULT, "stories from the feeds, as they are published", "feeds", _FETCH_TO_ARCHIVE),
        Pipeline(
            "historical",
            "pages of the old system, from a blob store",
            "hist",
            chain("hist-fetcher", "parser", "importer", "archiver"),
            prefix=f"mchist{YEAR}",
        ),
        Pipeline("csv", "a list of addresses", "csv", _FETCH_TO_ARCHIVE, prefix="mccsv"),
        Pipeline(
            "archive",
            "archived stories into the index again, with the dates they had; nothing is archived",
            "archive",
            chain("importer"),
        ),
        Pipeline(
            "reparse",
            "archived pages parsed again, including those of other people's WARC files",
            "reparse",
            chain("parser", "importer", "archiver"),
        ),
        Pipeline(
            "batch",
            "a day's stories, until each is fetched or its few tries are used up",
            "batch",
            _FETCH_TO_ARCHIVE,
            max_retries=2,
        ),
    )
}
"""The built-in pipelines; `[pipelines.NAME]` in config.toml adds more."""


def all_pipelines(own: Mapping[str, Mapping[str, Any]]) -> dict[str, Pipeline]:
    """Every pipeline by name; `own` are the sections `[pipelines.NAME]` of config.toml. Raises ConfigError."""
    return PIPELINES | {name: own_pipeline(name, section) for name, section in own.items()}


def pipeline_named(name: str, own: Mapping[str, Mapping[str, Any]] | None = None) -> Pipeline:
    """A pipeline by name. Raises NotFoundError."""
    known = all_pipelines(own or {})
    try:
        return known[name]
    except KeyError:
        hint = did_you_mean(name, known, f"there are: {', '.join(known)}")
        raise NotFoundError(f"there is no pipeline {name!r}; {hint}") from None


def own_pipeline(name: str, section: Mapping[str, Any]) -> Pipeline:
    """A pipeline of config.toml: `queuer` and `stages` in order, each of which feeds the next unless `outputs` names others.

    `about`, `prefix`, `max_retries` and `outputs` are optional. Raises ConfigError.
    """
    where = f"pipelines.{name}"
    if not _NAME.fullmatch(name) or name in PIPELINES:
        raise ConfigError(f"{where}: a new name is needed, of at most 20 small letters, digits and hyphens")
    unknown = sorted(section.keys() - {"queuer", "stages", "outputs", "about", "prefix", "max_retries"})
    if unknown:
        raise ConfigError(
            f"{where}.{unknown[0]}: a pipeline has queuer, stages, outputs, about, prefix and max_retries"
        )
    queuer, stages, prefix = section.get("queuer"), section.get("stages"), section.get("prefix")
    if queuer not in QUEUERS:
        raise ConfigError(f"{where}.queuer: one of {', '.join(QUEUERS)} is needed")
    if not isinstance(stages, list) or not stages or not all(stage in STAGES for stage in stages):
        raise ConfigError(f"{where}.stages: a list of stages is needed, of {', '.join(STAGES)}")
    if len(set(stages)) < len(stages):
        raise ConfigError(f"{where}.stages: each stage can be there once")
    if prefix is not None and not (isinstance(prefix, str) and _PREFIX.fullmatch(prefix)):
        raise ConfigError(f"{where}.prefix: letters, digits, `.` and `_` only, because it begins file names")
    retries = section.get("max_retries")
    if retries is not None and (not isinstance(retries, int) or isinstance(retries, bool) or retries < 0):
        raise ConfigError(f"{where}.max_retries: a whole number is needed")
    steps = branched(stages, section.get("outputs", {}), f"{where}.outputs")
    return Pipeline(name, str(section.get("about", "of your own")), str(queuer), steps, prefix, retries)


def branched(stages: Sequence[str], outputs: Any, where: str) -> tuple[Step, ...]:
    """Steps in which each stage feeds the next, or those later ones that `outputs` names for it. Raises ConfigError."""
    if not isinstance(outputs, dict) or not outputs.keys() <= set(stages):
        raise ConfigError(f'{where}: names stages of this pipeline, as {{{stages[0]} = ["{stages[-1]}"]}}')
    steps = [replace(step, outputs=_outputs(step, stages, outputs, where)) for step in chain(*stages)]
    unfed = set(stages[1:]).difference(*(step.outputs for step in steps))
    if unfed:
        raise ConfigError(f"{where}: no stage feeds {', '.join(sorted(unfed))}")
    return tuple(steps)


def _outputs(step: Step, stages: Sequence[str], outputs: Mapping[str, Any], where: str) -> tuple[str, ...]:
    chosen = outputs.get(step.stage, list(step.outputs))
    later = stages[stages.index(step.stage) + 1 :]
    if not isinstance(chosen, list) or not all(stage in later for stage in chosen) or len(set(chosen)) < len(chosen):
        raise ConfigError(f"{where}.{step.stage}: a list is needed of stages that come after it, each once")
    return tuple(chosen)


def fetch_queues(pipelines: Mapping[str, Pipeline]) -> tuple[str, ...]:
    """The queues that are partitioned by host among several machines, so that only one of them asks any one host."""
    return tuple(
        input_queue(pipeline.queue_name(step.stage))
        for pipeline in pipelines.values()
        for step in pipeline.steps
        if step.stage == "fetcher"
    )


def drawing(pipeline: Pipeline) -> str:
    """The pipeline in one line: `csv ─▶ fetcher ─▶ parser`. Where a stage feeds several, its branches stand in brackets."""
    drawn: set[str] = set()

    def from_stage(stage: str) -> str:
        if stage in drawn:  # it has two feeders, and is drawn with the first
            return stage
        drawn.add(stage)
        branches = [from_stage(output) for output in pipeline.step(stage).outputs]
        after = f"[{', '.join(branches)}]" if len(branches) > 1 else "".join(branches)
        return f"{stage} ─▶ {after}" if after else stage

    return f"{pipeline.queuer} ─▶ {from_stage(pipeline.steps[0].stage)}"
