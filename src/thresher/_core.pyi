"""
The core of thresher: rules, rows and values. Use it through thresher's own modules.
"""

from collections.abc import Callable, Sequence
from typing import (
    Annotated,
    Any,
    NoReturn,
    SupportsFloat,
    SupportsIndex,
    overload
)

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import Buffer


def hash64(name: str, seed: int = 0) -> int: ...

def slot_of(name: str, n: int, seed: int = 0) -> int: ...

def slot_of_bytes(name: bytes, n: int) -> int: ...

class Block:
    """Rows of examples, by reference."""

    def __len__(self) -> int: ...

    def __getitem__(self, k: int) -> dict[int, float]:
        """A row as a mapping from slots to values."""

    @property
    def n(self) -> int: ...

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held, as the rows were read.
        """

    def rows(self, first: int, last: int) -> Block:
        """These rows, `last` not among them."""

    def without(self, out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Block:
        """The rows that are not left out."""

    @property
    def shape(self, /) -> tuple[int, int]: ...

    def __repr__(self) -> str: ...

def one_block(x: object, n: int) -> Block:
    """One example, canonical, as a block of one row."""

@overload
def dense_block(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Block: ...

@overload
def dense_block(values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Block: ...

@overload
def sparse_block(indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Block: ...

@overload
def sparse_block(indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Block: ...

@overload
def sparse_block(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Block: ...

@overload
def sparse_block(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> Block: ...

class Rule:
    """A rule of the core, with its parameters."""

    @property
    def normalize(self) -> bool:
        """Whether it scales each example to norm 1."""

    @property
    def bias(self) -> float | None:
        """The value of the attribute that it appends; None where there is none."""

    @property
    def values(self, /) -> str:
        """
        Which values its examples may hold: any, signed unit (from -1 to 1), unit (from 0 to 1), binary. Values
        of two names in one slot are added where they may be any; elsewhere the larger in size is kept.
        """

    @property
    def weighs(self, /) -> bool:
        """Whether its examples may have weights other than 1."""

class PerceptronRule(Rule):
    """The Perceptron's rule."""

    def __init__(self, normalize: bool, bias: float | None, tie: int) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def tie(self) -> int: ...

class AveragedPerceptronRule(Rule):
    """The averaged Perceptron's rule."""

    def __init__(self, normalize: bool, bias: float | None, tie: int) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def tie(self) -> int: ...

class PassiveAggressiveRule(Rule):
    """The passive-aggressive rule."""

    def __init__(self, most: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def most(self) -> float:
        """C, the most that a step is along an example."""

class PNormPerceptronRule(Rule):
    """The p-norm Perceptron's rule."""

    def __init__(self, p: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def p(self) -> float: ...

class MarginPerceptronRule(Rule):
    """The Margin Perceptron's rule."""

    def __init__(self, margin: float, epsilon: float, halving: bool, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def margin(self) -> float: ...

    @property
    def epsilon(self) -> float: ...

    @property
    def halving(self) -> bool: ...

class WinnowRule(Rule):
    """Winnow's rule."""

    def __init__(self, threshold: float, factor: float, strict: bool) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def threshold(self) -> float: ...

    @property
    def factor(self) -> float: ...

    @property
    def strict(self) -> bool: ...

    @property
    def exact(self) -> bool:
        """Whether whole numbers decide wherever doubles cannot tell."""

    @property
    def lowest(self) -> float:
        """No exponent falls below this."""

    @property
    def highest(self) -> float:
        """No exponent rises above this."""

class LiteralWinnowRule(Rule):
    """The rule of Winnow over attributes and their negations."""

    def __init__(self, threshold: float, factor: float, strict: bool) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def threshold(self) -> float: ...

    @property
    def factor(self) -> float: ...

    @property
    def strict(self) -> bool: ...

    @property
    def exact(self) -> bool:
        """Whether whole numbers decide wherever doubles cannot tell."""

    @property
    def lowest(self) -> float:
        """No exponent falls below this."""

    @property
    def highest(self) -> float:
        """No exponent rises above this."""

    @property
    def far(self) -> float:
        """Where the negations' common exponent is folded into their own."""

class BalancedWinnowRule(Rule):
    """Balanced Winnow's rule."""

    def __init__(self, eta: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def eta(self) -> float: ...

class ScaledWinnowRule(Rule):
    """The rule of Winnow for any values."""

    def __init__(self, times: float, factor: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def times(self) -> float:
        """The threshold over the sum of the first example."""

    @property
    def factor(self) -> float: ...

class ConstantRule(Rule):
    """The rule that says one label."""

    def __init__(self, label: int) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def label(self) -> int: ...

class EliminationRule(Rule):
    """Elimination's rule."""

    def __init__(self, monotone: bool) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def monotone(self) -> bool: ...

class AROWRule(Rule):
    """The rule of AROW, with a diagonal covariance."""

    def __init__(self, r: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def r(self) -> float: ...

class AdaGradHingeRule(Rule):
    """AdaGrad's rule for the hinge loss."""

    def __init__(self, rate: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def rate(self) -> float: ...

class AdaGradLogisticRule(Rule):
    """AdaGrad's rule for the logistic loss."""

    def __init__(self, rate: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def rate(self) -> float: ...

class InvariantRule(Rule):
    """The invariant rule: a normalised adaptive gradient."""

    def __init__(self, rate: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def rate(self) -> float: ...

class PortfolioRule(Rule):
    """The rule of a portfolio."""

    def __init__(self, lanes: Sequence[str], master: str, cost_positive: float, bias: float | None) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def lanes(self, /) -> tuple[str, ...]:
        """The lanes' names."""

    @property
    def master(self) -> str:
        """The rule that weighs them."""

    @property
    def cost_positive(self) -> float:
        """What a missed positive example costs."""

class MajorityRule(Rule):
    """The rule of a majority of experts."""

    def __init__(self, kind: str, n: int, beta: float | None, seed: int) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

    @property
    def kind(self) -> str:
        """weighted, randomized, improved or leader."""

    @property
    def n(self) -> int:
        """The number of experts."""

    @property
    def beta(self) -> float | None:
        """What a wrong expert keeps of its weight; None where it is doubled."""

    @property
    def seed(self) -> int:
        """Of the coins."""

NOT_A_LABEL: int = 127

def label_code(y: object) -> int: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

@overload
def label_codes(labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

class Prediction:
    """
    What a learner says of an example: a label, the score behind it and, where the learner has
    one, the chance or share of weight of +1.
    """

    def __init__(self, label: SupportsIndex | SupportsFloat, score: float, p_positive: float | None = None) -> None: ...

    @property
    def label(self) -> int:
        """-1 or +1; 0 for neither."""

    @property
    def score(self) -> float:
        """What the label was read from."""

    @property
    def p_positive(self) -> float | None:
        """The chance or share of weight of +1, or None."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

class Round:
    """
    One round: the example, what was predicted, the label, and whether the learner changed.

    Two rounds are equal if these facts are; the example is a reference and is not compared.
    """

    def __init__(self, t: int, example: object, prediction: Prediction, label: SupportsIndex | SupportsFloat, changed: bool, weight: float = 1.0, loss: float | None = None) -> None: ...

    @property
    def t(self) -> int:
        """The round's number, from 1."""

    @property
    def example(self) -> object:
        """The example, as it was given."""

    @property
    def prediction(self) -> Prediction:
        """What the learner said before it knew the label."""

    @property
    def label(self) -> int:
        """The truth: -1 or +1."""

    @property
    def changed(self) -> bool:
        """Whether the learner moved."""

    @property
    def weight(self) -> float:
        """The example's weight."""

    @property
    def rule(self, /) -> Rule | None:
        """
        The rule of the core that played this round; None for a round made in Python.
        """

    @property
    def margin_mistake(self) -> bool:
        """
        Whether the prediction was right by less than the rule's margin, so that the learner moved.
        """

    @property
    def doubt(self) -> float:
        """
        How far a score of this learner may ever have been off, beyond the rounding of a sum.
        """

    @property
    def before(self) -> int | None:
        """
        A digest of the rounds that the learner played before, or None if it is not known.
        """

    @property
    def after(self) -> int | None:
        """The same digest with this round."""

    @property
    def lane_mistakes(self, /) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Of a portfolio: which lanes were wrong, 1 or 0 for each; None for other learners.
        """

    @property
    def regret_bound(self, /) -> float | None:
        """
        Of a portfolio: what its master proves of the regret until now; None where it is silent.
        """

    @property
    def calibrated(self) -> float | None:
        """
        Of a portfolio: the calibrated probability of +1, made before the label came; None for other learners.
        """

    @property
    def standing(self, /) -> Standing | None:
        """Of a portfolio: where it stands after this round."""

    @property
    def mistake(self) -> bool:
        """Whether the prediction was wrong."""

    @property
    def loss(self) -> float:
        """
        What the learner's theorem bounds: 1 for a mistake, else 0, unless the learner has another loss.
        """

    def loss_after(self, high: float, low: float) -> tuple[float, float]:
        """A sum of losses in two parts with this one added."""

    @property
    def promotion(self) -> bool:
        """Whether the learner moved towards a positive example."""

    @property
    def demotion(self) -> bool:
        """Whether the learner moved away from a negative example."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...]) -> None: ...

class Rounds:
    """
    Many rounds in columns, in order. The examples are held by reference: enter the rounds into a
    ledger before you change the arrays they came from.
    """

    def __init__(self, first: int, examples: object, predictions: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: object | None = None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, p_positive: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @property
    def first(self) -> int:
        """The number t of the first of these rounds."""

    @property
    def examples(self) -> object:
        """The examples, as they were given."""

    @property
    def weights(self, /) -> numpy.typing.NDArray[numpy.float64] | None:
        """The examples' weights, or None for 1 throughout."""

    @property
    def rule(self, /) -> Rule | None:
        """
        The rule of the core that played these rounds; None for rounds made in Python.
        """

    @property
    def doubt(self) -> float:
        """
        How far a score of this learner may ever have been off, beyond the rounding of a sum.
        """

    @property
    def predictions(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), writable=False)]: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), writable=False)]: ...

    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def changed(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), writable=False)]: ...

    @property
    def losses(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Each round's loss."""

    @property
    def p_positive(self, /) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        Each round's chance or share of weight of +1; None where the learner has none.
        """

    @property
    def before(self) -> int | None:
        """
        A digest of the rounds that the learner played before, or None if it is not known.
        """

    @property
    def after(self) -> int | None:
        """The same digest with these rounds."""

    @property
    def lane_mistakes(self, /) -> numpy.typing.NDArray[numpy.int64] | None:
        """
        Of a portfolio: in how many of these rounds each lane was wrong; None for other learners.
        """

    @property
    def regret_bound(self, /) -> float | None:
        """
        Of a portfolio: what its master proves of the regret until now; None where it is silent.
        """

    @property
    def calibrated(self, /) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        Of a portfolio: each round's calibrated probability of +1, made before its label came; None for others.
        """

    @property
    def standing(self, /) -> Standing | None:
        """Of a portfolio: where it stands after these rounds."""

    @property
    def mistakes(self) -> int:
        """How many of these rounds were mistakes."""

    @property
    def updates(self) -> int:
        """In how many of these rounds the learner moved."""

    @property
    def loss(self) -> float:
        """The sum of the rounds' losses."""

    def loss_after(self, high: float, low: float) -> tuple[float, float]:
        """A sum of losses in two parts with these added, one after the other."""

    @property
    def _moved(self, /) -> memoryview:
        """`changed` as plain memory: NumPy is not asked."""

    def _counts(self, last_label: int) -> tuple[int, int, int, int]:
        """
        Positives, those that were missed, labels other than the one before, and the last label.
        """

    def _counted(self, after: Sequence[int], last_label: int) -> list[tuple[int, int, int, float]]:
        """
        After so many rounds, ascending: mistakes, positives, labels other than the one before, the loss.
        """

    def plot(self, ax: Any = None) -> Any:
        """
        Draws how the mistakes went, beside two baselines, with matplotlib; returns the Axes.
        """

    def __len__(self) -> int: ...

    def __getitem__(self, k: int) -> Round: ...

    def __repr__(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...]) -> None: ...

class Measures:
    """
    Sums over predictions beside what came, and the last of them as they were.
    """

    def __init__(self, window: int) -> None: ...

    @property
    def window(self) -> int: ...

    def enter(self, rounds: Rounds) -> None:
        """Adds rounds; of a portfolio with its calibrated chances."""

    def add(self, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], said: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Adds predictions in columns; a chance is NaN where there was none."""

    @property
    def so_far(self) -> tuple[int, float, float, float, float, float, float, float]:
        """
        rounds, found, missed, false alarms, rejected, forecast, log losses, squared distances
        """

    @property
    def last(self) -> tuple[int, float, float, float, float, float, float, float]:
        """The same of the window."""

    def columns(self) -> tuple[numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        The window from the oldest on: labels, what was said, scores, chances, weights.
        """

    def restore(self, sums: tuple[int, float, float, float, float, float, float, float], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], said: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Takes up what was measured earlier: the sums, and the window."""

LARGEST_VALUE: float = 1.8092513943330656e+75

LARGEST_STATE: float = 2.3817051317718447e+139

MOST_ATTRIBUTES: int = 281474976710656

class Group:
    """A learner of the core: its rule, its weights and its counts."""

    @overload
    def __init__(self, n: int, rule: Rule) -> None: ...

    @overload
    def __init__(self, n: int, rule: Rule, planes: dict[str, numpy.typing.NDArray[numpy.float64]], heads: dict[str, float]) -> None:
        """
        A learner in the state that was kept. The planes are its memory now: nobody else may write to them.
        """

    @overload
    def __init__(self, other: Group) -> None:
        """The same once more."""

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""

    @property
    def rule(self, /) -> Rule:
        """The rule of the core, with its parameters."""

    def predict(self, x: object) -> Prediction:
        """What the learner says of one example. Never changes the learner."""

    def learn(self, x: object, y: object, weight: float = 1.0) -> Round:
        """
        One whole round: predict, compare with the label y, update. A refused example changes nothing.

        `weight` scales the step; 0 moves nothing, though the round is counted. When labels come late, the
        prediction that counts is the one made here, not one that was served earlier.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """The weights now: a fresh read-only array of length n."""

    @property
    def bias_weight(self) -> float:
        """The weight of the appended attribute; 0 where there is none."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""

    @property
    def updates(self) -> int:
        """In how many of them the learner took a step."""

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held.
        """

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], dict[str, float]]: ...

    def _memory(self) -> tuple[dict[str, memoryview], dict[str, float]]:
        """The same, for whom bytes are enough: NumPy is not asked."""

    def _score_block(self, block: Block) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def _predictions(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

    def _chances(self, scores: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64] | None:
        """The chances of +1 behind scores; None where the rule has none."""

    def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None, examples: object, labels: object) -> Rounds: ...

    def _learn_among(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None, labels: object, among: Block, held: numpy.typing.NDArray[numpy.bool_]) -> tuple[Rounds, numpy.typing.NDArray[numpy.float64]]: ...

    def _tell(self, first: int, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, predictions: numpy.typing.NDArray[numpy.int8], changed: numpy.typing.NDArray[numpy.bool_], weights: numpy.typing.NDArray[numpy.float64] | None, examples: object) -> Rounds:
        """
        Rounds that were played earlier on these rows, from what was kept of them: without scores and history.
        """

class Crew:
    """Threads that do whatever there is to do, for several who give it."""

    def __init__(self, threads: int) -> None:
        """So many at most, that of whoever waits for something included."""

    @property
    def threads(self) -> int:
        """How many there may be."""

class Bank:
    """Lanes side by side: learners whose rounds are played in one sweep."""

    @overload
    def __init__(self, n: int, rules: Sequence[Rule], threads: int = 1) -> None: ...

    @overload
    def __init__(self, n: int, rules: Sequence[Rule], arrays: dict[str, numpy.typing.NDArray[numpy.float32]], heads: dict[str, Any], threads: int = 1) -> None:
        """Lanes in the state that was kept."""

    @overload
    def __init__(self, other: Bank) -> None:
        """The same once more."""

    @staticmethod
    def fits(rule: Rule) -> bool:
        """Whether learners of this rule can be lanes."""

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""

    @property
    def lanes(self) -> int:
        """The number of lanes."""

    @property
    def parts(self) -> int:
        """How many parts they lie in, which as many threads play at once."""

    @property
    def bytes(self) -> int:
        """The memory of all lanes."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held.
        """

    def _score(self, x: object, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float32] | memoryview) -> None: ...

    def _learn(self, x: object, y: object, weight: float, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float32] | memoryview) -> bool: ...

    def _score_block(self, block: Block, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float32] | memoryview) -> None: ...

    def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | memoryview | None, says: numpy.typing.NDArray[numpy.int8] | memoryview | None, scores: numpy.typing.NDArray[numpy.float32] | memoryview | None, changed: numpy.typing.NDArray[numpy.bool_] | memoryview, labels: object, ear: Ear | None = None, held: numpy.typing.NDArray[numpy.bool_] | None = None) -> None: ...

    def weights(self, lane: int) -> numpy.typing.NDArray[numpy.float64]:
        """One lane's weights: a fresh array of length n."""

    def group(self, lane: int) -> str:
        """The name of the group that a lane is in."""

    def position(self, lane: int) -> int:
        """A lane's place in its group."""

    def bias_weight(self, lane: int) -> float:
        """The weight of one lane's appended attribute."""

    def _heads(self) -> dict[str, Any]: ...

    def _memory(self) -> dict[str, memoryview]:
        """The planes as plain memory: NumPy is not asked."""

    def _drawn(self) -> dict[str, Drawn]:
        """The planes as they are now, to be written: no other memory is taken."""

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float32]], dict[str, Any]]: ...

class Bank64:
    """Lanes side by side: learners whose rounds are played in one sweep."""

    @overload
    def __init__(self, n: int, rules: Sequence[Rule], threads: int = 1) -> None: ...

    @overload
    def __init__(self, n: int, rules: Sequence[Rule], arrays: dict[str, numpy.typing.NDArray[numpy.float64]], heads: dict[str, Any], threads: int = 1) -> None:
        """Lanes in the state that was kept."""

    @overload
    def __init__(self, other: Bank64) -> None:
        """The same once more."""

    @staticmethod
    def fits(rule: Rule) -> bool:
        """Whether learners of this rule can be lanes."""

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""

    @property
    def lanes(self) -> int:
        """The number of lanes."""

    @property
    def parts(self) -> int:
        """How many parts they lie in, which as many threads play at once."""

    @property
    def bytes(self) -> int:
        """The memory of all lanes."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held.
        """

    def _score(self, x: object, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    def _learn(self, x: object, y: object, weight: float, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float64] | memoryview) -> bool: ...

    def _score_block(self, block: Block, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | memoryview | None, says: numpy.typing.NDArray[numpy.int8] | memoryview | None, scores: numpy.typing.NDArray[numpy.float64] | memoryview | None, changed: numpy.typing.NDArray[numpy.bool_] | memoryview, labels: object, ear: Ear | None = None, held: numpy.typing.NDArray[numpy.bool_] | None = None) -> None: ...

    def weights(self, lane: int) -> numpy.typing.NDArray[numpy.float64]:
        """One lane's weights: a fresh array of length n."""

    def group(self, lane: int) -> str:
        """The name of the group that a lane is in."""

    def position(self, lane: int) -> int:
        """A lane's place in its group."""

    def bias_weight(self, lane: int) -> float:
        """The weight of one lane's appended attribute."""

    def _heads(self) -> dict[str, Any]: ...

    def _memory(self) -> dict[str, memoryview]:
        """The planes as plain memory: NumPy is not asked."""

    def _drawn(self) -> dict[str, Drawn]:
        """The planes as they are now, to be written: no other memory is taken."""

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], dict[str, Any]]: ...

class BankAhead:
    """
    A crew plays rows by a bank, which nobody else may use until they are taken, while who gives them does something else.
    """

    def __init__(self, bank: Bank, crew: Crew) -> None: ...

    def give(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | memoryview | None, says: memoryview, scores: memoryview, changed: memoryview) -> None:
        """They will be learned, after all that were given before."""

    def take(self) -> None:
        """
        Waits until the oldest rows are learned, and raises what is wrong with them.
        """

    def end(self) -> None:
        """What was given and not begun is not learned."""

def room(kind: str, rows: int, lanes: int | None = None) -> memoryview:
    """
    Plain memory for what lanes say, all 0: a number for each row, or for each row and lane.
    """

class Multiclass:
    """
    A multiclass Perceptron of the core: weights for every class, by its code.
    """

    @overload
    def __init__(self, n: int, bias: float) -> None: ...

    @overload
    def __init__(self, other: Multiclass) -> None:
        """The same once more."""

    @property
    def n(self) -> int:
        """The number of attributes (slots)."""

    @property
    def bias(self) -> float:
        """The value of the appended attribute; 0 where there is none."""

    @property
    def classes(self) -> int:
        """How many classes it knows."""

    @property
    def bias_weights(self) -> list[float]:
        """The weight of the appended attribute, one a class."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""

    @property
    def updates(self) -> int:
        """In how many of them the learner took a step."""

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held.
        """

    def bytes_for(self, classes: int) -> int:
        """The memory that so many classes take."""

    @property
    def bytes(self) -> int:
        """The memory of all classes."""

    def _know(self, classes: int) -> None: ...

    def _predict(self, x: object) -> tuple[int, float]: ...

    def _learn(self, x: object, code: int, weight: float) -> tuple[int, float, bool]: ...

    def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.float64] | None, predictions: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64], changed: numpy.typing.NDArray[numpy.bool_]) -> int: ...

    def _predict_block(self, block: Block, predictions: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64]) -> None: ...

    def _score_block(self, block: Block, scores: numpy.typing.NDArray[numpy.float64]) -> None: ...

    def _weights(self, into: numpy.typing.NDArray[numpy.float64]) -> None: ...

    def _restore(self, weights: numpy.typing.NDArray[numpy.float64], bias_weights: list[float], counts: dict[str, int]) -> None: ...

class Witnessed:
    """The sums of a frozen comparator at one moment."""

class Frozen:
    """
    A linear comparator that never moves. Over the rounds entered it sums what the theorems need,
    every number rounded to the safe side. It looks at u where it lies: u must not change.
    """

    def __init__(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias_weight: float, margin: float) -> None: ...

    @overload
    def enter(self, round: Round) -> None: ...

    @overload
    def enter(self, rounds: Rounds) -> None: ...

    @property
    def sums(self) -> Witnessed:
        """Where the sums stand; set it to go back to an earlier moment."""

    @sums.setter
    def sums(self, arg: Witnessed, /) -> None: ...

    @property
    def norm(self) -> float:
        """The norm of u with its bias weight, from above."""

    @property
    def rounds(self) -> int: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def terms(self) -> int:
        """The most nonzero terms in an example."""

    @property
    def smallest_margin(self) -> float:
        """min y u.z, from below."""

    @property
    def largest_norm(self) -> float:
        """max |z|, from above."""

    @property
    def largest_value(self) -> float:
        """max |z_i|, where the rounds are a p-norm Perceptron's; else 0."""

    @property
    def squares_on_mistakes(self) -> float:
        """The sum of |z|^2 over mistakes, from above."""

    @property
    def distance(self) -> float:
        """The sum of max(0, margin - y u.z), from above."""

    @property
    def distance_on_mistakes(self) -> float:
        """The same over mistakes."""

    @property
    def squared_distance(self) -> float:
        """The sum of max(0, margin - y u.z)^2, from above."""

class SidedSums:
    """The sums of a comparator with two sides at one moment."""

class Sided:
    """
    A comparator that asks u.x + constant to be at least `above` on positive examples and at most `below` on
    negative ones, and sums what is missing, rounded to the safe side. u must not change, and may hold negative
    numbers only if all are whole.
    """

    def __init__(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float, above: float, below: float) -> None: ...

    @overload
    def enter(self, round: Round) -> None: ...

    @overload
    def enter(self, rounds: Rounds) -> None: ...

    @property
    def sums(self) -> SidedSums:
        """Where the sums stand; set it to go back to an earlier moment."""

    @sums.setter
    def sums(self, arg: SidedSums, /) -> None: ...

    @property
    def rounds(self) -> int: ...

    @property
    def fractional(self) -> int:
        """Examples with a value other than 0 and 1."""

    @property
    def terms(self) -> int:
        """The most nonzero terms in an example."""

    @property
    def lowest_positive(self) -> float:
        """The least over positives, from below."""

    @property
    def highest_negative(self) -> float:
        """The most over negatives, from above."""

    @property
    def missing(self) -> float:
        """The sum of what is missing, from above."""

    @property
    def missing_on_mistakes(self) -> float:
        """The same over mistakes."""

class Mixer:
    """
    A rule for losses of the core: the experts' losses so far, and what follows.
    """

    @overload
    def __init__(self, n: int, rate: str, eta: float, alpha: float) -> None: ...

    @overload
    def __init__(self, other: Mixer) -> None:
        """The same once more."""

    @property
    def n(self) -> int:
        """The number of experts."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """
        The weights of the next round, which add up to 1: a fresh read-only array.
        """

    @property
    def rate(self) -> float:
        """The rate of the next round; infinite is all weight on the best."""

    def _learn(self, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

    @overload
    def _learn_many(self, losses: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def _learn_many(self, losses: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def _heads(self) -> tuple[int, float, float, float, int, float]: ...

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], int, float, float, float, int, float]: ...

    def _restore(self, losses: numpy.typing.NDArray[numpy.float64] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | memoryview, rounds: int, gap: float, loss: float, rest: float, slept: int, largest: float) -> None: ...

ASLEEP: int = 2

def philox(counter_low: int, counter_high: int, key: int) -> tuple[int, int, int, int]:
    """Philox4x32-10 of a counter and a key."""

def coin(seed: int, t: int) -> float:
    """The coin of round t: from 0 to below 1."""

class Majority:
    """A majority of the core: its rule, and the experts' mistakes."""

    @overload
    def __init__(self, other: Majority) -> None:
        """The same once more."""

    @overload
    def __init__(self, rule: MajorityRule) -> None: ...

    @property
    def rule(self, /) -> MajorityRule:
        """The rule of the core, with its parameters."""

    @property
    def n(self) -> int:
        """The number of experts."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""

    @property
    def updates(self) -> int:
        """In how many of them an expert was wrong."""

    @property
    def loss(self) -> float:
        """The sum of the rounds' losses."""

    @property
    def beta(self) -> float:
        """What a wrong expert keeps of its weight, now."""

    @property
    def expert_mistakes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """How many mistakes each expert has made: a fresh read-only array."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """
        The experts' shares of the weight now, which add up to 1: a fresh read-only array.
        """

    def _predict(self, advice: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], holds: str) -> Prediction: ...

    def _predict_many(self, advice: numpy.typing.NDArray[numpy.int8], holds: str) -> tuple[numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.float64]]: ...

    def _learn(self, advice: numpy.typing.NDArray[numpy.int8], holds: str, example: object, y: object) -> Round: ...

    def _learn_many(self, advice: numpy.typing.NDArray[numpy.int8], holds: str, codes: numpy.typing.NDArray[numpy.int8], examples: object, labels: object) -> Rounds: ...

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.int64]], dict[str, float]]: ...

    def _restore(self, mistakes: numpy.typing.NDArray[numpy.int64], base: numpy.typing.NDArray[numpy.int64], since: numpy.typing.NDArray[numpy.int64], heads: dict[str, float]) -> None: ...

class Vote:
    """
    The vote of a portfolio's lanes: the master, what each lane lost, and the calibration.
    """

    @overload
    def __init__(self, lanes: int, rate: str, eta: float, alpha: float, cost_positive: float) -> None: ...

    @overload
    def __init__(self, other: Vote) -> None:
        """The same once more."""

    @property
    def lanes(self) -> int:
        """How many lanes vote."""

    @property
    def cost_positive(self) -> float:
        """What a missed positive example costs."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    def mistakes(self) -> int:
        """In how many of them the vote was wrong."""

    @property
    def updates(self) -> int:
        """In how many of them a lane moved."""

    @property
    def collisions(self) -> int:
        """
        How many features fell into a slot that another one of the same example held.
        """

    @property
    def history(self) -> int:
        """A digest of all rounds so far."""

    @property
    def loss(self) -> float:
        """What the mixture of the lanes lost."""

    @property
    def log_loss(self) -> float:
        """The sum of -ln of the chances that were given to what came."""

    @property
    def lane_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """
        The lanes' weights in the next round, which add up to 1: a fresh read-only array.
        """

    @property
    def lane_mistakes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """How often each lane was wrong: a fresh read-only array."""

    @property
    def lane_losses(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """What each lane lost: a fresh read-only array."""

    @property
    def best_lane(self) -> int:
        """The lane that lost least; the first, if there are several."""

    def _check(self, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None) -> int: ...

    def _refuse(self, code: int, weight: float, label: object, row: int | None, rounds: Rounds | None) -> NoReturn: ...

    def _costs(self, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None) -> memoryview | None: ...

    @overload
    def _learn_block(self, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float32] | memoryview, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None, moved: numpy.typing.NDArray[numpy.bool_] | memoryview, predictions: numpy.typing.NDArray[numpy.int8] | memoryview, z: numpy.typing.NDArray[numpy.float64] | memoryview, p: numpy.typing.NDArray[numpy.float64] | memoryview, losses: numpy.typing.NDArray[numpy.float64] | memoryview, chances: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    @overload
    def _learn_block(self, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float64] | memoryview, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None, moved: numpy.typing.NDArray[numpy.bool_] | memoryview, predictions: numpy.typing.NDArray[numpy.int8] | memoryview, z: numpy.typing.NDArray[numpy.float64] | memoryview, p: numpy.typing.NDArray[numpy.float64] | memoryview, losses: numpy.typing.NDArray[numpy.float64] | memoryview, chances: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    @overload
    def _score_block(self, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float32] | memoryview, predictions: numpy.typing.NDArray[numpy.int8] | memoryview, z: numpy.typing.NDArray[numpy.float64] | memoryview, p: numpy.typing.NDArray[numpy.float64] | memoryview, chances: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    @overload
    def _score_block(self, says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: numpy.typing.NDArray[numpy.float64] | memoryview, predictions: numpy.typing.NDArray[numpy.int8] | memoryview, z: numpy.typing.NDArray[numpy.float64] | memoryview, p: numpy.typing.NDArray[numpy.float64] | memoryview, chances: numpy.typing.NDArray[numpy.float64] | memoryview) -> None: ...

    def _ear(self, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: numpy.typing.NDArray[numpy.float64] | None, moved: numpy.typing.NDArray[numpy.bool_] | memoryview, predictions: numpy.typing.NDArray[numpy.int8] | memoryview, z: numpy.typing.NDArray[numpy.float64] | memoryview, p: numpy.typing.NDArray[numpy.float64] | memoryview, losses: numpy.typing.NDArray[numpy.float64] | memoryview, chances: numpy.typing.NDArray[numpy.float64] | memoryview, held: numpy.typing.NDArray[numpy.bool_] | None = None) -> Ear: ...

    def _collide(self, features: int) -> None: ...

    def _standing(self, before: Sequence[int], regret_bound: float | None) -> Standing: ...

    def _counts(self) -> tuple[list[int], list[float], list[float]]:
        """
        Of each lane, in lists: how often it was wrong, what it lost, its weight in the next round.
        """

    def _heads(self) -> tuple[dict[str, float], tuple[int, float, float, float, int, float]]: ...

    def _memory(self) -> tuple[dict[str, memoryview], dict[str, memoryview]]: ...

    def _restore(self, arrays: dict[str, numpy.typing.NDArray[Any]], heads: dict[str, float], planes: dict[str, numpy.typing.NDArray[numpy.float64]], master: dict[str, float]) -> None: ...

class Ear:
    """Hears what lanes say while they play."""

class Standing:
    """Where a portfolio stands after rounds: the sums that its ledger needs."""

    @property
    def lane_mistakes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """How often each lane was wrong in these rounds."""

    @property
    def all_mistakes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """The same in all rounds until now."""

    def _erred(self, lane: int) -> int:
        """That of one lane alone."""

    @property
    def losses(self) -> list[tuple[float, float]]:
        """What each lane lost until now, in two parts."""

    @property
    def regret_bound(self) -> float | None:
        """
        What the master proves of its regret until now; None where it is silent.
        """

    @property
    def rate(self) -> str:
        """
        How the master weighs: adaptive (AdaHedge), fixed or anytime (Hedge), share (Fixed Share).
        """

    @property
    def eta(self) -> float: ...

    @property
    def alpha(self) -> float: ...

    @property
    def rounds(self) -> int: ...

    @property
    def gap(self) -> float: ...

    @property
    def largest(self) -> float: ...

    @property
    def loss(self) -> tuple[float, float]:
        """What the mixture lost until now, in two parts."""

    @property
    def weighted(self) -> int:
        """The first round with a cost other than 1; 0 is none."""

    @property
    def missed(self) -> tuple[float, float]:
        """The cost of the vote's mistakes, in two parts."""

    @property
    def cost(self) -> tuple[float, float]:
        """The cost of all rounds in which some lane was wrong, in two parts."""

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...]) -> None: ...

def voted_rounds(first: int, examples: object, block: Block, weights: numpy.typing.NDArray[numpy.float64] | None, rule: Rule, history: tuple[int, int], predictions: memoryview, codes: numpy.typing.NDArray[numpy.int8] | memoryview, scores: memoryview, shares: memoryview, losses: memoryview, moved: memoryview, chances: memoryview, standing: Standing) -> Rounds:
    """The rounds of a portfolio, from what its vote wrote."""

def voted_round(t: int, example: object, block: Block, weight: float, rule: Rule, history: tuple[int, int], said: Prediction, code: int, changed: bool, loss: float, chance: float, standing: Standing) -> Round:
    """One round of a portfolio."""

class Forecasts:
    """One forecast from many, of the core: weights, and what everybody lost."""

    @overload
    def __init__(self, n: int, loss: str, way: str, low: float, high: float, rate: str, eta: float, alpha: float) -> None: ...

    @overload
    def __init__(self, other: Forecasts) -> None:
        """The same once more."""

    def _n(self) -> int: ...

    def _outcomes(self) -> int: ...

    def _weights(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @overload
    def _predict_many(self, given: numpy.typing.NDArray[numpy.float64], one: bool) -> numpy.typing.NDArray[numpy.float64]: ...

    @overload
    def _predict_many(self, given: numpy.typing.NDArray[numpy.float32], one: bool) -> numpy.typing.NDArray[numpy.float64]: ...

    @overload
    def _learn_many(self, given: numpy.typing.NDArray[numpy.float64], outcomes: numpy.typing.NDArray[numpy.float64], one: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], tuple[int, float, float, float, int, float], tuple[int, float, float, float, int, float]]: ...

    @overload
    def _learn_many(self, given: numpy.typing.NDArray[numpy.float32], outcomes: numpy.typing.NDArray[numpy.float64], one: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], tuple[int, float, float, float, int, float], tuple[int, float, float, float, int, float]]: ...

    def _heads(self) -> tuple[int, float, float, float, int, float]: ...

    def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], tuple[int, float, float, float, int, float], float, float, int] | None: ...

    def _restore(self, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcomes: int, rounds: int, gap: float, loss: float, rest: float, slept: int, largest: float, rule_loss: float, rule_rest: float) -> None: ...

class Batch:
    """Rows as they were read from text."""

    def __len__(self) -> int: ...

    @property
    def X(self, /) -> Block:
        """The rows."""

    def codes(self, positive: int) -> memoryview:
        """The labels as int8, +1 for the one of that number."""

    @property
    def nonzeros(self) -> int:
        """How many terms the rows have."""

    @property
    def weights(self, /) -> numpy.typing.NDArray[numpy.float64] | None:
        """The rows' weights, or None for 1 throughout."""

    @property
    def tags(self) -> list[bytes]:
        """The rows' tags, where the reader keeps them."""

    @property
    def bad(self) -> list[tuple[int, int, bytes, str]]:
        """What could not be read in it: the number of its line, or row, there."""

    @property
    def places(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """
        Where each row stands: its byte in the text, or its number in the table.
        """

    @property
    def indptr(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def indices(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def data(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

class Reader:
    """Reads svmlight or Vowpal Wabbit text."""

    def __init__(self, format: str, n: int, *, zero_based: bool, keep_tags: bool, labels: str, drop_unlabelled: bool, skip_bad: bool, needs_features: bool, values: str, unweighted: bool, interactions: Sequence[str] = [], ngrams: int = 1, threads: int = 1) -> None: ...

    def fill(self, readinto: Callable[[memoryview], int]) -> int: ...

    def cut(self, last: bool) -> None: ...

    def follow(self, descriptor: int, offset: int) -> None: ...

    @property
    def reached(self) -> int:
        """How far the file that is followed was read."""

    def next(self) -> Batch | None: ...

    def end(self) -> None: ...

    def keep_names(self, batch: Batch, changed: object) -> None: ...

    def names_of(self, batch: Batch, row: int) -> list[bytes]: ...

    def skip(self, count: int) -> int: ...

    def start_file(self) -> None: ...

    def know_label(self, spelling: bytes) -> None: ...

    def find_label(self, spelling: bytes) -> int:
        """The number of a label, or -1."""

    def keep_name(self, name: bytes) -> None: ...

    @property
    def labels(self) -> list[tuple[bytes, int]]: ...

    @property
    def names(self) -> bytes: ...

    @property
    def crew(self) -> Crew:
        """Its threads, who may do other work, too."""

    @property
    def names_full(self) -> bool: ...

    @property
    def bad(self) -> list[tuple[int, int, bytes, str]]: ...

    @property
    def has_room(self) -> bool: ...

    @property
    def has_next(self) -> bool: ...

    @property
    def stopped(self) -> bool: ...

    @property
    def saw_query(self) -> bool: ...

    @property
    def file(self) -> int: ...

    @property
    def digest(self) -> int: ...

    @property
    def offset(self) -> int: ...

    @property
    def without_label(self) -> int: ...

    @property
    def bad_lines(self) -> int: ...

def end_of_rows(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], separator: str, quotes: bool) -> int:
    """Where the last row of CSV ends that is whole."""

def whole_rows(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], separator: str, quotes: bool) -> tuple[int, int, bool]:
    """
    The same, how many line breaks are before it, and whether a cell in quotes may have some of them.
    """

def stray_quote(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], separator: str) -> tuple[int, int, int]:
    """
    Of a cell in quotes that has a line break and goes on behind them: where its row begins, where the quote is, and where the line of that ends; all 0 if there is none.
    """

def depth_of_json(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """How deep lines of JSON are nested."""

class Column:
    """A column of a table."""

    @property
    def name(self) -> str: ...

    @staticmethod
    def numbers(name: str, prefix: str, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Column: ...

    @staticmethod
    def categories(name: str, prefix: str, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Column: ...

    @staticmethod
    def words(name: str, prefix: str, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Column: ...

class Columns:
    """Some rows of a table, checked."""

    def __init__(self, rows: int, columns: list[Column], label: Column | None = None, tag: Column | None = None) -> None: ...

    def __len__(self) -> int: ...

class TableReader:
    """Makes rows of columns."""

    def __init__(self, n: int, *, labels: str, drop_unlabelled: bool, skip_bad: bool, needs_features: bool, values: str, ngrams: int, scaled: bool, frozen: bool, threads: int) -> None: ...

    @property
    def crew(self) -> Crew:
        """Its threads, who may do other work, too."""

    def begin(self, columns: Columns) -> None: ...

    def next(self, shared: bool = True) -> Batch: ...

    def skip(self, count: int) -> int: ...

    def end(self) -> None: ...

    @property
    def has_next(self) -> bool: ...

    def keep_names(self, batch: Batch, changed: object) -> None: ...

    def names_of(self, batch: Batch, row: int) -> list[bytes]: ...

    @property
    def scales(self) -> dict[str, tuple[float, float, float]]:
        """Of each column of numbers: count, mean, squares."""

    def scale(self, name: str, count: float, mean: float, squares: float) -> None: ...

    def know_label(self, spelling: bytes) -> None: ...

    def find_label(self, spelling: bytes) -> int:
        """The number of a label, or -1."""

    def keep_name(self, name: bytes) -> None: ...

    @property
    def labels(self) -> list[tuple[bytes, int]]: ...

    @property
    def names(self) -> bytes: ...

    @property
    def names_full(self) -> bool: ...

    @property
    def digest(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def leap(self) -> tuple[int, int, float] | None:
        """
        Of the first number that made a deviation more than ten times as large: its column, its row, how many times.
        """

    @property
    def stopped(self) -> bool: ...

    @property
    def without_label(self) -> int: ...

    @property
    def bad_lines(self) -> int: ...

class Drawn:
    """
    Numbers that are not in memory as they are to be written: made when they are.
    """

    @property
    def format(self) -> str:
        """Their type, as a memoryview has it."""

    @property
    def nbytes(self) -> int:
        """How many bytes they take."""

class Pieces:
    """The pieces of a file, each made and hashed when it is asked for."""

    def __iter__(self) -> Pieces: ...

    def __next__(self) -> bytes | memoryview: ...

def pack(sections: dict[str, Buffer | numpy.typing.NDArray[Any] | Drawn]) -> Pieces:
    """
    The file that holds these sections, in pieces to write one after the other: views of the sections, and
    what stands before, between and after them.
    """

def unpack(file: Buffer | numpy.typing.NDArray[Any]) -> dict[str, numpy.typing.NDArray[numpy.uint8]]:
    """The sections of a file, as read-only views that keep it alive."""

def check_head(head: Buffer | numpy.typing.NDArray[Any], size: int) -> None:
    """
    Refuses a file of `size` bytes that cannot be a model, from its first bytes (32 or more; all, if fewer).
    """

def digest(*pieces: Buffer | numpy.typing.NDArray[Any]) -> int:
    """XXH64 of these bytes, one after the other."""

def instruction_sets() -> list[str]:
    """The kernels this machine can run. All give the same bits."""

def instruction_set() -> str:
    """The kernels in use."""

def use_instruction_set(name: str) -> None:
    """Use other kernels from now on, to compare them."""
