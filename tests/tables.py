"""Tables in every form that is read, and what their rows mean, in plain Python."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import thresher as th
from thresher.data.arrow import arrow

__all__ = ["FORMS", "Row", "as_csv", "attributes", "learned_as_mappings", "learned_as_table", "rows_of"]

Row = Mapping[str, Any]
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def attributes(row: Row, text: Iterable[str] = (), label: str = "label") -> dict[str, float]:
    """The example that a row of a table is."""
    found: defaultdict[str, float] = defaultdict(float)
    for name, cell in row.items():
        if name == label or cell is None or cell == "":
            continue
        named: list[str] = []
        if name in text:
            named = [f"{name}={word}" for word in re.findall(r"(?:[^\W_]|')+", cell.lower())]
        elif isinstance(cell, bool):
            found[name] += cell
        elif isinstance(cell, int | float):
            found[name] += float(cell)
        elif isinstance(cell, datetime):
            named = [f"{name}.year={cell.year}", f"{name}.month={cell.month}"]
            named += [f"{name}.weekday={_DAYS[cell.weekday()]}", f"{name}.hour={cell.hour}"]
        elif isinstance(cell, list):
            named = [f"{name}={value}" for value in cell]
        elif isinstance(cell, Mapping):
            found.update(attributes({f"{name}.{field}": value for field, value in cell.items()}, text, label))
        elif cell.strip():
            named = [f"{name}={cell.strip()}"]
        for each in named:
            found[each] += 1.0
    return dict(found)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else f"{value}"


def as_csv(rows: Sequence[Row], separator: str = ",") -> bytes:
    """CSV, quoted where it must be; nothing is between tabs."""
    text = io.StringIO(newline="")
    quoting: Any = {"quoting": csv.QUOTE_NONE, "quotechar": None} if separator == "\t" else {}
    made = csv.writer(text, delimiter=separator, lineterminator="\n", **quoting)
    made.writerow(rows[0])
    made.writerows([[_cell(row[name]) for name in rows[0]] for row in rows])
    return text.getvalue().encode()


def _table(rows: Sequence[Row]) -> Any:
    return arrow().table({name: [row[name] for row in rows] for name in rows[0]})


def _in_file(suffix: str, write: Callable[[Sequence[Row], Path], None]) -> Callable[[Sequence[Row], Path], Any]:
    def written(rows: Sequence[Row], folder: Path) -> Path:
        place = folder / f"table{suffix}"
        write(rows, place)
        return place

    return written


def _write_csv(separator: str, rows: Sequence[Row], place: Path) -> None:
    place.write_bytes(as_csv(rows, separator))


def _write_parquet(rows: Sequence[Row], place: Path) -> None:
    arrow(".parquet").write_table(_table(rows), place, row_group_size=7)


def _write_ipc(opener: str, rows: Sequence[Row], place: Path) -> None:
    table = _table(rows)
    with getattr(arrow(".ipc"), opener)(str(place), table.schema) as out:
        out.write_table(table, max_chunksize=3)


def _write_json(rows: Sequence[Row], place: Path) -> None:
    place.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))


def _polars(rows: Sequence[Row], _folder: Path) -> Any:
    import polars

    return polars.from_arrow(_table(rows))


#: A table in each of its forms: rows and a folder to a source.
FORMS: dict[str, Callable[[Sequence[Row], Path], Any]] = {
    "csv": _in_file(".csv", partial(_write_csv, ",")),
    "tsv": _in_file(".tsv", partial(_write_csv, "\t")),
    "semicolons": _in_file(".csv", partial(_write_csv, ";")),
    "parquet": _in_file(".parquet", _write_parquet),
    "arrow file": _in_file(".arrow", partial(_write_ipc, "new_file")),
    "arrow stream": _in_file("", partial(_write_ipc, "new_stream")),
    "jsonl": _in_file(".jsonl", _write_json),
    "pyarrow": lambda rows, _folder: _table(rows),
    "pandas": lambda rows, _folder: _table(rows).to_pandas(),
    "polars": _polars,
}


def rows_of(source: Any, **options: Any) -> list[tuple[dict[int, float], int]]:
    """The rows of a source, slots to values, and their labels."""
    with th.open_stream(source, **options) as stream:
        return [(batch.X[k], int(batch.y[k])) for batch in stream for k in range(len(batch))]


def learned_as_table(source: Any, n: int, **options: Any) -> th.Perceptron:
    """What a Perceptron makes of a table."""
    learner = th.Perceptron(n, bias=1.0)
    with th.open_stream(source, n=n, **options) as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y, batch.weights)
    return learner


def learned_as_mappings(rows: Sequence[Row], n: int, positive: str, text: Iterable[str] = ()) -> th.Perceptron:
    """What it makes of the same examples, given one by one."""
    learner = th.Perceptron(n, bias=1.0)
    for row in rows:
        learner.learn(attributes(row, text), +1 if row["label"] == positive else -1)
    return learner
