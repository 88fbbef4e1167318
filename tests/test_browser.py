"""The pages in a real browser: nothing in the console, nothing from outside, and what they show, light, dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.browser import Browser, Tab, opened
from tests.commands import run, svmlight

COMMANDS: dict[str, tuple[object, ...]] = {
    "learn": ("learn", "demo:drift", "--window", 500, "--holdout-every", 50),
    "learn-alone": ("learn", "demo:oranges", "--learner", "perceptron"),
    "experts": ("experts", "demo:forecasts"),
    "certify": ("certify", "apart.svm", "--bits", 8),
    "lab": ("lab", "perceptron-separable", "--quick"),
}

HEADINGS = {
    "learn": [
        "Metrics",
        "What was said, and what was so",
        "Error",
        "Other metrics",
        "Probabilities",
        "Weights of the learners",
        "The course in numbers",
        "Which learners won",
        "What is proven",
        "The certificate",
        "The heaviest attributes",
        "The data",
        "What was run",
    ],
    "learn-alone": [
        "Metrics",
        "What was said, and what was so",
        "Error",
        "Other metrics",
        "The course in numbers",
        "What is proven",
        "The certificate",
        "The heaviest attributes",
        "The data",
        "What was run",
    ],
    "experts": [
        "Scores",
        "Weights",
        "Score so far",
        "Regret under its bound",
        "Next forecasts",
        "What is proven",
        "The certificate",
    ],
    "certify": [
        "What is proven, every premise checked on every row",
        "Mistakes under their bounds",
        "How far examples are on the right side",
        "The heaviest attributes of the witness of Perceptron, normalised (separable, after the run)",
        "Perceptron or Winnow?",
        "How good the witnesses are",
        "The certificate",
    ],
    "lab": ["Perceptron"],
}

CONTRASTS = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d");
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const against = (ink) => (Math.max(light(ink), paper) + 0.05) / (Math.min(light(ink), paper) + 0.05);
  const all = (query) => [...document.querySelectorAll(query)].map((each) => getComputedStyle(each));
  const least = (query, of) => Math.min(...all(query).map((style) => against(of(style))));
  return {
    paper: paper,
    text: least("h1, h2, h3, p, td, th, dt, dd, li, figcaption, button:not([aria-pressed=true])", (style) => style.color),
    marks: least("svg text", (style) => style.fill),
    lines: least("svg .line", (style) => style.stroke),
  };
})()
"""


class Shown(NamedTuple):
    """A page in the browser, and what the command said in JSON."""

    tab: Tab
    json: dict[str, Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened() as found:
        yield found


@pytest.fixture(scope="module", params=COMMANDS)
def shown(request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder: Path = tmp_path_factory.mktemp("pages")
    path = folder / f"{request.param}.html"
    rows = ((1 if k % 3 else -1, {1 + k % 3: 0.5 + k % 5 / 10, 5 + k % 7: 0.3}) for k in range(300))
    (folder / "apart.svm").write_text(svmlight(rows))
    with chdir(folder):
        ran = run(*COMMANDS[request.param], "--report", path, "--json")
    assert ran.status == 0
    return Shown(Tab(browser, path), ran.json)


def name_of(shown: Shown) -> str:
    return shown.tab.address.rpartition("/")[2].removesuffix(".html")


def cells(tab: Tab, heading: str) -> list[list[str]]:
    """The table below a heading, as the browser shows it."""
    table = f'[...document.querySelectorAll("section")].find((s) => s.querySelector("h2").innerText === {heading!r})'
    script = f'[...{table}.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.innerText))'
    found: list[list[str]] = tab.evaluate(script)
    return found


def test_the_console_stays_empty_and_nothing_is_asked_of_anybody(shown: Shown) -> None:
    assert shown.tab.complaints == []
    assert shown.tab.requests == [shown.tab.address]


def test_the_headings_are_there_in_order(shown: Shown) -> None:
    tab = shown.tab
    assert tab.evaluate('[...document.querySelectorAll("h2")].map((h) => h.innerText)') == HEADINGS[name_of(shown)]
    assert tab.evaluate('[...document.querySelectorAll("h1")].map((h) => h.innerText)') == [tab.evaluate("document.title")]


@pytest.mark.parametrize(
    ("scheme", "media", "dark"), [("light", "screen", False), ("dark", "screen", True), ("dark", "print", False)]
)
def test_all_can_be_read_on_a_light_screen_a_dark_one_and_paper(scheme: str, media: str, dark: bool, shown: Shown) -> None:
    shown.tab.show(scheme=scheme, media=media)
    contrast = shown.tab.evaluate(CONTRASTS)
    assert (contrast["paper"] < 0.02) if dark else (contrast["paper"] > 0.98)
    assert contrast["text"] >= 4.5  # what WCAG asks for
    assert contrast["marks"] >= 4.5
    assert contrast["lines"] >= 3.0


@pytest.mark.parametrize("width", [360, 1000])
def test_the_page_fits_a_phone_and_a_screen(width: int, shown: Shown) -> None:
    shown.tab.show(width=width)
    assert shown.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.tab.evaluate('Math.min(...[...document.querySelectorAll(".chart")].map((c) => c.clientHeight))') > 100


def test_pictures_have_names_and_tables_can_be_reached_by_keyboard(shown: Shown) -> None:
    tab = shown.tab
    names = tab.evaluate(
        '[...document.querySelectorAll("svg.chart")].map((c) => [c.role, c.querySelector("title").textContent])'
    )
    assert names
    assert all(role == "img" and name for role, name in names)
    assert tab.evaluate('[...document.querySelectorAll(".scroll")].every((t) => (t.focus(), document.activeElement === t))')
    assert tab.evaluate('[...document.querySelectorAll("table")].every((t) => t.tHead.rows[0].cells[0].tagName === "TH")')


def test_lines_are_drawn_where_they_can_be_seen(shown: Shown) -> None:
    shown.tab.show()
    drawn = '[...document.querySelectorAll(".chart .line")].filter((line) => line.getAttribute("d"))'  # one may be above it all
    script = f"{drawn}.map((line) => line.getBoundingClientRect().width)"
    widths: list[float] = shown.tab.evaluate(script)
    assert len(widths) >= 2
    assert min(widths) > 100


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f} %"


@pytest.mark.parametrize("shown", ["learn"], indirect=True)
def test_the_numbers_are_those_of_the_json(shown: Shown) -> None:
    told, metrics = shown.json, shown.json["metrics"]
    columns = [metrics["so_far"], metrics["last"], metrics["held_out"]["so_far"], metrics["held_out"]["last"]]
    rows = {row[0]: row[1:] for row in cells(shown.tab, "Metrics")}
    assert rows["examples"] == [f"{each['rounds']:,}" for each in columns]
    for name in ("accuracy", "balanced_accuracy", "precision", "recall"):
        assert rows[name.replace("_", " ")] == [percent(each[name]) for each in columns]
    for name, spelled in {"f1": "F1", "matthews": "Matthews", "log_loss": "log loss", "brier": "Brier", "auc": "AUC"}.items():
        assert rows[spelled] == ["–" if each[name] is None else f"{each[name]:.4f}" for each in columns]
    confusion, said = told["confusion"], cells(shown.tab, "What was said, and what was so")
    assert said[1][1:] == [f"{confusion['true_positives']:,}", f"{confusion['false_negatives']:,}"]
    assert said[2][1:] == [f"{confusion['false_positives']:,}", f"{confusion['true_negatives']:,}"]
    lanes = {lane["name"]: lane for lane in told["lanes"]}
    for name, mistakes, weight in cells(shown.tab, "Which learners won")[1:]:
        assert (mistakes, weight) == (f"{lanes[name]['mistakes']:,}", f"{100 * lanes[name]['weight']:.1f} %")
    assert len(cells(shown.tab, "Which learners won")) == 1 + len(lanes)
    proven = cells(shown.tab, "What is proven")[1:]
    assert [(row[0], row[3]) for row in proven] == [(each["verdict"], each["theorem"]) for each in told["certificates"]]
    text = shown.tab.evaluate("document.body.innerText")
    assert f"{told['examples']:,} examples of demo:drift" in text
    assert re.search(rf"{told['positives']:,} sold \(\d+\.\d\d %\)", text)


def test_a_page_that_complains_or_asks_for_more_is_seen_to(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text('<img src="more.png"><script>console.warn("hm"); nothing.here()</script>')
    tab = Tab(browser, path)
    assert len(tab.complaints) >= 3  # no such picture, a warning, an exception
    assert [address.rpartition("/")[2] for address in tab.requests] == ["bad.html", "more.png"]
