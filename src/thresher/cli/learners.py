"""The learners by name, with the options that each takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from thresher.cli.reading import first_sum
from thresher.errors import ParameterError

if TYPE_CHECKING:
    from thresher.data.stream import Batch
    from thresher.linear import Winnow
    from thresher.store import StoredLearner

__all__ = [
    "BIAS",
    "DEFAULT",
    "NAMES",
    "add_learner_options",
    "add_options_of",
    "check_learner",
    "lower_start",
    "make_learner",
    "winnow_start",
]

DEFAULT = "portfolio"
BIAS = 1.0
NO_BIAS = "no constant feature; by default there is one of 1, and smaller ones for some learners of a portfolio"


class Option(NamedTuple):
    """What an option is called, and which argument of the learner it gives."""

    flag: str
    argument: str
    read: Callable[[str], Any] | None  # None is a switch
    help: str


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number") from None


_OPTIONS = (
    Option(
        "--master",
        "master",
        str,
        "portfolio: who weighs its learners: adahedge, or fixed-share for drift (adahedge)",
    ),
    Option(
        "--cost-positive",
        "cost_positive",
        _number,
        "portfolio: what missing a positive example costs, where a false alarm costs 1; vote and proof count in it (1)",
    ),
    Option("--normalize", "normalize", None, "perceptron, averaged-perceptron: scale each example to norm 1"),
    Option("--tie", "tie", str, "perceptron, averaged-perceptron: what a score of 0 predicts: plus, minus or mistake (plus)"),
    Option("--margin", "margin", _number, "margin-perceptron: the margin hoped for; by default 1, halved where impossible"),
    Option("--epsilon", "epsilon", _number, "margin-perceptron: it moves below (1 - epsilon) margin (0.5)"),
    Option(
        "--threshold",
        "threshold",
        _number,
        "winnow: +1 from here on; by default the first example's sum (literal-winnow: 2n)",
    ),
    Option("--times", "times", _number, "scaled-winnow: the threshold as a multiple of the first example's sum (1)"),
    Option(
        "--factor", "factor", _number, "winnow, literal-winnow, scaled-winnow: what weights are multiplied or divided by (2)"
    ),
    Option("--strict", "strict", None, "winnow, literal-winnow: +1 only above the threshold"),
    Option("--eta", "eta", _number, "balanced-winnow: the rate (0.1)"),
    Option("--C", "C", _number, "passive-aggressive: the most that a step is along an example (1)"),
    Option("--p", "p", _number, "p-norm-perceptron: the norm, from 2 to 100; by default 2 ln n, rounded"),
    Option("--monotone", "monotone", None, "elimination: without negated literals"),
    Option("--r", "r", _number, "arow: how little one example is trusted (1)"),
    Option("--loss", "loss", str, "adagrad: what it goes down: logistic, which gives chances, or hinge (logistic)"),
    Option("--rate", "rate", _number, "adagrad, invariant: how far steps go (0.3, 1)"),
)

_CHOICES = {"master": ("adahedge", "fixed-share"), "tie": ("plus", "minus", "mistake"), "loss": ("logistic", "hinge")}

#: The name of each learner, its class, and which of the options it takes.
NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "portfolio": ("Portfolio", ("master", "cost_positive", "bias")),
    "perceptron": ("Perceptron", ("normalize", "tie", "bias")),
    "margin-perceptron": ("MarginPerceptron", ("margin", "epsilon", "bias")),
    "averaged-perceptron": ("AveragedPerceptron", ("normalize", "tie", "bias")),
    "p-norm-perceptron": ("PNormPerceptron", ("p", "bias")),
    "passive-aggressive": ("PassiveAggressive", ("C", "bias")),
    "winnow": ("Winnow", ("threshold", "factor", "strict")),
    "literal-winnow": ("LiteralWinnow", ("threshold", "factor", "strict")),
    "scaled-winnow": ("ScaledWinnow", ("times", "factor", "bias")),
    "balanced-winnow": ("BalancedWinnow", ("eta", "bias")),
    "elimination": ("Elimination", ("monotone",)),
    "arow": ("AROW", ("r", "bias")),
    "adagrad": ("AdaGrad", ("loss", "rate", "bias")),
    "invariant": ("Invariant", ("rate", "bias")),
}


def add_learner_options(group: argparse._ArgumentGroup) -> None:
    """--learner, and the options of all learners."""
    group.add_argument("--learner", choices=tuple(NAMES), metavar="NAME", help=f"one of {', '.join(NAMES)} ({DEFAULT})")
    add_options_of(group, *(option.argument for option in _OPTIONS))
    group.add_argument("--no-bias", action="store_true", default=None, help=NO_BIAS)


def add_options_of(group: argparse._ArgumentGroup, *arguments: str) -> None:
    """The options that give these arguments of learners."""
    for option in (each for each in _OPTIONS if each.argument in arguments):
        if option.read is None:
            group.add_argument(option.flag, dest=option.argument, action="store_true", default=None, help=option.help)
        else:
            kind: dict[str, Any] = {"metavar": option.argument[0].upper()}
            if option.argument in _CHOICES:
                kind = {"choices": _CHOICES[option.argument]}
            group.add_argument(option.flag, dest=option.argument, type=option.read, help=option.help, **kind)


def make_learner(options: argparse.Namespace, n: int, first: Batch | None) -> StoredLearner:
    """The learner that was asked for, over n slots. Winnow's threshold comes from the first example."""
    name = options.learner or DEFAULT
    made, takes = NAMES[name]
    arguments = {argument: value for argument, value in _given(options).items() if argument in takes}
    _refuse_others(options, name, takes)
    if "bias" in takes:
        arguments["bias"] = None if options.no_bias else BIAS
    if name == "portfolio":
        from thresher.compose.named_portfolio import named_portfolio

        return named_portfolio(n, **arguments)
    if name == "margin-perceptron":
        arguments.setdefault("margin", None)
    if name == "winnow":
        arguments.setdefault("threshold", 1.0 if first is None else max(1.0, first_sum(first)))
    from thresher.linear import LEARNERS

    return LEARNERS[made](n, **arguments)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    values = {option.argument: getattr(options, option.argument) for option in _OPTIONS}
    return {argument: value for argument, value in values.items() if value is not None}


def _refuse_others(options: argparse.Namespace, name: str, takes: tuple[str, ...]) -> None:
    given = [option.flag for option in _OPTIONS if option.argument in _given(options) and option.argument not in takes]
    given += ["--no-bias"] if options.no_bias and "bias" not in takes else []
    if given:
        own = [option.flag for option in _OPTIONS if option.argument in takes] + ["--no-bias"] * ("bias" in takes)
        raise ParameterError(f"found {given[0]}, which {name} does not have; it has {', '.join(own) or 'none'}")


def check_learner(options: argparse.Namespace, learner: StoredLearner) -> None:
    """An option that contradicts the model is an error."""
    from thresher.cli.lanes import called, parameters

    arguments = parameters(learner)
    named = ((name, takes) for name, (made, takes) in NAMES.items() if made == type(learner).__name__)
    name, takes = next(named, (type(learner).__name__, ()))
    if options.learner not in (None, name):
        raise ParameterError(f"found --learner {options.learner}, but the model is {called(learner)}: leave the option out")
    _refuse_others(options, name, takes)
    said = {option.flag: (getattr(options, option.argument), arguments.get(option.argument)) for option in _OPTIONS}
    said["--no-bias"] = (options.no_bias, arguments.get("bias") is None)
    for flag, (wanted, known) in said.items():
        if wanted is not None and wanted != known:
            shown = "" if wanted is True else f" {wanted}"
            raise ParameterError(f"found {flag}{shown}, but the model is {called(learner)}: leave the option out")


def winnow_start(learner: Winnow) -> float:
    """αn/((α − 1)θ), which Winnow's bounds begin with, but for that of relative entropy."""
    arguments = learner._arguments()
    return float(arguments["factor"] * learner.n / ((arguments["factor"] - 1.0) * arguments["threshold"]))


def lower_start(learner: Winnow) -> str:
    """How Winnow's bounds may become smaller."""
    start = f"{winnow_start(learner):,.0f} of each bound for disjunctions, covers and thresholds are αn/((α − 1)θ)"
    return f"{start}: a larger --threshold, up to n, or a smaller --n lowers that"
