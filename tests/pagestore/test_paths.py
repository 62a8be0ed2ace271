"""Where pages lie: padded and old folders, and names that lead nowhere else."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tearsheet.errors import UsageError
from tearsheet.pagestore.paths import all_days, day_folder, day_folders, inside, page_folder

MD5 = "0123456789abcdef0123456789abcdef"


def test_a_day_is_written_with_padded_months_and_days():
    assert day_folder(Path("base"), date(2024, 3, 7)) == Path("base/2024/03/07")


def test_a_page_lies_in_a_folder_named_by_its_digest():
    assert page_folder(Path("base/2024/03/07"), MD5) == Path("base/2024/03/07", MD5)


@pytest.mark.parametrize("name", ["", "..", "../../etc", MD5[:-1], f"{MD5}0", "g" * 32])
def test_what_is_no_digest_names_no_page(name):
    with pytest.raises(UsageError, match="MD5"):
        page_folder(Path("base"), name)


def test_old_folders_without_padding_are_found_beside_padded_ones(tmp_path):
    for name in ("2024/03/07", "2024/3/7", "2024/3/8", "2024/13/1", "notes/3/7"):
        (tmp_path / name).mkdir(parents=True)
    assert day_folders(tmp_path, date(2024, 3, 7)) == [tmp_path / "2024/03/07", tmp_path / "2024/3/7"]
    assert all_days(tmp_path) == [date(2024, 3, 7), date(2024, 3, 8)]


def test_a_path_that_leads_out_of_the_store_is_refused(tmp_path):
    base = tmp_path / "store"
    base.mkdir()
    (base / "link").symlink_to(tmp_path)
    assert inside(base, base / "2024") == base / "2024"
    for path in (base / ".." / "other", base / "link" / "other"):
        with pytest.raises(UsageError, match="leads out"):
            inside(base, path)
