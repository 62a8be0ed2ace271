"""Many processes write what one writes."""

from tearsheet.topics.snapshot import parallel
from tearsheet.topics.snapshot.export_files import write_export


def test_processes_write_the_same_bytes(frozen, tmp_path, monkeypatch):
    alone = write_export(frozen, tmp_path / "a", ["csv", "html"])
    monkeypatch.setattr(parallel, "LARGE", 0)
    shared = write_export(frozen, tmp_path / "b", ["csv", "html"], workers=2)
    assert [file.relative_to(tmp_path / "b") for file in shared] == [file.relative_to(tmp_path / "a") for file in alone]
    for a, b in zip(alone, shared, strict=True):
        assert a.read_bytes() == b.read_bytes(), a


def test_processes_import_nothing_from_the_folder_that_we_were_called_in(frozen, tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "LARGE", 0)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.chdir(tmp_path)
    for name in ("multiprocessing", "pickle", "tearsheet"):
        (tmp_path / f"{name}.py").write_text("open('trapped', 'w').close()")
    write_export(frozen, tmp_path / "out", ["csv"], workers=2)
    assert not (tmp_path / "trapped").exists()
