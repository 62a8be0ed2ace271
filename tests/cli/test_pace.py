"""How far work has got, how fast it goes, and when it will end."""

import pytest

from tearsheet.cli.pace import counted, duration, measured, megabytes, pace


@pytest.mark.parametrize(
    ("done", "total", "seconds", "said"),
    [
        (500, 2000, 10, "500 of 2,000 files (25 %), 50 a second, 30 s left"),
        (5, 20, 10, "5 of 20 files (25 %), 0.5 a second, 30 s left"),
        (0, 20, 10, "0 of 20 files (0 %), 0 a second"),
        (20, 20, 10, "20 of 20 files (100 %), 2.0 a second, 0 s left"),
        (1500, None, 10, "1,500 files, 150 a second"),
        (21, 20, 10, "21 files, 2.1 a second"),
        (0, 0, 0, "0 files, 0 a second"),
    ],
)
def test_the_end_is_in_sight_where_the_total_is_known(done, total, seconds, said):
    assert pace(done, total, seconds, "files") == said


def test_bytes_are_said_in_millions():
    assert pace(5e6, 2e7, 2, "read", megabytes) == "5.0 MB of 20.0 MB read (25 %), 2.5 MB a second, 6 s left"


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "0 s"), (59, "59 s"), (90, "2 min"), (7800, "2 h 10 min"), (400_000, "5 d")]
)
def test_times_as_people_say_them(seconds, said):
    assert duration(seconds) == said


def test_work_is_measured_from_its_start(capsys):
    times = iter([0.0, 0.0, 4.0, 4.0])
    measured("stories", 100, clock=lambda: next(times))(20)
    assert capsys.readouterr().err == "20 of 100 stories (20 %), 5.0 a second, 16 s left\n"


def test_what_is_counted_is_handed_on_and_short_work_is_silent(capsys):
    assert list(counted("abc", "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""
