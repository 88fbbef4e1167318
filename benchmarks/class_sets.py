"""Streams of more than two classes: scikit-learn's digits, and sets made from a seed, class by class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["GENERATED", "Classified", "blobs", "digits", "topics"]


_ROWS = 3_000


class Classified(NamedTuple):
    """Examples, one a row, and their classes, from 0."""

    X: sp.csr_array
    y: NDArray[np.int64]

    def first(self, rows: int) -> Classified:
        return Classified(self.X[:rows], self.y[:rows])


def digits() -> Classified:
    """Handwritten digits, 8 × 8 pixels from 0 to 16, in scikit-learn's order; the pixels from 0 to 1."""
    loaded: Any = import_module("sklearn.datasets").load_digits()
    return Classified(sp.csr_array(loaded.data / 16.0), np.asarray(loaded.target, np.int64))


def _classes(rng: np.random.Generator, classes: int, skew: float) -> NDArray[np.int64]:
    """A class for each row; with a skew the k-th is k^−skew as frequent as the first."""
    share = np.arange(1, classes + 1) ** -skew
    return rng.choice(classes, _ROWS, p=share / share.sum()).astype(np.int64)


def blobs(seed: int, classes: int, n: int, apart: float, skew: float) -> Classified:
    """A normal distribution around a middle for each class, middles about `apart` standard deviations from each other; then
    attributes of unlike scale.
    """
    rng = np.random.default_rng(seed)
    y = _classes(rng, classes, skew)
    middles = rng.normal(size=(classes, n)) * apart / np.sqrt(2 * n)
    scale = rng.lognormal(0.0, 0.5, n)
    X = (middles[y] + rng.normal(size=(_ROWS, n))) * scale / np.sqrt(n)
    return Classified(sp.csr_array(X), y)


def topics(seed: int, classes: int, words: int, sharp: float, skew: float) -> Classified:
    """Texts: about 25 words drawn from the words of all topics and, `sharp` of them, from those of the class; norm 1."""
    rng = np.random.default_rng(seed)
    y = _classes(rng, classes, skew)
    common = rng.dirichlet(np.full(words, 0.2))
    own = rng.dirichlet(np.full(words, 0.02), classes)
    mixed = (1 - sharp) * common + sharp * own
    counts = np.array([rng.multinomial(rng.integers(10, 41), mixed[label]) for label in y], np.float64)
    return Classified(sp.csr_array(counts / np.linalg.norm(counts, axis=1, keepdims=True)), y)


def _generated() -> dict[str, Callable[[], Classified]]:
    sizes = (3, 4, 5, 6, 8, 10, 12, 15, 18, 20)
    made: dict[str, Callable[[], Classified]] = {}
    for k, classes in enumerate(sizes):
        skew, far = (0.0, 1.0)[k % 2], (3.0, 4.0, 6.0)[k % 3]
        made[f"blobs {classes}"] = partial(blobs, 100 + k, classes, (10, 30, 60)[k % 3], far, skew)
    for k, classes in enumerate(sizes):
        skew, sharp = (1.0, 0.0)[k % 2], (0.15, 0.25, 0.4)[k % 3]
        made[f"topics {classes}"] = partial(topics, 200 + k, classes, 2_000, sharp, skew)
    return made


#: Twenty sets by name: half of them dense and half sparse, with 3 to 20 classes, half of them with rare ones.
GENERATED = _generated()
