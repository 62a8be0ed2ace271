"""Lists of dataclasses that become tables of pyarrow or pandas, where those are installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import fields
from datetime import date, datetime
from types import ModuleType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from tearsheet.errors import ConfigError

if TYPE_CHECKING:
    import pandas
    import pyarrow

T = TypeVar("T")


class Rows(list[T]):
    """A list of rows, all of one dataclass."""

    def __init__(self, kind: type[T], rows: Iterable[T] = ()) -> None:
        super().__init__(rows)
        self._kind = kind

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of pyarrow, with the types of the fields also where all values are missing.

        Needs the extra `parquet`; raises `ConfigError` without it.
        """
        arrow = _library("pyarrow", "parquet")
        hints = get_type_hints(self._kind)
        names = [item.name for item in fields(self._kind)]  # type: ignore[arg-type]  # it is a dataclass
        schema = arrow.schema([(name, _arrow_type(arrow, hints[name])) for name in names])
        return arrow.table({name: [getattr(row, name) for row in self] for name in names}, schema=schema)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a data frame of pandas; days are `datetime64`. Needs the extra `pandas`; raises `ConfigError` without it."""
        _library("pandas", "pandas")
        return self.to_arrow().to_pandas(date_as_object=False)


def _library(name: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigError(f"this needs {name}: pip install 'tearsheet[{extra}]'") from error


def _arrow_type(arrow: Any, hint: Any) -> Any:
    """The type of a column, from that of a field."""
    if isinstance(hint, UnionType):
        [hint] = [part for part in get_args(hint) if part is not NoneType]
    if get_origin(hint) is tuple:
        return arrow.list_(_arrow_type(arrow, get_args(hint)[0]))
    known = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), date: arrow.date32()}
    known[datetime] = arrow.timestamp("us", tz="UTC")
    return known[hint]
