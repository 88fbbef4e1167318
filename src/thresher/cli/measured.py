"""The metrics of a run in words, in a table, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.evaluate import Measured, Measuring, percent
from thresher.evaluate.metrics import NAMES

__all__ = ["measured_as_dict", "measured_in_words", "measured_rows", "measured_table"]

_SHARES = ("accuracy", "balanced_accuracy", "precision", "recall")
_SPELLED = {"f1": "F1", "matthews": "Matthews", "brier": "Brier", "auc": "AUC"}


def measured_in_words(measured: Measured) -> str:
    """What precision and recall do not say; only what is defined.

    >>> measured_in_words(Measured(10, found=4.0, missed=1.0, false_alarms=1.0, rejected=4.0))
    'balanced accuracy 80.00 %, F1 0.8000, Matthews 0.6000'
    """
    names = ("balanced_accuracy", "f1", "matthews", "log_loss", "brier")
    return ", ".join(f"{_called(name)} {_cell(name, measured)}" for name in names if getattr(measured, name) is not None)


def measured_rows(measuring: Measuring) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """A head and rows: what was measured so far, over the window, and of what was held out."""
    window = f"last {measuring.metrics.window:,}"
    head, columns = ["metric", "so far", window], [measuring.metrics.so_far, measuring.metrics.last]
    if measuring.held is not None:
        head += ["held out", f"{window} of them"]
        columns += [measuring.held.so_far, measuring.held.last]
    rows = [("examples", *(f"{each.rounds:,}" for each in columns))]
    return head, rows + [(_called(name), *(_cell(name, each) for each in columns)) for name in NAMES]


def measured_table(measuring: Measuring) -> str:
    """The same in lines."""
    head, rows = measured_rows(measuring)
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = [
        "  ".join([f"{row[0]:<{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in (head, *rows)
    ]
    return "\n".join(lines)


def measured_as_dict(measuring: Measuring) -> dict[str, Any]:
    """The same as JSON can hold it."""
    held = measuring.held
    return {
        "window": measuring.metrics.window,
        "so_far": measuring.metrics.so_far.as_dict(),
        "last": measuring.metrics.last.as_dict(),
        "held_out": None
        if held is None
        else {"every": measuring.every, "so_far": held.so_far.as_dict(), "last": held.last.as_dict()},
    }


def _called(name: str) -> str:
    return _SPELLED.get(name, name.replace("_", " "))


def _cell(name: str, measured: Measured) -> str:
    value: float | None = getattr(measured, name)
    return percent(value) if name in _SHARES else "–" if value is None else f"{value:.4f}"
