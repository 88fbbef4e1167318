"""From a table to rows that a learner takes, beside pyarrow, which reads the same file with the same types and stops there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import thresher as th
from benchmarks.cases import Case, Comparison, Disagreement, Result
from benchmarks.timing import interleaved

__all__ = ["CASES"]

_FULL, _FEW = 400_000, 40_000
_NUMBERS = [f"x{k}" for k in range(20)]
_WORDS = [f"c{k}" for k in range(12)]
_AIM = "≤ 2"


def _table(rows: int, kind: str) -> Any:
    arrow = import_module("pyarrow")
    rng = np.random.default_rng(0)
    label = arrow.array((rng.random(rows) < 0.5).astype(np.int64))
    if kind == "numbers":
        columns = {name: arrow.array(np.round(rng.standard_normal(rows), 4)) for name in _NUMBERS}
    else:
        words = arrow.array([f"value{k}" for k in range(200)])
        columns = {name: words.take(arrow.array(rng.integers(0, 10 * k + 10, rows))) for k, name in enumerate(_WORDS)}
    return arrow.table({**columns, "label": label})


def _pyarrow(file: Path, kind: str) -> int:
    arrow, csv, parquet = (import_module(name) for name in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"))
    if file.suffix == ".parquet":
        read = parquet.read_table(file, read_dictionary=_WORDS if kind == "categories" else None)
    else:
        words = dict.fromkeys(_WORDS, arrow.dictionary(arrow.int32(), arrow.string()))
        types = words if kind == "categories" else dict.fromkeys(_NUMBERS, arrow.float64())
        read = csv.read_csv(file, convert_options=csv.ConvertOptions(column_types=types))
    return int(read.num_rows)


def _thresher(file: Path, numeric: str) -> int:
    with th.open_stream(file, numeric=numeric) as stream:
        return sum(len(batch) for batch in stream)


def tables(kind: str, turns: int, quick: bool) -> Result:
    """CSV and Parquet of one kind of columns."""
    rows = _FEW if quick else _FULL
    table = _table(rows, kind)
    with TemporaryDirectory() as folder:
        files = {"CSV": Path(folder) / "table.csv", "Parquet": Path(folder) / "table.parquet"}
        import_module("pyarrow.csv").write_csv(table, files["CSV"])
        import_module("pyarrow.parquet").write_table(table, files["Parquet"])
        contenders: dict[str, Callable[[], int]] = {}
        for name, file in files.items():
            contenders[f"pyarrow, {name}"] = partial(_pyarrow, file, kind)
            contenders[f"thresher, {name}"] = partial(_thresher, file, "raw")
        if kind == "numbers":
            contenders["thresher, CSV, scaled"] = partial(_thresher, files["CSV"], "scale")
            contenders["thresher, Parquet, scaled"] = partial(_thresher, files["Parquet"], "scale")
        counts = {name: run() for name, run in contenders.items()}
        if {*counts.values()} != {rows}:
            raise Disagreement(f"found {counts} rows, expected {rows} of each")
        samples = interleaved(contenders, turns)
    ours = [name for name in contenders if name.startswith("thresher")]
    comparisons = [_compared(name, samples) for name in ours]
    return Result(f"tables-{kind}", f"{rows:,} rows of {table.num_columns - 1} columns of {kind}", samples, comparisons)


def _compared(ours: str, samples: Any) -> Comparison:
    other = f"pyarrow, {'CSV' if 'CSV' in ours else 'Parquet'}"
    return Comparison(ours, other, samples.ratio(ours, other), _AIM)


CASES = {f"tables-{kind}": Case(partial(tables, kind), ("pyarrow",)) for kind in ("numbers", "categories")}
