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
