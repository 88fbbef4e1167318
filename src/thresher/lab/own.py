"""A learner of one's own: what it is called with, and what must hold of it in every round.

What is counted is what `predict` said before `learn` was told the label, whatever `learn` returns: a learner that peeks gains
nothing. One that `predict` changes is told so.
"""

from __future__ import annotations

import inspect
import os
import pickle
import sysconfig
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from thresher.bounds.printed import shown
from thresher.errors import LearnerError
from thresher.lab.limit import TooLong, limited
from thresher.protocol import Prediction, Round

__all__ = ["OwnLearner", "Watched", "guarded", "must_have", "named", "near", "offered", "place", "told_of"]

#: How long one call may take.
_SECONDS = 10.0

#: Where this package is, and where Python's and others' are: what was raised is told of the last line outside them.
_OURS = __file__.rpartition("lab")[0]
_LIBRARIES = ("<frozen ", *(sysconfig.get_path(each) for each in ("stdlib", "platstdlib", "purelib", "platlib")))


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
    asked, taken = named(parameters, given)
    first, *_ = given.items()
    missing = [each for each in asked if each.default is each.empty and each.name not in taken]
    positional = []
    if missing and missing[0] is asked[0] and missing[0].kind != inspect.Parameter.KEYWORD_ONLY and first[0] not in taken:
        positional, missing = [first[1]], missing[1:]
    if missing:
        raise LearnerError(
            f"{name} asks for {missing[0].name}, but what it may ask for here is {' and '.join(given)}, or nothing"
        )
    call = ", ".join([*map(shown, positional), *(f"{key}={shown(value)}" for key, value in taken.items())])
    return guarded(lambda: make(*positional, **taken), f"{name}({call})")


def named(parameters: Sequence[inspect.Parameter], given: Mapping[str, Any]) -> tuple[list[inspect.Parameter], dict[str, Any]]:
    """The parameters that have a name, and as much of what is given as they take by it: all, if there is a `**` among them.

    >>> parameters = inspect.signature(lambda margin, c=2: c / margin).parameters
    >>> asked, taken = named(list(parameters.values()), {"margin": 0.5, "n": 3})
    >>> [each.name for each in asked], taken
    (['margin', 'c'], {'margin': 0.5})
    """
    asked = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    names = {each.name for each in asked}
    every = any(each.kind == each.VAR_KEYWORD for each in parameters)
    return asked, {key: value for key, value in given.items() if every or key in names}


class Watched(ABC):
    """One of one's own, asked before it is told: what holds of all kinds. A kind says what it `asks` for and how it `tells`.

    `_say` gives what it says, checked; `counts` is what of that counts, and `spell` how a message names it.
    """

    asks, tells = "predict", "learn"

    def __init__(self, made: Any) -> None:
        self._made, self._t = made, 0
        self._rounds: list[tuple[tuple[Any, ...], Any, Any]] = []

    @abstractmethod
    def _say(self, *known: Any) -> Any: ...

    def counts(self, said: Any) -> Any:
        """What of that counts: all of it."""
        return said

    def spell(self, said: Any) -> str:
        """How a message names it."""
        return shown(self.counts(said))

    def ask(self, *known: Any) -> Any:
        """What it says, asked twice; it must be as before."""
        before = _snapshot(self._made)
        said, again = self._say(*known), self._say(*known)
        if changed := _difference(before, _snapshot(self._made)):
            raise self.fault(
                self.asks, f"changed self.{changed}: only {self.tells} may change it (a cache may be called self._{changed})"
            )
        if said != again:
            raise self.fault(self.asks, f"gave {self.spell(said)}, then {self.spell(again)} in the same round")
        return said

    def tell(self, known: tuple[Any, ...], truth: Any, said: Any) -> Any:
        """Lets it learn, and counts the round: what it returned."""
        returned = self.call(self.tells, *known, truth)
        self._t += 1
        self._rounds.append((known, truth, self.counts(said)))
        return returned

    def check_again(self, fresh: Watched) -> None:
        """Lets a fresh one of the same kind play the same rounds, asked once in each: it must say the same.

        One that does not depends on how often it was asked, or on chance; and then no seed plays a refutation again.
        """
        for t, (known, truth, before) in enumerate(self._rounds, start=1):
            fresh._t = t - 1
            if self.counts(said := fresh._say(*known)) != before:
                often = f"gave {_label(before)}, but {fresh.spell(said)} when all was played again and it was asked less often"
                alone = f"only {self.tells} may change what it says, by what it learned, and kept in self, not in the class"
                raise fresh.fault(self.asks, f"{often}: {alone}")
            fresh.call(self.tells, *known, truth)

    def call(self, verb: str, *arguments: Any) -> Any:
        """Calls one of its methods; what that raises is told."""
        kind = type(self._made)
        method = getattr(kind, verb, kind)
        return guarded(lambda: getattr(self._made, verb)(*arguments), f"{kind.__name__}.{verb}", self._t + 1, method)

    def read(self, name: str) -> Any:
        """One of its attributes, which may be computed; None if there is none."""
        return guarded(lambda: getattr(self._made, name, None), f"{type(self._made).__name__}.{name}", self._t + 1)

    def fault(self, verb: str, what: str) -> LearnerError:
        """What it did that it must not do, with the line of that method."""
        kind = type(self._made)
        file, line = place(getattr(kind, verb, kind))
        return LearnerError(f"{kind.__name__}.{verb} {what}", t=self._t + 1, file=file, line=line)


class OwnLearner(Watched):
    """A learner with `predict` and `learn`, watched.

    `chances` is whether the theorem is about the chance of +1, which `predict` must then give.

    >>> class Stuck:
    ...     def predict(self, x):
    ...         return +1
    ...     def learn(self, x, y):
    ...         pass
    >>> OwnLearner(Stuck()).learn((1.0,), -1)
    Round(t=1, Prediction(label=+1, score=0.0, p_positive=None), label=-1, mistake=True, changed=False)
    """

    def __init__(self, made: Any, n: int | None = None, chances: bool = False) -> None:
        super().__init__(made)
        self._n, self._chances = n, chances
        must_have(made, "predict", "learn")

    def __getattr__(self, name: str) -> Any:
        """What adversaries look at beside predictions, where there is such a thing: n weights, the seed of coins."""
        if name == "weights" and isinstance(weights := self.read(name), Sequence | np.ndarray):
            numbers = np.zeros(0)
            with suppress(Exception):  # ragged, or whatever else no array is made of
                numbers = np.asarray(weights)
            if numbers.shape == (self._n,) and numbers.dtype.kind in "fiu":
                if not np.isfinite(numbers).all():
                    raise self.fault("weights", f"are {shown(weights)}, expected finite numbers")
                return numbers
        if name == "seed":
            return self._made.seed
        raise AttributeError(name)

    def predict(self, x: Any) -> Prediction:
        """What it says, as a prediction; it must be a label."""
        said = self.call("predict", x)
        label = said.label if isinstance(said, Prediction) else _sign(said)
        if label not in (-1, +1):
            raise self.fault("predict", f"gave {shown(said)}, expected −1 or +1 (or a th.Prediction with one of them)")
        made = said if isinstance(said, Prediction) else Prediction(label, 0.0)
        if self._chances and made.p_positive is None:
            asked = "expected the weight that votes +1, too: th.Prediction(label, score, p_positive)"
            raise self.fault("predict", f"gave {shown(said)}, {asked}")
        return made

    def _say(self, *known: Any) -> Prediction:
        return self.predict(*known)

    def counts(self, said: Prediction) -> int:
        """The label."""
        return said.label

    def spell(self, said: Prediction) -> str:
        """The label with its sign; where chances differ, those."""
        return _label(said.label) if said.p_positive is None else f"{said.label:+d} with the chance {said.p_positive:g}"

    def learn(self, x: Any, y: int) -> Round:
        """One whole round: it predicts, twice, must be as before, and is told the label."""
        said: Prediction = self.ask(x)
        weights = np.array(getattr(self, "weights", ()))
        returned = self.tell((x,), y, said)
        if isinstance(returned, Round) and returned.prediction.label != said.label:
            self._t -= 1
            claimed = f"says that {returned.prediction.label:+d} was predicted, but predict said {said.label:+d}"
            raise self.fault("learn", f"{claimed} before the label was known: that is the prediction that counts")
        moved = len(weights) > 0 and bool((weights != self.weights).any())
        chance = said.p_positive
        loss = float(said.label != y) if chance is None else 1 - chance if y == +1 else chance
        return Round(self._t, x, said, y, returned.changed if isinstance(returned, Round) else moved, loss=loss)


def must_have(made: Any, *names: str, called: bool = True) -> None:
    """Refuses one that has not these methods, or, if they are not called, attributes."""
    for name in names:
        had = guarded(partial(getattr, made, name, None), f"{type(made).__name__}.{name}")
        if had is None or (called and not callable(had)):
            file, line = place(type(made))
            found = f"found {type(made).__name__} without {name}, expected one with {' and '.join(names)}"
            raise LearnerError(found, file=file, line=line)


def _sign(said: Any) -> int:
    """The label that it is, 0 if it is none."""
    with suppress(Exception):  # whatever comparing it raises
        if not isinstance(said, str | bytes) and np.ndim(said) == 0 and said in (-1, +1):
            return int(said)
    return 0


def _label(said: Any) -> str:
    return f"{said:+d}" if isinstance(said, int) else shown(said)


def guarded(call: Callable[[], Any], what: str, t: int | None = None, thing: Any = None) -> Any:
    """Calls what is not ours; what it raises is told with the line of its file where that happened, and the round.

    Where no line of it was reached, as with too few parameters, the line is that of the `thing` that was called. Who
    leaves Python, as by `exit()`, has not passed.

    >>> guarded(lambda: 1 / 1, "Mine.predict", 3)
    1.0
    """
    process = os.getpid()
    try:
        with limited(_SECONDS):
            returned = call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too: whoever leaves has not won
        others = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
        frames = [frame for frame in others if not frame.filename.startswith(_LIBRARIES)] or others
        file, line = (near(frames[-1].filename), frames[-1].lineno) if frames else place(thing)
        told = f"raised {told_of(error)}"
        if t is not None and not frames and inspect.isfunction(thing) and "self" not in inspect.signature(thing).parameters:
            told += "; the first parameter of a method is self"
        if isinstance(error, TooLong):
            told = f"was stopped here after {_SECONDS:g} seconds: does it loop?"
        raise LearnerError(f"{what} {told}", t=t, file=file, line=line) from error
    finally:
        if os.getpid() != process:  # it has forked, and two would play on, then four
            os._exit(1)
    return returned


def told_of(error: BaseException) -> str:
    """What was raised, and what it says, if it says anything.

    >>> told_of(ValueError("found 3")), told_of(SystemExit())
    ('ValueError: found 3', 'SystemExit')
    """
    said = ""
    with suppress(Exception):  # whatever a stranger's exception raises
        said = str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def near(file: str) -> str:
    """A file's name as seen from here: short for one below, as it is for others.

    >>> near(str(Path.cwd() / "mine.py")), near("/elsewhere/mine.py")
    ('mine.py', '/elsewhere/mine.py')
    """
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def place(thing: Any) -> tuple[str | None, int | None]:
    """Where it is written down, unless it was made where there is no file."""
    thing = thing.fget if isinstance(thing, property) else thing
    try:
        return near(inspect.getfile(thing)), inspect.getsourcelines(thing)[1]
    except (TypeError, OSError):
        return None, None


def _snapshot(made: Any) -> dict[str, bytes]:
    """Its attributes as bytes; those that cannot be pickled are left out."""
    found: dict[str, bytes] = {}
    with suppress(Exception, SystemExit):  # whatever a stranger's class raises when it is pickled
        state = made.__getstate__()
        for part in state if isinstance(state, tuple) else (state,):
            for name, value in part.items() if isinstance(part, dict) else ():
                with suppress(Exception, SystemExit):
                    found[name] = pickle.dumps(value)
    return found


def _difference(before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """The first attribute that is not as before; whose name begins with _ may remember what was computed."""
    names = (name for name in {**before, **after} if before.get(name) != after.get(name))
    return next((name for name in names if not name.startswith("_")), "")
