from pathlib import PurePosixPath

import pytest

from tearsheet.cli.program import program_of

HERE = PurePosixPath("/home/laura/papers")


@pytest.mark.parametrize(
    ("script", "found", "environ", "words", "own_feeds"),
    [
        ("/usr/bin/tearsheet", "/usr/bin/tearsheet", {}, "tearsheet", "tearsheet run https://"),
        ("/home/laura/papers/.venv/bin/tearsheet", None, {"MAKELEVEL": "1"}, ".venv/bin/tearsheet", "make run FEEDS="),
        ("/home/laura/papers/.venv/bin/tearsheet", "/usr/bin/tearsheet", {}, ".venv/bin/tearsheet", ".venv/bin/tearsheet run"),
        ("/opt/env/bin/tearsheet", None, {}, "/opt/env/bin/tearsheet", "/opt/env/bin/tearsheet run"),
        ("/home/laura/.cache/uv/archive-v0/x1/bin/tearsheet", None, {}, "uvx tearsheet", "uvx tearsheet run"),
        ("/lib/python/tearsheet/__main__.py", None, {}, "python -m tearsheet", "python -m tearsheet run"),
    ],
)  # fmt: skip
def test_the_advice_is_what_this_user_can_type(script, found, environ, words, own_feeds):
    program = program_of(PurePosixPath(script), PurePosixPath(found) if found else None, HERE, environ)
    assert program.words == words
    assert program.own_feeds().startswith(own_feeds)
    assert program.demo() == ("make run" if environ else f"{words} demo")
