from pathlib import Path

import pytest

from tearsheet.app.data_folder import folder_meant, holds_nothing, names_in

HERE = Path("tearsheet-data")
DEMO = {"config.toml", "tearsheet.db", "index"}


@pytest.mark.parametrize(
    ("names", "in_demo", "meant"),
    [
        ({"demo"}, DEMO, HERE / "demo"),
        ({"demo", ".DS_Store"}, DEMO, HERE / "demo"),
        (set(), set(), HERE),
        ({"demo"}, set(), HERE),
        ({"demo"}, {"notes.txt"}, HERE),
        ({"demo", "tearsheet.db"}, DEMO, HERE),
        ({"demo", "config.toml"}, DEMO, HERE),
        ({"tearsheet.db"}, set(), HERE),
    ],
)
def test_the_demo_is_meant_until_there_is_something_of_ones_own(names: set[str], in_demo: set[str], meant: Path):
    assert folder_meant(HERE, names, in_demo) == meant


def test_a_folder_that_is_not_there_holds_nothing():
    assert names_in(Path("no/such/folder")) == frozenset()
    assert holds_nothing(names_in(Path("no/such/folder")))
