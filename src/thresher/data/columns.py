"""From Arrow's columns to those that the core makes rows of: numbers, categories and words.

| a column of | becomes |
|---|---|
| numbers, durations (in seconds) | the attribute `column` with the number as its value |
| true or false | the attribute `column`, 1 where it is true |
| words | the attribute `column=word` |
| text, where it is asked for | an attribute `column=word` for each word, with how often it comes |
| dates, times | `column.year=2024`, `column.month=7`, `column.weekday=tue`, `column.hour=13`, as far as it has them |
| lists | `column=value` for each value |
| objects | a column for each of their fields, `column.field` |

An empty cell, null and NaN are missing, and make no attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._core import Column
from thresher.data.arrow import arrow, is_text
from thresher.data.number_cells import MISSING, numbers_spelled

__all__ = ["MOST_NESTED", "Converted", "convert", "dates_in", "flat", "kind_of"]

MOST_NESTED = 32
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_DATE = re.compile(r"\d{4}[-/]\d\d[-/]\d\d|\d{1,2}\.\d{1,2}\.\d{4}", re.ASCII)
_AS_ISO = (  # dates with dots have the day first, wherever they are written
    (r"^(\d)\.", r"0\1."),
    (r"^(\d\d)\.(\d)\.", r"\1.0\2."),
    (r"^(\d\d)\.(\d\d)\.(\d{4})", r"\3-\2-\1"),
    (r"^(\d{4})/(\d\d)/(\d\d)", r"\1-\2-\3"),
)
_NEAR = 256
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


class Converted(NamedTuple):
    """The core's columns of one column, and which of its cells are not what they should be."""

    columns: list[Column]
    wrong: NDArray[np.bool_] | None = None


def kind_of(type_: Any) -> str | None:
    """What a column of this type holds; None if nothing, '' if what cannot be read."""
    library = arrow()
    while type_.id == library.lib.Type_DICTIONARY:
        type_ = type_.value_type
    if type_.id in _lists():
        return "list" if kind_of(type_.value_type) in ("truth", "number", "category", None) else ""
    return _kinds().get(type_.id, "")


@cache
def _kinds() -> dict[int, str | None]:
    """What columns of Arrow's types hold, by the types' numbers."""
    kinds: dict[str | None, str] = {
        None: "NA",
        "truth": "BOOL",
        "number": "INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 HALF_FLOAT FLOAT DOUBLE "
        "DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 DURATION",
        "category": "STRING LARGE_STRING STRING_VIEW",
        "date": "DATE32 DATE64",
        "moment": "TIMESTAMP",
        "clock": "TIME32 TIME64",
    }
    return {number: kind for kind, names in kinds.items() for number in _numbers_of(names)}


@cache
def _lists() -> set[int]:
    return set(_numbers_of("LIST LARGE_LIST FIXED_SIZE_LIST"))


def _numbers_of(names: str) -> Iterator[int]:
    """The numbers of types, as far as this pyarrow has them."""
    every = vars(arrow().lib)
    return (every[f"Type_{name}"] for name in names.split() if f"Type_{name}" in every)


def dates_in(cells: Any) -> str | None:
    """Whether all texts are dates, or dates with times, as JSON and many tables spell them."""
    library, compute = arrow(), arrow(".compute")
    if library.types.is_dictionary(cells.type):
        cells = cells.dictionary
    cells = _as_text(cells)
    if cells and (first := (cells[0].as_py() or "").strip()) and not _DATE.match(first):
        return None
    trimmed = compute.utf8_trim_whitespace(cells)
    texts = trimmed.filter(compute.not_equal(trimmed, ""))
    if not len(texts) or not _DATE.match(texts[0].as_py()) or _timed(texts) is None:
        return None
    return "date" if compute.max(compute.utf8_length(texts)).as_py() <= len("2024-07-31") else "moment"


def flat(names: list[str], columns: list[Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The columns with their names, and in place of objects those of their fields, with dots in their names."""
    for name, column in zip(names, columns, strict=True):
        if not arrow().types.is_struct(column.type):
            yield prefix + name, column
        elif depth < MOST_NESTED:
            fields = [column.type.field(k).name for k in range(column.type.num_fields)]
            yield from flat(fields, column.flatten(), f"{prefix}{name}.", depth + 1)
        else:
            raise ValueError(f"column {prefix + name!r}: found objects nested more than {MOST_NESTED} deep")


def convert(name: str, kind: str, cells: Any) -> Converted:
    """A column as the core takes it."""
    return _CONVERSIONS[kind](name, cells)


def _numbers(name: str, cells: Any) -> Converted:
    values, wrong = _as_numbers(cells)
    return Converted([Column.numbers(name, name, values)], wrong)


def _truth(name: str, cells: Any) -> Converted:
    compute, types = arrow(".compute"), arrow().types
    wrong = None
    if types.is_boolean(cells.type):
        true = compute.fill_null(cells, False).to_numpy(zero_copy_only=False)
    else:
        spelled = [cell.strip().lower() for cell in compute.fill_null(_as_text(cells), "").to_pylist()]
        true = np.array([_TRUTH.get(cell, False) for cell in spelled], np.bool_)
        wrong = np.array([cell not in _TRUTH and cell not in MISSING for cell in spelled], np.bool_)
    return Converted([_coded(name, "", np.where(true, 0, -1), [name])], wrong)


def _categories(name: str, cells: Any) -> Converted:
    return Converted([Column.categories(name, f"{name}=", *_dictionary(cells))])


def _words(name: str, cells: Any) -> Converted:
    compute = arrow(".compute")
    lowered = compute.utf8_lower(compute.fill_null(_as_text(cells), ""))
    return Converted([Column.words(name, f"{name}=", *_texts(lowered))])


def _list(name: str, cells: Any) -> Converted:
    compute = arrow(".compute")
    if not _is_list(cells.type):
        return _categories(name, cells)
    lengths = compute.fill_null(compute.list_value_length(cells), 0).to_numpy(zero_copy_only=False)
    starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return Converted([Column.categories(name, f"{name}=", *_dictionary(compute.list_flatten(cells)), starts)])


def _dates(name: str, cells: Any) -> Converted:
    made = _times(name, cells)
    return Converted(made.columns[:3], made.wrong)


def _times(name: str, cells: Any) -> Converted:
    library, compute = arrow(), arrow(".compute")
    times, wrong = _as_times(cells)
    columns = []
    if not library.types.is_time(times.type):
        years, months, days = compute.year(times), compute.month(times), compute.day_of_week(times)
        columns.append(Column.categories(name, f"{name}.year=", *_dictionary(years)))
        columns.append(_coded(name, f"{name}.month=", _codes(months) - 1, [str(month) for month in range(1, 13)]))
        columns.append(_coded(name, f"{name}.weekday=", _codes(days), _WEEKDAYS))
    if not library.types.is_date(times.type):
        columns.append(_coded(name, f"{name}.hour=", _codes(compute.hour(times)), [str(hour) for hour in range(24)]))
    return Converted(columns, wrong)


_CONVERSIONS = {
    "number": _numbers,
    "truth": _truth,
    "category": _categories,
    "words": _words,
    "date": _dates,
    "moment": _times,
    "clock": _times,
    "list": _list,
}


# ---- cells of one type as cells of another ----------------------------------------------------------------------------


def _as_numbers(cells: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    library, compute = arrow(), arrow(".compute")
    types = library.types
    if types.is_float64(cells.type):
        return np.ascontiguousarray(cells.to_numpy(zero_copy_only=False), np.float64), None
    if types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if is_text(cells.type):
        return numbers_spelled(cells)
    wrong = None
    seconds = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
    if types.is_duration(cells.type):
        cells = compute.divide(
            compute.cast(compute.cast(cells, library.int64()), library.float64(), safe=False), seconds[cells.type.unit]
        )
    elif types.is_boolean(cells.type):
        cells = compute.cast(cells, library.uint8())
    elif kind_of(cells.type) != "number":
        wrong = np.asarray(compute.is_valid(cells).to_numpy(zero_copy_only=False))
        cells = library.nulls(len(cells), library.float64())
    numbers = compute.cast(cells, library.float64(), safe=False)
    return np.ascontiguousarray(numbers.to_numpy(zero_copy_only=False), np.float64), wrong


def _as_text(cells: Any) -> Any:
    library = arrow()
    if library.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    return cells if library.types.is_string(cells.type) else arrow(".compute").cast(cells, library.string())


def _as_times(cells: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    library, compute = arrow(), arrow(".compute")
    if library.types.is_temporal(cells.type) and not library.types.is_duration(cells.type):
        return cells, None
    text = compute.utf8_trim_whitespace(_as_text(cells))
    given = np.asarray(
        compute.and_(compute.is_valid(text), compute.not_equal(compute.fill_null(text, ""), "")).to_numpy(zero_copy_only=False)
    )
    times = _timed(compute.if_else(library.array(given), text, library.scalar(None, library.string())))
    if times is not None:
        return times, None
    each = [_timed(text[row : row + 1]) if given[row] else None for row in range(len(text))]
    moments = library.array([None if one is None else one[0].as_py() for one in each], library.timestamp("us"))
    return moments, given & np.array([one is None for one in each], np.bool_)


def _timed(texts: Any) -> Any:
    """The times that texts spell, none or all of them with a zone; None if one of them spells no time."""
    times = _cast_to_times(texts)
    if times is None and _DATE.match(next((text for text in texts[:100].to_pylist() if text), "")):
        for pattern, iso in _AS_ISO:
            texts = arrow(".compute").replace_substring_regex(texts, pattern, iso)
        times = _cast_to_times(texts)
    return times


def _cast_to_times(texts: Any) -> Any:
    library, compute = arrow(), arrow(".compute")
    for zone in (None, "UTC"):
        try:
            return compute.cast(texts, library.timestamp("us", zone))
        except library.ArrowInvalid:
            continue
    return None


def _is_list(type_: Any) -> bool:
    types = arrow().types
    return bool(types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_))


# ---- arrays for the core ----------------------------------------------------------------------------------------------


def _dictionary(cells: Any) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]:
    """Codes, −1 for missing, and the texts that they stand for."""
    library, compute = arrow(), arrow(".compute")
    if library.types.is_floating(cells.type):
        cells = compute.if_else(compute.is_nan(cells), library.scalar(None, cells.type), cells)
    near = _near(cells)
    if near is not None:
        return near
    if not library.types.is_dictionary(cells.type):
        cells = compute.dictionary_encode(_as_text(cells) if is_text(cells.type) else cells)
    texts = _as_text(cells.dictionary)
    texts = compute.fill_null(texts, "") if texts.null_count else texts
    return _codes(cells.indices), *_texts(texts)


def _near(cells: Any) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]] | None:
    """The same of whole numbers that are near each other, as labels and years are, which need not be looked up."""
    library = arrow()
    if not library.types.is_integer(cells.type) or library.types.is_uint64(cells.type) or cells.null_count == len(cells):
        return None
    there = cells.drop_null().to_numpy(zero_copy_only=False)
    least, most = int(there.min()), int(there.max())
    if most - least >= _NEAR:
        return None
    given = cells.fill_null(least) if cells.null_count else cells
    codes = np.frombuffer(library.allocate_buffer(4 * len(cells)), np.int32)  # pyarrow keeps memory: fresh pages cost more
    np.subtract(given.to_numpy(zero_copy_only=False), least, out=codes, dtype=np.int64, casting="unsafe")
    if cells.null_count:
        codes[np.asarray(cells.is_null())] = -1
    spelled = library.array([str(number) for number in range(least, most + 1)], library.string())
    return codes, *_texts(spelled)


def _codes(numbers: Any) -> NDArray[np.int32]:
    """Whole numbers, −1 for missing."""
    library, compute = arrow(), arrow(".compute")
    whole = numbers if library.types.is_int32(numbers.type) else compute.cast(numbers, library.int32())
    given = compute.fill_null(whole, -1) if whole.null_count else whole
    return np.ascontiguousarray(given.to_numpy(zero_copy_only=False), np.int32)


def _texts(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of an array of strings without nulls, and where each begins; the last one's end."""
    _, offsets, data = texts.buffers()
    if len(texts) == 0 or offsets is None:
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    starts = np.frombuffer(offsets, np.int32, count=len(texts) + 1, offset=4 * texts.offset)
    return np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8), starts


def _coded(name: str, prefix: str, codes: NDArray[Any], texts: list[str]) -> Column:
    encoded = [text.encode() for text in texts]
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in encoded]))).astype(np.int32)
    bytes_ = np.frombuffer(b"".join(encoded), np.uint8)
    return Column.categories(name, prefix, np.maximum(codes, -1).astype(np.int32), bytes_, offsets)
