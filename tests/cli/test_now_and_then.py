"""A line of progress, after two seconds and then now and then."""

from tearsheet.cli.context import Globals
from tearsheet.cli.now_and_then import said_now_and_then


def test_nothing_is_said_at_first_or_to_the_quiet_or_twice(capsys, monkeypatch):
    times = iter([0.0, 1.9, 2.0, 16.9, 17.0, 99.0, 120.0, 140.0])
    say = said_now_and_then(lambda: next(times))
    for line in ("early", "first", "too soon", "second", "second", "third"):
        say(line)
    monkeypatch.setattr(Globals, "quiet", True)
    say("quiet")
    assert capsys.readouterr().err.split("\n") == ["first", "second", "third", ""]
