"""Learners in files, of two labels or of many classes: `save` and `load`."""

from __future__ import annotations

from thresher.data.source import Place
from thresher.errors import ParameterError, StoreError
from thresher.store import container, many_classes
from thresher.store.kinds import CLASSES, StoredLearner, is_stored
from thresher.store.many_classes import ClassLearners
from thresher.store.model import Model

__all__ = ["load", "save"]


def save(learner: StoredLearner | ClassLearners, path: Place) -> None:
    """Writes a learner to a file, whole or not at all; `load` makes it again, and it goes on bit for bit.

    >>> import tempfile, pathlib, thresher as th
    >>> learner = th.Perceptron(4)
    >>> _ = learner.learn([1, 0, 1, 0], -1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     th.save(learner, pathlib.Path(folder) / "mine.thresher")
    ...     th.load(pathlib.Path(folder) / "mine.thresher").weights.tolist()
    [-1.0, 0.0, -1.0, 0.0]
    """
    if isinstance(learner, ClassLearners):
        many_classes.save(learner, path)
        return
    if not is_stored(learner):
        raise ParameterError(
            f"found {type(learner).__name__}, expected a linear learner, a portfolio or a learner of many classes; "
            "to keep another one keep its state(), or pickle it"
        )
    Model(learner).save(path)


def load(path: Place) -> StoredLearner | ClassLearners:
    """The learner in a model file. A file that is damaged, foreign or newer raises `StoreError`; it never runs code.

    For the recipe, the labels and the names as well: `thresher.store.Model.load(path)`.
    """
    contents = container.read(path)
    try:
        if contents.header.get("kind") == CLASSES:
            return many_classes.made(*contents)
        return Model._from(*contents).learner
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
