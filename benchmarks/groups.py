"""All cases, in groups, in the order in which they run and are shown."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import (
    adapters,
    adapters_river,
    batches,
    cases,
    experts,
    files,
    growth,
    multiclass,
    one_by_one,
    portfolio,
    quality,
    solvers,
    starting,
    tables,
)
from benchmarks.cases import Case

__all__ = ["BY_NAME", "CASES", "GROUPS", "Group"]


@dataclass(frozen=True)
class Group:
    """Cases under one title, and what they do, in a line or two."""

    title: str
    about: str
    cases: dict[str, Case]


GROUPS = [
    Group(
        "In memory",
        "One pass of one learner over a matrix, in float64, every row checked, scores and predictions kept. The weights "
        "are asserted to be scikit-learn's.",
        cases.CASES,
    ),
    Group(
        "In batches",
        "The same rows as they come from a queue: `learn_many` beside `partial_fit`, and our classifier for scikit-learn "
        "beside its own. scikit-learn copies all weights in each call.",
        {**batches.CASES, **adapters.CASES},
    ),
    Group(
        "One example at a time",
        "`learn` and `predict` of a dict of names; `OneExampleClassifier` is a learner in river's clothes. river's "
        "Perceptron is a general linear model in Python; its weights are asserted to be ours. Vowpal Wabbit's rule is "
        "another one.",
        {**one_by_one.CASES, **adapters_river.CASES},
    ),
    Group(
        "From a file to a model",
        "Whole processes: text is read, learned and saved. Thresher runs one Perceptron (`--learner perceptron "
        "--no-check`), as the peers do, unless it says portfolio; Vowpal Wabbit runs its quickest update (`--sgd`), from text "
        "and from the binary cache that it makes of it in an earlier run.",
        files.CASES,
    ),
    Group(
        "From a table to rows",
        "`th.open_stream` of CSV and Parquet, attributes hashed and rows in canonical order, beside pyarrow, which reads "
        "the same file into columns and stops there.",
        tables.CASES,
    ),
    Group(
        "Portfolios",
        "Many learners in one pass, beside one pass of a single one. The default portfolio has 13 lanes, a master that "
        "weighs them, calibrated chances and a ledger; `one line a nonzero` reads memory and computes nothing.",
        portfolio.CASES,
    ),
    Group(
        "Experts",
        "Rules for losses and for advice, beside loops in NumPy that compute the same.",
        experts.CASES,
    ),
    Group(
        "One pass beside a solver",
        "liblinear reads the data until nothing changes; here it is the one inside scikit-learn (`LinearSVC` and "
        '`LogisticRegression(solver="liblinear")`), with its defaults. How long, and how good on rows that were kept '
        "back.",
        solvers.CASES,
    ),
    Group(
        "Mistakes",
        "How good in one pass, each prediction made before its label was shown: nothing is tuned, peers have their "
        "defaults, all see the same attributes. The ratio is to the best of eleven peers (six with many classes), "
        "whichever that is, chosen afterwards.",
        {**quality.CASES, **multiclass.CASES},
    ),
    Group(
        "Start-up",
        "Fresh processes, from nothing to something.",
        starting.CASES,
    ),
    Group(
        "Growth",
        "How the time grows with what there is to do: around 200,000 rows of 40 nonzeros in 2^16 dimensions, in process, "
        "from svmlight text to a Perceptron; lanes from a matrix.",
        growth.CASES,
    ),
]

#: What takes so long that it runs only where its name is given.
BY_NAME: dict[str, Case] = multiclass.BY_NAME

#: Every other case by its name.
CASES: dict[str, Case] = {name: case for group in GROUPS for name, case in group.cases.items()}
