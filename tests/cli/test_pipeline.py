"""`tearsheet pipeline run`, as far as its own words go; tests/acceptance runs the flavours."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta

import pytest

from tearsheet.clock import utc_now
from tests.support.tearsheet_command import in_process

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
