"""The laboratory's page in a real browser: a visitor's streams, step by step, against the library's traces and bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.browser import Browser, Tab, opened
from tests.plays import quick
from thresher.hindsight.separator import best_separator
from thresher.report.laboratory import laboratory_page

Pairs = Sequence[tuple[Sequence[float], int]]

#: What the page begins with, in the plane.
POINTS: Pairs = [
    ((-2, 0.5), -1), ((3.5, -0.5), 1), ((-3, -1), 1), ((0, -3.5), 1), ((-2.5, 3.5), -1), ((-4, 3), -1), ((3.5, 0), 1),
]  # fmt: skip
#: And of bits.
BITS: Pairs = [
    (tuple(map(int, bits)), y)
    for bits, y in (("11000000", 1), ("00111100", -1), ("01010010", 1), ("00001111", -1), ("10000001", 1), ("00110011", -1))
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened() as found:
        yield found


@pytest.fixture(scope="module")
def html() -> str:
    return laboratory_page([quick(name) for name in ("perceptron-separable", "winnow-simple", "halving")])


@pytest.fixture
def tab(browser: Browser, html: str, tmp_path: Path) -> Iterator[Tab]:
    path = tmp_path / "lab.html"
    path.write_text(html, encoding="utf-8")
    made = Tab(browser, path)
    yield made
    assert made.complaints == []
    assert made.requests == [made.address]


def rows(tab: Tab, bench: str) -> list[list[str]]:
    """The rounds below a bench, as the browser has them."""
    script = f'[...document.querySelectorAll(".{bench} tbody tr")].map((row) => [...row.cells].map((c) => c.textContent))'
    found: list[list[str]] = tab.evaluate(script)
    return found


def said(tab: Tab, bench: str) -> str:
    told: str = tab.evaluate(f'document.querySelector(".{bench} [role=status]").textContent')
    return told


def traced(learner: Any, stream: Pairs) -> list[list[str]]:
    return [list(line.values()) for line in th.trace(learner, stream).as_dicts()]


def spelled(stream: Pairs) -> str:
    return json.dumps([{"x": list(x), "y": y} for x, y in stream])


# ------------------------------------------------------------------------------------------------ through mouse and keyboard


def test_the_perceptron_is_stepped_through_and_back(tab: Tab) -> None:
    assert rows(tab, "perceptron") == []
    assert said(tab, "perceptron").startswith("0 rounds, 0 mistakes.")
    for k in range(1, 9):  # over the end, and on with the first
        tab.click(".perceptron [data-do=step]")
        assert rows(tab, "perceptron") == traced(th.Perceptron(2), [*POINTS, POINTS[0]][:k])
    tab.click(".perceptron [data-do=back]")
    assert rows(tab, "perceptron") == traced(th.Perceptron(2), POINTS)
    tab.click(".perceptron [data-do=again]")
    assert rows(tab, "perceptron") == []
    for _ in range(3):
        tab.click(".perceptron [data-do=pass]")
    learner = th.Perceptron(2)
    assert rows(tab, "perceptron") == traced(learner, [*POINTS] * 3)
    found = best_separator([([x for x, _ in POINTS], [y for _, y in POINTS])], gap=1e-4)
    most = th.bounds.perceptron_separable(margin=found.margin, radius=5).at_most
    assert said(tab, "perceptron") == (
        f"21 rounds, {learner.mistakes} mistakes. R = 5.000 and γ = {found.margin:.3f}: at most (R/γ)² mistakes, so {most}, "
        "in any order and however often the points come."
    )
    assert learner.mistakes == 6


def test_a_click_into_the_plane_adds_a_point(tab: Tab) -> None:
    tab.click(".perceptron [data-do=clear]")
    assert said(tab, "perceptron") == "0 rounds, 0 mistakes. Click into the plane, or type an example, to begin a stream."
    assert tab.evaluate('document.querySelector(".perceptron [data-do=step]").disabled')
    tab.click(".perceptron svg", (5.5 + 2) / 11, (5.5 - 1.5) / 11)
    tab.evaluate('document.querySelector(".perceptron select").value = "-1"')
    tab.click(".perceptron svg", (5.5 - 3) / 11, (5.5 - 4) / 11)
    tab.click(".perceptron svg", (5.5 + 1.2) / 11, (5.5 + 2.1) / 11)  # to the nearest half
    tab.click(".perceptron [data-do=pass]")
    assert rows(tab, "perceptron") == traced(th.Perceptron(2), [((2, 1.5), 1), ((-3, 4), -1), ((1, -2), -1)])


def test_all_can_be_done_by_keyboard(tab: Tab) -> None:
    tab.evaluate('document.querySelector(".winnow [data-do=step]").focus()')
    tab.press("Enter", "\r")
    tab.press(" ", " ")
    assert rows(tab, "winnow") == traced(th.Winnow(8), BITS[:2])
    for _ in range(4):  # back, one pass, from the start, new stream
        tab.press("Tab")
    tab.press("Enter", "\r")
    for k in range(8):  # x1 is on at first; x1, x3, x5, x7 are toggled
        tab.press("Tab")
        if k % 2 == 0:
            tab.press(" ", " ")
    tab.press("Tab")
    tab.press("ArrowDown")
    tab.press("Tab")
    tab.press("Enter", "\r")
    tab.click(".winnow [data-do=step]")
    assert rows(tab, "winnow") == traced(th.Winnow(8), [((0, 0, 1, 0, 1, 0, 1, 0), -1)])


def test_winnow_is_stepped_through_with_its_bound_beside(tab: Tab) -> None:
    for _ in range(4):
        tab.click(".winnow [data-do=pass]")
    learner = th.Winnow(8)
    assert rows(tab, "winnow") == traced(learner, [*BITS] * 4)
    most = th.bounds.winnow_disjunction(2, n=8).at_most
    assert said(tab, "winnow") == (
        f"24 rounds, {learner.mistakes} mistakes. All labels fit x1 ∨ x2, r = 2: at most {most} mistakes, in any order and "
        "however often the examples come."
    )
    tab.click(".winnow form > button")  # x1 alone, +1: still a disjunction
    tab.evaluate('document.querySelector(".winnow select").value = "-1"')
    tab.click(".winnow form > button")
    assert "No disjunction fits all labels." in said(tab, "winnow")


# ------------------------------------------------------------------------------------------------ against the library


@pytest.fixture(scope="module")
def steps(browser: Browser, html: str, tmp_path_factory: pytest.TempPathFactory) -> Tab:
    path = tmp_path_factory.mktemp("steps") / "lab.html"
    path.write_text(html, encoding="utf-8")
    return Tab(browser, path)


@pytest.mark.parametrize("seed", range(4))
def test_rounds_are_those_of_the_trace(steps: Tab, seed: int) -> None:
    chance = np.random.default_rng(seed)
    points = [
        (tuple(x), int(y)) for x, y in zip(chance.integers(-10, 11, (60, 2)) / 2, chance.choice([-1, 1], 60), strict=True)
    ]
    assert steps.evaluate(f"Steps.perceptron({spelled(points)}).map(Steps.cells)") == traced(th.Perceptron(2), points)
    X = chance.integers(0, 2, (60, 8))
    bits = [(tuple(map(int, x)), int(y)) for x, y in zip(X, chance.choice([-1, 1], 60), strict=True)]
    assert steps.evaluate(f"Steps.winnow(8, {spelled(bits)}).map(Steps.cells)") == traced(th.Winnow(8), bits)


@pytest.mark.parametrize("seed", range(6))
def test_the_perceptron_s_bound_is_that_of_the_widest_margin(steps: Tab, seed: int) -> None:
    chance = np.random.default_rng(seed)
    u = chance.standard_normal(2)
    X = chance.integers(-10, 11, (3 + 3 * seed, 2)) / 2
    stream = [(tuple(map(float, x)), 1 if x @ u > 0 else -1) for x in X if abs(x @ u) > 0]
    told = steps.evaluate(f"Steps.perceptronBound({spelled(stream)})")
    found = best_separator([([x for x, _ in stream], [y for _, y in stream])], gap=1e-4)
    assert found.margin * (1 - 1e-9) <= told["margin"] <= found.most * (1 + 1e-9)
    assert told["radius"] == pytest.approx(max(math.hypot(*x) for x, _ in stream))
    assert told["most"] == th.bounds.perceptron_separable(margin=told["margin"] * (1 + 1e-12), radius=told["radius"]).at_most
    both = [*stream, (stream[0][0], -stream[0][1])]
    assert steps.evaluate(f"Steps.perceptronBound({spelled(both)})") is None


def test_points_that_no_line_through_the_origin_separates_have_no_bound(steps: Tab) -> None:
    around = [((2.0, 0.0), 1), ((-1.0, 1.5), 1), ((-1.0, -2.0), 1)]
    assert best_separator([([x for x, _ in around], [1, 1, 1])]).inseparable
    assert steps.evaluate(f"Steps.perceptronBound({spelled(around)})") is None
    assert steps.evaluate("Steps.perceptronBound([{ x: [0, 0], y: 1 }, { x: [1, 0], y: 1 }])") is None


def best_disjunction(stream: Pairs) -> tuple[int, int]:
    """The least of Winnow's bounds over all sets of attributes, and the least of those whose disjunction fits, or -1."""
    all_of_them, fitting = [], []
    for r in range(9):
        for relevant in combinations(range(8), r):
            on = [(sum(int(x[i]) for i in relevant), y) for x, y in stream]
            errors = sum(int(count == 0) if y == 1 else count for count, y in on)
            if errors == 0:
                fitting.append(th.bounds.winnow_disjunction(r, n=8).at_most)
            else:
                all_of_them.append(th.bounds.winnow_agnostic(r, errors=errors, n=8).at_most)
    return min(all_of_them + fitting), min(fitting, default=-1)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_winnow_s_bounds_are_the_library_s(steps: Tab, noise: float) -> None:
    chance = np.random.default_rng(7)
    X = chance.random((12, 8)) < 0.3
    stream = [
        (tuple(map(int, x)), (1 if x[1] or x[4] else -1) * (-1 if chance.random() < noise else 1)) for x in X
    ]  # fmt: skip
    bounds = 'JSON.parse(document.querySelector(".winnow").dataset.bounds)'
    steps.evaluate(f"found = Steps.winnowBounds({bounds}, {spelled(stream)}), 0")
    told = steps.evaluate("[found[0].most, found.find(({ errors }) => errors === 0)?.most ?? -1]")
    assert tuple(told) == best_disjunction(stream)
    assert (told[1] == -1) == (noise > 0)


# ------------------------------------------------------------------------------------------------ the page


def test_links_lead_somewhere_and_benches_stay_off_paper(steps: Tab) -> None:
    assert steps.evaluate('[...document.querySelectorAll("nav a")].map((a) => document.querySelector(a.hash).innerText)') == [
        "Perceptron", "Winnow, disjunctions", "Finite classes",
    ]  # fmt: skip
    assert steps.evaluate('new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size') == steps.evaluate(
        'document.querySelectorAll("[id]").length'
    )
    steps.show(media="print")
    assert steps.evaluate('[...document.querySelectorAll(".bench")].map((b) => b.clientHeight)') == [0, 0]
    steps.show(width=360)
    assert steps.evaluate("document.documentElement.scrollWidth") <= 360
