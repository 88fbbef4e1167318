"""A model: a learner with everything that is needed to use it, or to go on learning, on another day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher._core import slot_of_bytes
from thresher.data.recipe import Recipe
from thresher.data.source import Place
from thresher.data.stream import Position
from thresher.errors import ParameterError, StoreError
from thresher.ledger import Tally
from thresher.linear import LinearLearner
from thresher.store import container
from thresher.store.kinds import CLASSES, HELD, KINDS, NAMES, WINDOW, StoredLearner, is_stored, made, packed
from thresher.store.spelled import in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Measures", "Model", "Run"]

_COUNTED = ("rounds", "mistakes", "updates", "history")
_HEADER = {"kind", "precision", "learner", "recipe", "ledger", "run"}


@dataclass(frozen=True)
class Run:
    """Where the run stands that made a model: `done` of `passes` over its source, and so far into the next one.

    `whole` is the digest of a whole pass, once it is known, and `began` what was counted before the run.
    """

    passes: int
    done: int
    position: Position
    whole: int | None
    began: Tally

    @property
    def finished(self) -> bool:
        """Whether nothing is left of it."""
        return self.done >= self.passes

    def as_dict(self) -> dict[str, Any]:
        """The run as JSON can hold it."""
        return {
            "passes": self.passes,
            "done": self.done,
            "position": asdict(self.position),
            "whole": self.whole,
            "began": self.began.as_dict(),
        }

    @classmethod
    def from_dict(cls, stored: object, learner: StoredLearner) -> Run:
        """The run whose `as_dict` this is."""
        if not isinstance(stored, Mapping) or set(stored) != {"passes", "done", "position", "whole", "began"}:
            raise StoreError("the run is not passes, done, position, whole and began")
        position = stored["position"]
        if not isinstance(position, Mapping) or set(position) != {"offset", "digest"}:
            raise StoreError("the run's position is not an offset and a digest")
        digests = (position["digest"], stored["whole"])
        counts = (stored["passes"], stored["done"], position["offset"])
        if not all(type(count) is int and 0 <= count < 2**62 for count in counts):
            raise StoreError(f"found a run with counts {counts}, expected whole numbers")
        if not all(digest is None or (type(digest) is int and 0 <= digest < 2**64) for digest in digests):
            raise StoreError(f"found digests {digests}, expected 64 bits")
        began = Tally.from_dict(stored["began"], learner.rule)
        run = cls(stored["passes"], stored["done"], Position(**position), stored["whole"], began)
        if not run._possible():
            raise StoreError(f"found a run that cannot be: {run.done} of {run.passes} passes, then {run.position}")
        return run

    def _possible(self) -> bool:
        known = (self.whole is not None) == (self.done > 0)
        stands = self.position == Position() if self.finished else self.position.digest is not None and self.position.offset > 0
        return 0 <= self.done <= self.passes and self.passes > 0 and known and stands

    def leads_to(self, now: Tally) -> bool:
        """Whether a run that began as this one can have counted so much by now."""
        before, after = (_sums(tally) for tally in (self.began, now))
        return self.began.rounds < now.rounds and all(one <= other for one, other in zip(before, after, strict=True))


class Measures(NamedTuple):
    """What a run has measured so far, as `thresher.evaluate.Measuring.state` tells it: sums, and the rounds of its windows."""

    sums: dict[str, Any]
    windows: dict[str, NDArray[np.uint8]]


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A learner; where it learned from text also the recipe to read more, the ledger's sums, the run, and names.

    A run that is to go on has `measures`, too; files of older versions have none.
    """

    learner: StoredLearner
    recipe: Recipe | None = None
    tally: Tally | None = None
    run: Run | None = None
    names: bytes = b""
    measures: Measures | None = None

    def names_by_slot(self) -> dict[int, list[str]]:
        """The names that were kept, by the slot they fall into."""
        slots: dict[int, list[str]] = {}
        for name in self.names.split(b"\n")[:-1]:
            slots.setdefault(slot_of_bytes(name, self.learner.n), []).append(name.decode("utf-8", "backslashreplace"))
        return slots

    def save(self, path: Place) -> None:
        """Writes the model to a file, whole or not at all."""
        _check_fits(self.learner, self.recipe)
        told, sections = packed(self.learner)
        header = self._header(told)
        _check_parts(header, self.learner)  # what would not load is not written over what does
        windows = {} if self.measures is None else self.measures.windows
        container.write(path, header, {**sections, NAMES: self.names, **windows})

    def _header(self, told: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **told,
            "recipe": None if self.recipe is None else self.recipe.as_dict(),
            "ledger": None if self.tally is None else self.tally.as_dict(),
            "run": None if self.run is None else self.run.as_dict(),
            **({} if self.measures is None else {"metrics": self.measures.sums}),
        }

    @classmethod
    def load(cls, path: Place) -> Model:
        """Reads a model from a file. A file that is damaged, foreign or newer raises `StoreError`."""
        try:
            return cls._from(*container.read(path))
        except StoreError as error:
            message = str(error)
            raise StoreError(message if message.startswith(str(path)) else f"{path}: {message}") from None

    @classmethod
    def _from(cls, header: Mapping[str, Any], sections: Mapping[str, NDArray[np.uint8]]) -> Model:
        if header.get("kind") == CLASSES:
            raise StoreError("found a learner of many classes, expected one of two labels; th.load reads it")
        if header.get("kind") not in KINDS:
            raise StoreError(f"found a model of kind {header.get('kind')!r}, expected {' or '.join(map(repr, KINDS))}")
        if set(header) - {"metrics"} != _HEADER:
            raise StoreError(f"the header is not {', '.join(sorted(_HEADER))}")
        learner = made(header, sections)  # the file's memory is ours alone
        recipe = None if header["recipe"] is None else Recipe.from_dict(header["recipe"])
        if recipe is not None and recipe.n != learner.n:
            raise StoreError(f"found a recipe for n = {recipe.n} with a learner of n = {learner.n}")
        tally = None if header["ledger"] is None else Tally.from_dict(header["ledger"], learner.rule)
        heads = header["learner"]["heads"]
        if tally is not None and (tally.first != 1 or any(getattr(tally, name) != heads[name] for name in _COUNTED)):
            raise StoreError("the ledger's sums are not those of the learner")
        run = None if header["run"] is None else Run.from_dict(header["run"], learner)
        if run is not None and (recipe is None or tally is None or not run.leads_to(tally)):
            raise StoreError("the run cannot have led to the ledger's sums, or there is no recipe for it")
        measures = None
        if "metrics" in header:
            if run is None or run.finished or not isinstance(header["metrics"], dict):
                raise StoreError("found metrics without a run that is to go on")
            measures = Measures(header["metrics"], {name: sections[name] for name in (WINDOW, HELD) if name in sections})
        model = cls(learner, recipe, tally, run, bytes(sections.get(NAMES, b"")), measures)
        told = {**header, "learner": learner.state()[0] if isinstance(learner, LinearLearner) else learner._told()}
        if repr(in_order(model._header(told))) != repr(in_order(header)):  # True is not 1, nor is 1.0
            raise StoreError("the header is not spelled as a model would spell it")
        return model


def _check_fits(learner: object, recipe: Recipe | None) -> None:
    if not is_stored(learner):
        raise ParameterError(
            f"found {learner!r} for a model, expected a linear learner or a portfolio; th.save keeps learners of many classes"
        )
    if recipe is not None and recipe.n != learner.n:
        raise ParameterError(f"found a recipe for n = {recipe.n} beside a learner of n = {learner.n}, expected the same")


def _check_parts(header: Mapping[str, Any], learner: StoredLearner) -> None:
    if header["recipe"] is not None:
        Recipe.from_dict(header["recipe"])
    if header["ledger"] is not None:
        Tally.from_dict(header["ledger"], learner.rule)
    if header["run"] is not None:
        Run.from_dict(header["run"], learner)


def _sums(tally: Tally) -> tuple[float, ...]:
    """What can only grow."""
    false_alarms = tally.mistakes - tally.missed
    told = (tally.positives - tally.missed, tally.missed, false_alarms, tally.negatives - false_alarms)
    return *told, tally.updates, tally.repeat_last, tally.loss
