"""The page of `thresher experts --report`: one file, readable by itself, that says what the screen says."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.commands import run
from tests.forecast_tables import forecasts, write_table
from tests.html import charts, check_stands_alone, lines, parsed
from thresher.report.chart import CLASSES, Line, chart, legend, ticks
from thresher.report.curves import GREY, Curves
from thresher.report.experts import Page, page


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The page of the demo, and the screen."""
    path = tmp_path_factory.mktemp("report") / "page.html"
    ran = run("experts", "demo:forecasts", "--report", path)
    assert ran.status == 0
    return path.read_text(encoding="utf-8"), ran.out


# ---- the page ------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_but_itself(demo: tuple[str, str]) -> None:
    check_stands_alone(demo[0])


def test_the_page_is_made_for_screens_dark_screens_and_paper(demo: tuple[str, str]) -> None:
    html, _ = demo
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert 'name="viewport"' in html
    assert '<html lang="en">' in html
    for k in range(CLASSES):
        assert len(re.findall(rf"\.line-{k} {{ stroke: #", html)) == 3
    assert not re.search(r'<(path|text)[^>]*style="', html)


def test_the_page_says_what_the_screen_says(demo: tuple[str, str]) -> None:
    html, shown = demo
    words = " ".join(" ".join(parsed(html).text).split())
    proven = shown.partition("What is proven\n")[2].splitlines()[0]
    assert proven in words
    table = shown.split("\n\n")[1].splitlines()[1:]
    assert len(table) == 6
    for row in table:
        for cell in re.split(r"\s{2,}", row.strip()):
            assert cell in words
    assert "2025-03-11" in words
    for heading in ("Scores", "Weights", "Score so far", "Regret under its bound", "Next forecasts", "The certificate"):
        assert f"<h2>{heading}</h2>" in html


def test_the_pictures_show_the_course(demo: tuple[str, str]) -> None:
    weights, scores, regret = (lines(svg) for svg in charts(demo[0]))
    assert set(weights) == {"almanac", "scales", "trader"}
    assert set(scores) == {*weights, "the combination", "the plain average", "the best fixed mixture, known afterwards"}
    assert set(regret) == {"regret", "proven"}
    points = {len(line) for picture in (weights, scores, regret) for line in picture.values()}
    assert len(points) == 1
    assert 200 < points.pop() <= 242
    before = int(0.48 * len(weights["scales"]))
    assert weights["scales"][before][1] < weights["trader"][before][1]  # up is less
    assert weights["scales"][-1][1] > weights["trader"][-1][1]
    assert all(low[1] >= high[1] for low, high in zip(regret["regret"], regret["proven"], strict=True))
    end = {name: line[-1][1] for name, line in scores.items()}
    assert max(end, key=end.__getitem__) == "the combination"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a&b", '"q"\'', "grün", "]]>"])
def test_names_of_columns_are_escaped(name: str, tmp_path: Path) -> None:
    F, y = forecasts(30)
    quoted = '"' + name.replace('"', '""') + '"'
    table = write_table(tmp_path / "t.csv", {quoted: F[:, 0], "b": F[:, 1], "y": y})
    ran = run("experts", table, "--outcome", "y", "--report", tmp_path / "page.html")
    assert ran.status == 0
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    checked = parsed(html)
    assert name in " ".join(checked.text)
    assert "script" not in {tag for tag, _ in checked.seen}
    assert name in lines(charts(html)[0])


def test_many_forecasters_share_a_colour_and_the_legend_says_how_many(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    table = write_table(tmp_path / "t.csv", {**{f"f{k:02}": y + rng.normal(size=60) for k in range(30)}, "y": y})
    assert run("experts", table, "--outcome", "y", "--report", tmp_path / "page.html").status == 0
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "25 other forecasters" in html
    assert len(lines(charts(html)[0])) == 30


def test_of_very_many_forecasters_the_heaviest_are_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=20)
    table = write_table(tmp_path / "t.csv", {**{f"f{k:02}": y + (k + 1) * rng.normal(size=20) for k in range(90)}, "y": y})
    assert run("experts", table, "--outcome", "y", "--report", tmp_path / "page.html").status == 0
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "each of the 40 heaviest of 90 forecasters" in html
    assert len(lines(charts(html)[0])) == 40


@pytest.mark.parametrize("rounds", [1, 2, 11])
def test_a_short_run_has_a_page_too(rounds: int, tmp_path: Path) -> None:
    F, y = forecasts(rounds)
    table = write_table(tmp_path / "t.csv", {"a": F[:, 0], "b": F[:, 1], "y": y})
    assert run("experts", table, "--outcome", "y", "--report", tmp_path / "page.html").status == 0
    for svg in charts((tmp_path / "page.html").read_text(encoding="utf-8")):
        assert all(math.isfinite(value) for line in lines(svg).values() for point in line for value in point)


def test_a_page_without_proof_pictures_or_coming_rows() -> None:
    html = page(Page("t", [], (["who"], [["a"]]), [], "", [], ([], []), ([], []), {}))
    parsed(html)
    assert "Next forecasts" not in html
    assert 'class="proof"' not in html


# ---- charts --------------------------------------------------------------------------------------------------------


def test_points_fall_where_their_numbers_say() -> None:
    svg = chart("c", [0, 50, 100], [Line("a", [0.0, 0.5, 1.0], "line-1")], axis="w")
    (left, bottom), (middle, half), (right, top) = lines(svg)["a"]
    assert middle == pytest.approx((left + right) / 2, abs=0.1)
    assert half == pytest.approx((top + bottom) / 2, abs=0.1)
    assert left < right
    assert top < bottom


def test_a_line_is_broken_where_it_has_no_value() -> None:
    drawn = chart("c", [0, 1, 2, 3, 4], [Line("a", [0.0, 1.0, math.nan, 1.0, math.inf], "line-1")], axis="w")
    (path,) = re.findall(r'class="line line-1" [^>]*d="([^"]*)"', drawn)
    assert (path.count("M"), path.count("L")) == (2, 1)


def test_what_is_cut_off_does_not_stretch_the_axis() -> None:
    tall = chart("c", [0, 1], [Line("a", [0.0, 1e6], "line-1"), Line("b", [0.0, 2.0], "line-2")], axis="w", top=4.0)
    points = lines(tall)
    height = points["b"][0][1] - points["b"][1][1]
    assert height > 100
    assert points["a"][1][1] < 0


@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-9), (0.0, 7e8), (-3.5, 0.2), (0.0, 0.3), (-1e5, 4e4), (5.0, 5.1)])
def test_ticks_are_round_few_and_cover(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 8
    assert marks[0] <= low + 1e-9 * abs(low)
    assert marks[-1] >= high - 1e-9 * abs(high)
    step = marks[1] - marks[0]
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9)) in (1, 2, 5, 10)


def test_the_legend_escapes_and_has_a_swatch_for_each() -> None:
    html = legend([Line("a<b", (), "line-1"), Line("c", (), "line-2")])
    assert parsed(html).text == ["a<b", "c"]
    assert html.count("<svg") == 2


def test_a_picture_of_lines_without_colours_of_their_own() -> None:
    lines = [("x", [1.0, 2.0], GREY), ("y", [1.0, 3.0], GREY)]
    picture = Curves("P", "", "w", [1.0, 2.0], lines, lambda t: f"<{t:.0f}>", others="forecaster")
    html = page(Page("t", [], (["who"], [["a"]]), [], "", [picture], ([], []), ([], []), {}))
    assert "2 other forecasters" in html
    assert "&lt;1&gt;" in html
