"""Learners to step through on a page: the Perceptron in the plane and Winnow on bits, on a stream of the visitor's own.

What they do is in `steps.js`; a test in a browser compares its rounds with those of `th.trace`, its bounds with `th.bounds`.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files

from thresher import bounds
from thresher.report.page import tabled

__all__ = ["BENCHES", "STYLE", "script"]

_N = 8
_HEAD = ("t", "x", "w before", "score", "prediction", "label", "mistake", "w after")
_BUTTONS = {"step": "Step", "back": "Back", "pass": "One pass", "again": "From the start", "clear": "New stream"}

STYLE = """
.bench form, .buttons { display: flex; flex-wrap: wrap; gap: 0.4rem 0.8rem; align-items: center; margin: 0.5rem 0; }
.bench button, .bench select, .bench input { font: inherit; color: var(--ink); background: var(--band); }
.bench button, .bench select, .bench input { padding: 0.2rem 0.7rem; border: 1px solid var(--soft); border-radius: 4px; }
.bench button { cursor: pointer; min-height: 2rem; }
.bench button:disabled { color: var(--soft); border-color: var(--rule); cursor: default; }
.bench button[aria-pressed] { padding: 0.2rem 0.4rem; }
.bench button[aria-pressed=true] { color: var(--paper); background: var(--ink); }
.bench input { width: 4.5rem; }
.bits { display: flex; flex-wrap: wrap; gap: 0.2rem; }
.bench .drawn { display: block; width: 100%; max-width: 26rem; height: auto; }
.perceptron .drawn { cursor: crosshair; border: 1px solid var(--rule); touch-action: manipulation; }
.perceptron .line { stroke-width: 0.05; }
.perceptron .line-0, .perceptron .sign { stroke-width: 0.09; stroke-dasharray: none; }
.perceptron .grid { stroke-width: 0.02; }
.perceptron .axis { stroke-width: 0.03; }
.winnow .drawn text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.winnow .bar { stroke-width: 18; stroke-dasharray: none; }
.bench table { font-size: 0.8rem; }
.bench th, .bench td { white-space: nowrap; padding: 0.1rem 0.4rem; }
.bench th:first-child, .bench td:first-child { min-width: 2rem; }
.bench .mistake td { font-weight: 600; }
.bench .scroll { max-height: 22rem; overflow-y: auto; }
#tip path { fill: var(--ink); }
@media print { .bench { display: none; } }
"""


def script() -> str:
    """What makes the benches of a page work; without it a page has none.

    >>> "class Bench" in script(), "http" in script().replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    return f"<script>\n{files('thresher.report').joinpath('steps.js').read_text(encoding='utf-8')}</script>"


def _bench(kind: str, heading: str, *, text: str, picture: str, inputs: str, data: str = "") -> str:
    buttons = "".join(f'<button type="button" data-do="{action}">{words}</button>' for action, words in _BUTTONS.items())
    label = '<label>label <select><option value="1">+1</option><option value="-1">−1</option></select></label>'
    return (
        f'<article class="bench {kind}"{data}><h3>{heading}</h3><p class="soft">{escape(text)}</p>{picture}'
        f'<p role="status"></p><div class="buttons">{buttons}</div>'
        f"<form>{inputs}{label}<button>Add example</button></form>{tabled(_HEAD, [], 'rounds')}"
        "<noscript><p>Stepping needs JavaScript.</p></noscript></article>"
    )


def _perceptron() -> str:
    lines = "".join(f'<path class="grid" d="M{k} -5.5V5.5M-5.5 {k}H5.5"/>' for k in range(-5, 6))
    tip = '<marker id="tip" viewBox="0 0 4 4" refX="3" refY="2" markerWidth="4" markerHeight="4" orient="auto">'
    picture = (
        '<svg class="drawn" viewBox="-5.5 -5.5 11 11" role="img"><title>The plane: points, weight vector and line</title>'
        f'<defs>{tip}<path d="M0 0L4 2L0 4z"/></marker></defs>{lines}'
        '<path class="axis" d="M0 -5.5V5.5M-5.5 0H5.5"/><g></g></svg>'
    )
    inputs = "".join(
        f'<label>x{k} <input type="number" min="-5" max="5" step="0.5" value="1" required></label>' for k in (1, 2)
    )
    text = (
        "A click into the plane adds a point with the label chosen below; so does the form. Step plays the next point, ringed: "
        "where the Perceptron errs, the point, signed by its label, is added to the weight vector, and the line turns. "
        "(A longer arrow than 5 is drawn as 5.)"
    )
    return _bench("perceptron", "Step through the Perceptron", text=text, picture=picture, inputs=inputs)


def _winnow() -> str:
    fitting = [bounds.winnow_disjunction(r, n=_N).at_most for r in range(_N + 1)]
    unfitting = [bounds.winnow_agnostic(r, errors=0, n=_N).at_most for r in range(_N + 1)]
    error = bounds.winnow_agnostic(1, errors=1, n=_N).at_most - bounds.winnow_agnostic(1, errors=0, n=_N).at_most
    told = json.dumps({"n": _N, "fitting": fitting, "unfitting": unfitting, "error": error})
    picture = (
        '<svg class="drawn" viewBox="0 0 350 174" role="img"><title>Winnow\'s weights, and its threshold</title><g></g></svg>'
    )
    bits = "".join(f'<button type="button" aria-pressed="{str(k <= 1).lower()}">x{k}</button>' for k in range(1, _N + 1))
    text = (
        "Toggle the bits of an example, choose its label and add it. Step plays the next example: where Winnow errs, the "
        "weights of the bits that are on are doubled if the label is +1, and halved if it is −1."
    )
    inputs = f'<div class="bits" role="group" aria-label="bits of the example">{bits}</div>'
    data = f' data-bounds="{escape(told)}"'
    return _bench("winnow", "Step through Winnow", text=text, picture=picture, inputs=inputs, data=data)


#: By family, what a visitor can step through there.
BENCHES = {"Perceptron": _perceptron, "Winnow, disjunctions": _winnow}
