"""Two verbs, and the values they give.

`predict` gives a `Prediction`, `learn` a `Round`, `learn_many` the same in columns, `Rounds`:

>>> import thresher as th
>>> learner = th.Perceptron(2)
>>> said = learner.predict([1, 0])
>>> said.label, said.score, said.p_positive
(1, 0.0, None)
>>> played = learner.learn([1, 0], -1)
>>> played.t, played.mistake, played.loss, played.demotion
(1, True, 1.0, True)
>>> rounds = learner.learn_many([[0, 1], [1, 1]], [-1, +1])
>>> rounds.first, len(rounds), rounds.mistakes, rounds.updates
(2, 2, 2, 2)
>>> rounds.predictions, rounds.labels, rounds.scores
(array([ 1, -1], dtype=int8), array([-1,  1], dtype=int8), array([ 0., -2.]))
>>> rounds[1]
Round(t=3, Prediction(label=-1, score=-2.0, p_positive=None), label=+1, mistake=True, changed=True)
"""

from __future__ import annotations

from typing import Protocol, SupportsFloat, SupportsIndex, TypeVar, runtime_checkable

from thresher._core import Prediction, Round, Rounds

__all__ = ["Label", "Learner", "Prediction", "Round", "Rounds"]

X_contra = TypeVar("X_contra", contravariant=True)

#: −1, 0 and False mean minus, 1 and True mean plus; NumPy's scalars count as Python's.
Label = SupportsIndex | SupportsFloat


@runtime_checkable
class Learner(Protocol[X_contra]):
    """Whoever predicts, is told the truth, and learns from it.

    `predict` is pure: it never changes the learner. `learn` is one whole round (predict, compare, update) and atomic:
    an example that is refused changes nothing. It returns the round, so that the count of mistakes cannot disagree with
    the predictions. When labels come late, `learn` predicts anew: what was served earlier is not what is counted.

    A learner of one's own needs these two methods and nothing else:

    >>> import thresher as th
    >>> class AlwaysYes:
    ...     rounds = 0
    ...     def predict(self, x: object) -> th.Prediction:
    ...         return th.Prediction(+1, 0.0)
    ...     def learn(self, x: object, y: th.Label, weight: float = 1.0) -> th.Round:
    ...         self.rounds += 1
    ...         return th.Round(self.rounds, x, self.predict(x), y, changed=False, weight=weight)
    >>> ledger = th.Ledger()
    >>> learner = AlwaysYes()
    >>> for label in (+1, -1, +1):
    ...     ledger.enter(learner.learn("any example", label))
    >>> ledger.mistakes, ledger.best_constant
    (1, 1)
    """

    def predict(self, x: X_contra, /) -> Prediction: ...

    def learn(self, x: X_contra, y: Label, /, weight: float = 1.0) -> Round: ...
