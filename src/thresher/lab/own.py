"""A learner of one's own: what it is called with, and what must hold of it in every round.

What is counted is what `predict` said before `learn` was told the label, whatever `learn` returns: a learner that peeks gains
nothing. One that `predict` changes is told so.
"""

from __future__ import annotations

import inspect
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from thresher.bounds.printed import shown
from thresher.errors import LearnerError
from thresher.experts import LossRound
from thresher.protocol import Prediction, Round

__all__ = ["OwnLearner", "OwnRule", "guarded", "near", "offered"]

#: How far the sum of a mixture's weights may be from 1.
_ROUNDING = 1e-9

#: Where this package is: what was raised is told of the last line outside it.
_OURS = __file__.rpartition("lab")[0]


def offered(make: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Calls a class with as much of what is given as it takes: by name, and a first parameter of another name with the first.

    >>> class Counting:
    ...     def __init__(self, size, beta=0.9):
    ...         self.size, self.beta = size, beta
    >>> made = offered(Counting, {"n": 4, "beta": 0.5, "eta": 1.0})
    >>> made.size, made.beta
    (4, 0.5)
    """
    name = getattr(make, "__name__", "the learner")
    try:
        parameters = list(inspect.signature(make).parameters.values())
    except (TypeError, ValueError) as error:
        raise LearnerError(f"found {shown(make)}, expected a class, or a function that makes a learner") from error
    asked = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    all_named = any(each.kind == each.VAR_KEYWORD for each in parameters)
    taken = {key: value for key, value in given.items() if all_named or key in {each.name for each in asked}}
    first, *_ = given.items()
    missing = [each for each in asked if each.default is each.empty and each.name not in taken]
    positional = []
    if missing and missing[0] is asked[0] and first[0] not in taken:
        positional, missing = [first[1]], missing[1:]
    if missing:
        raise LearnerError(
            f"{name} asks for {missing[0].name}, but what it may ask for here is {' and '.join(given)}, or nothing"
        )
    call = ", ".join([*map(shown, positional), *(f"{key}={shown(value)}" for key, value in taken.items())])
    return guarded(lambda: make(*positional, **taken), f"{name}({call})")


class OwnLearner:
    """A learner with `predict` and `learn`, watched.

    >>> class Stuck:
    ...     def predict(self, x):
    ...         return +1
    ...     def learn(self, x, y):
    ...         pass
    >>> OwnLearner(Stuck()).learn((1.0,), -1)
    Round(t=1, Prediction(label=+1, score=0.0, p_positive=None), label=-1, mistake=True, changed=False)
    """

    def __init__(self, made: Any, n: int | None = None) -> None:
        self._made, self._n, self._t = made, n, 0
        self._rounds: list[tuple[Any, int, int]] = []
        _must_have(made, "predict", "learn")

    def __getattr__(self, name: str) -> Any:
        """What adversaries look at beside predictions, where there is such a thing: n weights, the seed of coins."""
        if name == "weights" and isinstance(weights := getattr(self._made, name), Sequence | np.ndarray):
            numbers = np.asarray(weights)
            if numbers.shape == (self._n,):
                return numbers
        if name == "seed":
            return self._made.seed
        raise AttributeError(name)

    def predict(self, x: Any) -> Prediction:
        """What it says, as a prediction; it must be a label."""
        said = self._call("predict", x)
        label = said.label if isinstance(said, Prediction) else said
        if isinstance(label, str | bytes) or np.ndim(label) > 0 or label not in (-1, +1):
            raise self._fault("predict", f"gave {shown(said)}, expected −1 or +1 (or a th.Prediction with one of them)")
        return said if isinstance(said, Prediction) else Prediction(int(label), 0.0)

    def learn(self, x: Any, y: int) -> Round:
        """One whole round: it predicts, twice, must be as before, and is told the label."""
        before = _snapshot(self._made)
        said, again = self.predict(x), self.predict(x)
        if changed := _difference(before, _snapshot(self._made)):
            raise self._fault(
                "predict", f"changed self.{changed}: only learn may change it (a cache may be called self._{changed})"
            )
        if said != again:
            raise self._fault("predict", f"gave {said.label:+d}, then {again.label:+d} for the same example")
        weights = np.array(getattr(self, "weights", ()))
        returned = self._call("learn", x, y)
        if isinstance(returned, Round) and returned.prediction.label != said.label:
            claimed = f"says that {returned.prediction.label:+d} was predicted, but predict said {said.label:+d}"
            raise self._fault("learn", f"{claimed} before the label was known: that is the prediction that counts")
        self._t += 1
        self._rounds.append((x, y, said.label))
        moved = len(weights) > 0 and bool((weights != self.weights).any())
        chance = said.p_positive
        loss = float(said.label != y) if chance is None else 1 - chance if y == +1 else chance
        return Round(self._t, x, said, y, returned.changed if isinstance(returned, Round) else moved, loss=loss)

    def check_again(self, fresh: OwnLearner) -> None:
        """Lets a fresh learner of the same kind play the same rounds, asked once in each: it must say the same.

        One that does not depends on how often it was asked, or on chance; and then no seed plays a refutation again.
        """
        for t, (x, y, before) in enumerate(self._rounds, start=1):
            fresh._t = t - 1
            if (label := fresh.predict(x).label) != before:
                often = f"gave {before:+d}, but {label:+d} when all was played again and it was asked less often"
                raise fresh._fault("predict", f"{often}: only learn may change what it says, and nothing but what it learned")
            fresh._call("learn", x, y)

    def _call(self, verb: str, *arguments: Any) -> Any:
        return guarded(lambda: getattr(self._made, verb)(*arguments), f"{type(self._made).__name__}.{verb}", self._t + 1)

    def _fault(self, verb: str, what: str) -> LearnerError:
        return _fault(self._made, verb, what, self._t + 1)


class OwnRule:
    """A rule for losses, with `weights`, a mixture of the experts, and `learn_losses`; watched.

    >>> class Stuck:
    ...     weights = (0.5, 0.5)
    ...     def learn_losses(self, losses):
    ...         pass
    >>> OwnRule(Stuck(), 2).learn_losses((1.0, 0.0))
    LossRound(t=1, experts=2, loss=0.5)
    """

    def __init__(self, made: Any, n: int) -> None:
        self._made, self._n, self._t = made, n, 0
        _must_have(made, "learn_losses")
        _must_have(made, "weights", called=False)

    @property
    def weights(self) -> Any:
        """The mixture that it is about to play."""
        given = guarded(lambda: self._made.weights, f"{type(self._made).__name__}.weights", self._t + 1)
        try:
            w = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            w = np.zeros(0)
        if w.shape != (self._n,) or not (w >= 0).all() or not abs(w.sum() - 1) <= _ROUNDING:
            wrong = f"gave {shown(given)}, expected {self._n} numbers of at least 0 that add up to 1"
            raise _fault(self._made, "weights", wrong, self._t + 1)
        return w

    def learn_losses(self, losses: Any) -> LossRound:
        """One whole round: its mixture loses, and it is told what everybody lost."""
        mixture, row = self.weights, np.array(losses)
        guarded(lambda: self._made.learn_losses(losses), f"{type(self._made).__name__}.learn_losses", self._t + 1)
        self._t += 1
        return LossRound(self._t, row, mixture, float(mixture @ row))


def _must_have(made: Any, *names: str, called: bool = True) -> None:
    for name in names:
        if not hasattr(made, name) or (called and not callable(getattr(made, name))):
            file, line = _place(type(made))
            found = f"found {type(made).__name__} without {name}, expected one with {' and '.join(names)}"
            raise LearnerError(found, file=file, line=line)


def guarded(call: Callable[[], Any], what: str, t: int | None = None) -> Any:
    """Calls what is not ours; what it raises is told with the line of its file where that happened, and the round.

    >>> guarded(lambda: 1 / 1, "Mine.predict", 3)
    1.0
    """
    try:
        return call()
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
        file, line = (near(frames[-1].filename), frames[-1].lineno) if frames else (None, None)
        raise LearnerError(f"{what} raised {type(error).__name__}: {error}", t=t, file=file, line=line) from error


def near(file: str) -> str:
    """A file's name as seen from here: short for one below, as it is for others.

    >>> near(str(Path.cwd() / "mine.py")), near("/elsewhere/mine.py")
    ('mine.py', '/elsewhere/mine.py')
    """
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _fault(made: Any, verb: str, what: str, t: int) -> LearnerError:
    kind = type(made)
    file, line = _place(getattr(kind, verb, kind))
    return LearnerError(f"{kind.__name__}.{verb} {what}", t=t, file=file, line=line)


def _place(thing: Any) -> tuple[str | None, int | None]:
    """Where it is written down, unless it was made where there is no file."""
    try:
        return near(inspect.getfile(thing)), inspect.getsourcelines(thing)[1]
    except (TypeError, OSError):
        return None, None


def _snapshot(made: Any) -> dict[str, bytes]:
    """Its attributes as bytes; those that cannot be pickled are left out."""
    state = made.__getstate__()
    found: dict[str, bytes] = {}
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in part.items() if isinstance(part, dict) else ():
            with suppress(Exception):  # whatever a stranger's class raises when it is pickled
                found[name] = pickle.dumps(value)
    return found


def _difference(before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """The first attribute that is not as before; whose name begins with _ may remember what was computed."""
    names = (name for name in {**before, **after} if before.get(name) != after.get(name))
    return next((name for name in names if not name.startswith("_")), "")
