"""The course: every graded exercise has a solution that passes and an attempt that is refuted, every page all of its parts.

That what pages print is what the program prints, and that figures are current, is in test_docs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.course import FIGURES
from tests.course_solutions import SOLUTIONS, Perceptron
from tests.pages import ROOT
from thresher.lab import play

COURSE = ROOT / "docs" / "course"
PAGES = {name: COURSE / f"{name}.md" for name in FIGURES}
_EXERCISE = re.compile(r"(?ms)^\*\*Exercise (\d+\.\d)(, graded)?\.\*\*(.*?)(?=^\*\*Exercise|^Next:|^Back to)")
_GRADED = re.compile(r"thresher lab ([\w-]+) --learner mine\.py:Mine")


def exercises(page: Path) -> dict[str, tuple[bool, str]]:
    """By its number whether it is graded, and its text."""
    return {number: (bool(graded), text) for number, graded, text in _EXERCISE.findall(page.read_text(encoding="utf-8"))}


def graded() -> dict[str, str]:
    """By the number of a graded exercise, the theorem that its learner is played against."""
    found = [(number, _GRADED.search(text)) for page in PAGES.values() for number, (_, text) in exercises(page).items()]
    return {number: command[1] for number, command in found if command is not None}


@pytest.mark.parametrize("number", SOLUTIONS)
def test_a_right_solution_passes(number: str) -> None:
    result = play(graded()[number], learner=SOLUTIONS[number], quick=True)
    assert result.refuted is None
    assert result.skipped == ()


def test_every_graded_learner_has_a_solution() -> None:
    assert list(graded()) == list(SOLUTIONS)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_has_its_figure_a_refuted_attempt_and_two_to_four_exercises(page: Path) -> None:
    text, found = page.read_text(encoding="utf-8"), exercises(page)
    assert f"]({page.stem}.svg)" in text
    assert "*Proof" in text
    assert "$ thresher lab" in text
    assert 2 <= len(found) <= 4
    assert list(found) == [f"{int(page.stem[:2])}.{k}" for k in range(1, len(found) + 1)]
    first = found[f"{int(page.stem[:2])}.1"]
    assert first[0]
    assert "\nthresher: refuted: " in first[1]
    assert len(text.splitlines()) <= 125


def test_there_are_twelve_pages_each_in_the_table_of_contents_and_next_to_the_one_before() -> None:
    assert sorted(page.name for page in COURSE.glob("*.md")) == [*(f"{name}.md" for name in PAGES), "index.md"]
    contents = (COURSE / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \d+ \| \[.*?\]\((.*?)\)", contents, re.MULTILINE) == [f"{name}.md" for name in PAGES]
    following = [re.findall(r"^Next: .*\]\((.*)\)$", page.read_text(encoding="utf-8"), re.MULTILINE) for page in PAGES.values()]
    assert following == [*([f"{name}.md"] for name in list(PAGES)[1:]), []]


def test_the_claim_of_exercise_5_2_is_refuted() -> None:
    def claim(hinge: float, norm: float, radius: float) -> float:
        return hinge + (radius * norm) ** 2

    assert play("perceptron-hinge", bound=claim, quick=True).refuted is not None


def test_hebb_passes_where_exercise_5_3_says_so_and_fails_where_4_1_does() -> None:
    class Hebb(Perceptron):
        def learn(self, x: object, y: int) -> None:
            assert isinstance(x, tuple)
            self.weights = [w + y * value for w, value in zip(self.weights, x, strict=True)]

    assert play("perceptron-hinge", learner=Hebb, quick=True).refuted is None
    assert play("perceptron-separable", learner=Hebb, quick=True).refuted is not None


def test_the_perceptron_is_refuted_by_balanced_winnow_s_bound_where_attributes_are_many() -> None:
    refuted = play("balanced-winnow-tuned", learner=Perceptron).refuted
    assert refuted is not None
    assert refuted.size > 8
