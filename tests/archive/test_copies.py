"""Names of the stores that copies go to."""

import pytest

from tearsheet.archive.copies import store_name, stores_by_name
from tearsheet.errors import ConfigError


def test_stores_have_names_without_secrets(tmp_path):
    assert store_name("s3://KEY:SE%2FCRET@host:9000/bucket?region=x") == "s3://host:9000/bucket"
    assert list(stores_by_name(["file:///x", "file:////y"], tmp_path, 1)) == ["file:///x", "file:////y"]
    with pytest.raises(ConfigError, match="twice"):
        stores_by_name(["s3://a:b@h/x", "s3://c:d@h/x"], tmp_path, 1)
    with pytest.raises(ConfigError, match=r"archive\.stores") as caught:
        stores_by_name(["ftp://u:secret@h/x"], tmp_path, 1)["ftp://h/x"]()
    assert "secret" not in str(caught.value)
