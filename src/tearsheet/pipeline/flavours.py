"""The pipelines, declared in one place: which stages there are, of what kind, and who feeds whom."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tearsheet.errors import NotFoundError


class Kind(Enum):
    """How a stage runs."""

    ASYNC = "async"
    CPU = "cpu"
    BATCH = "batch"


@dataclass(slots=True, frozen=True)
class Step:
    """One stage of a pipeline, and the stages that get what it returns."""

    stage: str
    kind: Kind
    outputs: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class Pipeline:
    """A queuer and the steps behind it."""

    name: str
    about: str
    queuer: str
    steps: tuple[Step, ...]

    def step(self, stage: str) -> Step:
        """One step by the name of its stage."""
        for step in self.steps:
            if step.stage == stage:
                return step
        raise NotFoundError(
            f"the pipeline {self.name} has no stage {stage!r}; it has {', '.join(s.stage for s in self.steps)}"
        )


_FETCH_TO_ARCHIVE = (
    Step("fetcher", Kind.ASYNC, ("parser",)),
    Step("parser", Kind.CPU, ("importer",)),
    Step("importer", Kind.BATCH, ("archiver",)),
    Step("archiver", Kind.BATCH),
)

PIPELINES: dict[str, Pipeline] = {
    pipeline.name: pipeline
    for pipeline in (
        Pipeline("queue-fetcher", "stories from the feeds, as they are published", "feeds", _FETCH_TO_ARCHIVE),
    )
}


def pipeline_named(name: str) -> Pipeline:
    """A pipeline by name. Raises NotFoundError."""
    try:
        return PIPELINES[name]
    except KeyError:
        raise NotFoundError(f"there is no pipeline {name!r}; there are: {', '.join(PIPELINES)}") from None
