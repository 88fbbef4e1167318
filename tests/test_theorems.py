"""No theorem is left out of the page of theorems, and each tells everything of itself."""

from __future__ import annotations

import inspect

from tests.theorems import FAMILIES
from thresher import bounds
from thresher.bounds import Bound

ENTRIES = {make: make(**numbers) for makers in FAMILIES.values() for make, numbers in makers.items()}


def test_every_function_that_makes_a_bound_is_on_the_page() -> None:
    public = [getattr(bounds, name) for name in bounds.__all__]
    makers = {f for f in public if inspect.isfunction(f) and inspect.signature(f).return_annotation in (Bound, "Bound")}
    assert makers == set(ENTRIES)


def test_every_theorem_has_a_name_of_its_own() -> None:
    names = [bound.theorem.name for bound in ENTRIES.values()]
    assert sorted(set(names)) == sorted(names)


def test_every_bound_says_what_it_counts_what_it_assumes_and_by_whom() -> None:
    for bound in ENTRIES.values():
        assert bound.on in (
            "mistakes", "updates after the first", "margin", "expected mistakes", "loss", "regret", "examples", "risk",
        )  # fmt: skip
        assert bound.assumes
        assert all(bound.theorem)
        assert not bound.infinite
