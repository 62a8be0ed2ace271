"""Folders as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.catalogue.folders import cleaned_folders, folders_text, names_text, read_folders, read_names

NAMES = st.text("ab/\\; ", min_size=1, max_size=6)


def test_paths_are_written_as_people_write_them() -> None:
    folders = (("Europe", "Press & radio"), ("Africa",))
    assert folders_text(folders) == "Europe/Press & radio;Africa"
    assert read_folders(" Europe / Press &  radio ;; Africa;/;Africa") == folders


@given(st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=4))
def test_any_names_come_back(paths: list[list[str]]) -> None:
    folders = cleaned_folders(paths)
    assert read_folders(folders_text(folders)) == folders


@given(st.lists(NAMES.map(str.strip).filter(bool), max_size=4))
def test_names_of_collections_come_back(names: list[str]) -> None:
    assert read_names(names_text(names)) == tuple(names)
