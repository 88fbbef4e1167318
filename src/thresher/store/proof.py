"""The file of a proof: JSON that says which learner made how many mistakes on which stream, and which theorems cover that."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from thresher.bounds.printed import shown
from thresher.data.recipe import HASH, MOST_TOGETHER, Recipe, interactions_in_order, spellable
from thresher.data.source import Place
from thresher.data.table_recipe import COLUMNS, TableRecipe
from thresher.errors import ParameterError, StoreError
from thresher.store import atomic
from thresher.store.container import each_once

__all__ = ["CERTIFICATE", "KIND", "VERSION", "Reading", "read_proof", "write_proof"]

KIND = "thresher proof"
VERSION = 1

#: What a file says of a certificate.
CERTIFICATE = ("theorem", "formula", "citation", "on", "count", "bound", "at_most", "any_order", "numbers", "checked")

_WHOLE = ("kind", "version", "reading", "runs")
_RUN = ("stream", "learner", "mistakes", "updates", "proven")
_STREAM = ("fingerprint", "n", *HASH, "examples", "positives", "best_constant", "repeat_last")
_NUMBERS = re.compile(r"\[\s+([-+0-9.e,\s]+?)\s+\]")


class Reading(NamedTuple):
    """How the stream of a proof was read, where that cannot be seen from the text itself."""

    positive: str | None
    zero_based: bool
    interactions: tuple[str, ...] = ()
    ngrams: int = 1
    table: TableRecipe | None = None

    @classmethod
    def of(cls, recipe: Recipe) -> Reading:
        """What a recipe says of that; of a table what a user could say."""
        table = None if recipe.table is None else replace(recipe.table, kinds={}, scales={})
        return cls(recipe.plus, recipe.zero_based, recipe.interactions, recipe.ngrams, table)

    @property
    def options(self) -> dict[str, Any]:
        """The same for `open_stream`."""
        columns = {} if self.table is None else {name: getattr(self.table, name) for name in COLUMNS}
        return {**{name: getattr(self, name) for name in self._fields if name != "table"}, **columns}

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it; nothing is said of a table where there is none."""
        fields = {name: value for name, value in self._asdict().items() if name != "table"}
        return fields if self.table is None else {**fields, "table": self.table.as_dict()}


def write_proof(path: Place, reading: Reading | None, runs: Iterable[Mapping[str, Any]]) -> None:
    """Writes a proof, whole or not at all: a field a line, and each list of numbers on one."""
    how = None if reading is None else reading.as_dict()
    whole = {"kind": KIND, "version": VERSION, "reading": how, "runs": list(runs)}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1)
    atomic.replace(path, [_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text).encode(), b"\n"])


def read_proof(path: Place) -> tuple[Reading | None, list[Mapping[str, Any]]]:
    """How its stream is read, and its runs: all fields are there, and nothing is known of what they say.

    A file that is damaged, foreign or newer raises `StoreError`.
    """
    try:
        text = Path(path).read_bytes().decode()
        stored = json.loads(text, object_pairs_hook=each_once, parse_constant=_no_number, parse_float=_finite)
        return _shaped(stored)
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        why = "too deeply nested" if isinstance(error, RecursionError) else error
        raise StoreError(f"{path}: found no JSON ({why}), expected the file of a proof") from None


def _shaped(stored: object) -> tuple[Reading | None, list[Mapping[str, Any]]]:
    if not isinstance(stored, Mapping) or stored.get("kind") != KIND:
        kind = f"kind {shown(stored.get('kind'))}" if isinstance(stored, Mapping) else shown(stored)
        raise StoreError(f"found {kind}, in a file that does not say that it is a {KIND}")
    version = stored.get("version")
    if type(version) is not int or version != VERSION:
        raise StoreError(f"found a proof of version {shown(version)}, expected version {VERSION}, which this Thresher reads")
    whole = _fields(stored, _WHOLE, "the proof")
    runs = [_run(run, f"runs[{k}]") for k, run in enumerate(_listed(whole["runs"], "runs"))]
    if not runs:
        raise StoreError("runs: found none, expected at least one")
    return _reading(whole["reading"]), runs


def _run(stored: object, place: str) -> Mapping[str, Any]:
    run = _fields(stored, _RUN, place)
    _fields(run["stream"], _STREAM, f"{place}.stream")
    _fields(run["learner"], ("name", "parameters"), f"{place}.learner")
    for k, proven in enumerate(_listed(run["proven"], f"{place}.proven")):
        here = f"{place}.proven[{k}]"
        certificates = _fields(proven, ("witness", "certificates"), here)["certificates"]
        for j, certificate in enumerate(_listed(certificates, f"{here}.certificates")):
            _fields(certificate, CERTIFICATE, f"{here}.certificates[{j}]")
    return run


def _reading(stored: object) -> Reading | None:
    if stored is None:
        return None
    tabled = isinstance(stored, Mapping) and "table" in stored
    fields = _fields(stored, Reading._fields if tabled else Reading._fields[:-1], "reading")
    positive, zero_based, interactions, ngrams = (fields[name] for name in Reading._fields[:-1])
    if not (positive is None or (isinstance(positive, str) and spellable(positive))):
        raise StoreError(f"reading.positive: found {shown(positive)}, expected a label or null")
    if type(zero_based) is not bool:
        raise StoreError(f"reading.zero_based: found {shown(zero_based)}, expected true or false")
    if type(ngrams) is not int or not 1 <= ngrams <= MOST_TOGETHER:
        raise StoreError(f"reading.ngrams: found {shown(ngrams)}, expected from 1 to {MOST_TOGETHER}")
    try:
        ordered = [*interactions_in_order(_listed(interactions, "reading.interactions"))]
    except ParameterError as error:
        raise StoreError(f"reading.interactions: {error}") from None
    if interactions != ordered:
        raise StoreError(f"reading.interactions: found {shown(interactions)}, expected {shown(ordered)}")
    table = TableRecipe.from_dict(fields["table"]) if tabled else None
    return Reading(positive, zero_based, tuple(ordered), ngrams, table)


def _fields(stored: object, names: tuple[str, ...], place: str) -> Mapping[str, Any]:
    if not isinstance(stored, Mapping) or set(stored) != set(names):
        found = ", ".join(map(str, stored)) if isinstance(stored, Mapping) else shown(stored)
        raise StoreError(f"{place}: found {found}, expected the fields {', '.join(names)}")
    return stored


def _listed(stored: object, place: str) -> list[object]:
    if not isinstance(stored, list):
        raise StoreError(f"{place}: found {shown(stored)}, expected a list")
    return stored


def _no_number(word: str) -> NoReturn:
    raise StoreError(f"found {word}, expected a finite number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise StoreError(f"found {digits}, expected a number that float64 holds")
    return number
