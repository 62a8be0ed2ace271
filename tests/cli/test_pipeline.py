"""`tearsheet pipeline run`, as far as its own words go; tests/acceptance runs the flavours."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest

from tearsheet.app.queues import read_queues, with_broker
from tearsheet.archive import StoryArchiveWriter
from tearsheet.clock import utc_now
from tearsheet.engines.broker import Output
from tearsheet.work import new_message
from tests.support.archive_stories import plain_story
from tests.support.full_disk import fill_disk
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services

DAY = "<rss><channel><item><link>http://paper.example/{}</link></item></channel></rss>"


def test_the_daily_files_of_some_days_are_chosen(tmp_path):
    for ago in range(5):
        name = f"mc-{utc_now().date() - timedelta(days=ago)}.rss.gz"
        (tmp_path / name).write_bytes(gzip.compress(DAY.format(ago).encode()))
    for words, stories in ((["--yesterday"], 1), (["--days", "3"], 3), (["--days", "3", "--max-stories", "2"], 2)):
        words = ["pipeline", "run", "batch", str(tmp_path), *words, "--dry-run", "--json"]
        assert json.loads(in_process(*words, data=tmp_path / "data").stdout)["stories"] == stories


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["batch", "--days", "2"], "feeds.remote"),
        (["csv", "--yesterday", "x.csv"], "only the pipeline batch"),
        (["queue-fetcher", "--random-sample", "10"], "pipeline run batch --days 3"),
        (["queue-fetcher", "--dry-run"], "pipeline run batch --days 3"),
    ],
)
def test_options_that_mean_nothing_here_are_refused(tmp_path, words, says):
    done = in_process("pipeline", "run", *words, data=tmp_path)
    assert done.exit_code == 2 and says in " ".join(done.stderr.split())


@pytest.mark.parametrize("flavour", ["archive", "csv", "batch", "historical"])
def test_a_folder_without_files_is_not_done(tmp_path, flavour):
    """Perhaps its disk is not mounted: whoever wants their stories back must not be told that all is well."""
    (tmp_path / "mount").mkdir()
    done = in_process("pipeline", "run", flavour, str(tmp_path / "mount"), data=tmp_path / "data")
    assert done.exit_code == 5 and "there is no file to read in" in done.stderr


@pytest.fixture
def again(tmp_path: Path) -> Path:
    """A data folder with a pipeline that only archives what is in a WARC file."""
    (tmp_path / "config.toml").write_text(
        "[storage]\nmin_free_bytes = 0\n[pipelines.again]\nqueuer = 'archive'\nstages = ['archiver']\n"
    )
    return tmp_path


def warc(folder: Path, number: int) -> Path:
    with StoryArchiveWriter(folder) as writer:
        writer.write(plain_story(number))
    return writer.close().path


def test_a_full_disk_is_told_in_one_line_and_its_stories_stay_queued(again, monkeypatch):
    file = warc(again / "warcs", 1)
    with monkeypatch.context() as patch:
        fill_disk(patch)
        full = in_process("--quiet", "pipeline", "run", "again", file, data=again)
    assert full.exit_code == 16
    assert "Traceback" not in full.output
    assert full.stderr.splitlines()[-1].startswith("tearsheet: cannot write")
    assert "No space left on device; free some disk space" in full.stderr.splitlines()[-1]
    with open_services(again) as services:
        assert [(queue.queue, queue.ready) for queue in read_queues(services)] == [("again.archiver-in", 1)]
    done = in_process("--quiet", "pipeline", "run", "again", file, data=again)
    assert done.exit_code == 0, done.output
    assert "1 archived" in done.output and "quar" not in done.output


def test_a_run_says_what_earlier_runs_left_in_quarantine(again):
    stuck = [Output(queue, new_message(plain_story(9))) for queue in ("again.archiver-quar", "parser-quar")]
    with open_services(again) as services:
        with_broker(services, lambda broker: broker.publish(stuck))
    words = ["--quiet", "pipeline", "run", "again", str(warc(again / "warcs", 1))]
    done = in_process(*words, data=again)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == (
        "1 story waits in again.archiver-quar for you: `tearsheet queues peek again.archiver-quar` says why, "
        "`tearsheet queues requeue again.archiver` tries again."
    )
    assert json.loads(in_process(*words, "--json", data=again).stdout)["in_quarantine"] == {"again.archiver": 1}


def test_a_file_that_has_changed_since_it_was_finished_is_not_passed_over_in_silence(tmp_path):
    list_of, words = tmp_path / "list.csv", ["pipeline", "run", "csv", str(tmp_path / "list.csv"), "--queue-only"]
    list_of.write_text("url\nhttps://paper.example/1\n")
    assert in_process(*words, data=tmp_path / "data").exit_code == 0
    assert in_process(*words, data=tmp_path / "data").exit_code == 0, "nothing to do"
    list_of.write_text("url\nhttps://paper.example/1\nhttps://paper.example/2\n")
    done = in_process(*words, data=tmp_path / "data")
    assert done.exit_code == 3 and "list.csv was finished before, when it had another size" in " ".join(
        done.stderr.split()
    )
    assert "2 stories queued" in in_process(*words, "--force", data=tmp_path / "data").stdout
    assert in_process(*words, data=tmp_path / "data").exit_code == 0
