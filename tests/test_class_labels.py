"""Labels of many classes: codes in order of appearance, whatever holds the labels."""

from __future__ import annotations

from enum import IntEnum, StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.class_labels import NO_CLASS, ClassLabel, ClassLabels


class Tree(StrEnum):
    OAK = "oak"

    def __str__(self) -> str:
        return "a tree"


class Count(IntEnum):
    TWO = 2


kinds: st.SearchStrategy[list[ClassLabel]] = st.one_of(
    st.lists(st.integers(-3, 3)), st.lists(st.text(max_size=2)), st.lists(st.booleans()), st.lists(st.integers())
)


@given(kinds, st.integers(0, 20))
def test_codes_are_places_in_order_of_appearance(labels: list[ClassLabel], cut: int) -> None:
    codes, seen = ClassLabels().read(labels, len(labels))
    assert list(seen) == list(dict.fromkeys(labels))
    assert [seen[code] for code in codes] == labels
    head, half = ClassLabels().read(labels[:cut], len(labels[:cut]))
    tail, whole = half.read(labels[cut:], len(labels[cut:]))
    assert whole == seen
    assert [*head, *tail] == codes.tolist()


@given(kinds)
def test_an_array_is_read_like_a_list(labels: list[ClassLabel]) -> None:
    array = np.array(labels)
    if array.dtype.kind not in "biuU" or array.tolist() != labels:  # NumPy cannot hold every int, nor a zero at the end
        return
    codes, seen = ClassLabels().read(labels, len(labels))
    again, same = ClassLabels().read(array, len(labels))
    assert again.tolist() == codes.tolist()
    assert same == seen


def test_kinds_do_not_mix() -> None:
    codes, seen = ClassLabels().read([1, True, "1", 2, None, 1.0, np.int8(1), b"1"], 8)
    assert codes.tolist() == [0, NO_CLASS, NO_CLASS, 1, NO_CLASS, NO_CLASS, 0, NO_CLASS]
    assert list(seen) == [1, 2]
    assert "expected a label of type int" in seen.refused(True)
    assert ClassLabels().refused(None) == "found label None, expected a str, an int or a bool"
    assert seen.refused(7) == ""
    assert ClassLabels([True]) != ClassLabels([1])
    assert True not in seen


def test_enumerations_are_what_they_stand_for() -> None:
    assert list(ClassLabels([Tree.OAK])) == ["oak"]
    assert list(ClassLabels([Count.TWO])) == [2]
    assert type(next(iter(ClassLabels([Count.TWO])))) is int


def test_what_cannot_be_classes() -> None:
    for bad in (["a", "a"], ["a", 1], [None]):
        with pytest.raises(th.LabelError, match="class"):
            ClassLabels(bad)
    with pytest.raises(th.LabelError, match="2 labels, expected one for each of 3"):
        ClassLabels().read([1, 2], 3)
    with pytest.raises(th.LabelError, match="shape"):
        ClassLabels().read(np.zeros((2, 2), int), 2)
    with pytest.raises(th.LabelError, match="found str"):
        ClassLabels().read("ab", 2)


def test_the_classes_behind_codes() -> None:
    seen = ClassLabels(["b", "a"])
    assert seen.labels(np.array([0, 1, 1])).tolist() == ["b", "a", "a"]
    assert seen.labels(np.array([0, NO_CLASS])).tolist() == ["b", None]
    assert seen.first(1) == ClassLabels(["b"])
    assert list(seen.with_all(ClassLabels(["c", "b"]))) == ["b", "a", "c"]
