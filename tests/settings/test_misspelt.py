from __future__ import annotations

import pytest

from tearsheet.settings import declared_settings, unknown_variables


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TEARSHEET_ENGINES_DATABSE", "TEARSHEET_ENGINES_DATABASE"),
        ("TEARSHEET_ENGINE_DATABASE", "TEARSHEET_ENGINES_DATABASE"),
        ("TEARSHEET_ENGINES_DATABSE_FILE", "TEARSHEET_ENGINES_DATABASE_FILE"),
        ("TEARSHEET_PORT", "TEARSHEET_WEB_PORT"),
        ("TEARSHEET_LOGLEVEL", "TEARSHEET_LOG_LEVEL"),
        ("TEARSHEET_DTA", "TEARSHEET_DATA"),
        ("TEARSHEET_WEB_WHATEVER", None),
    ],
)
def test_a_misspelt_variable_is_named_with_what_was_meant(name, meant):
    every = {declared.variable: "" for declared in declared_settings()}
    assert unknown_variables(every | {"TEARSHEET_DATA": "", "HOME": "", "TEARSHEET_TEST_S3": ""}) == {}
    assert unknown_variables(every | {name: ""}) == {name: meant}
