"""What `thresher predict` does."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.bounds.printed import plural
from thresher.cli.progress import Bar
from thresher.cli.reading import no_recipe, reading
from thresher.compose import Portfolio
from thresher.data.source import Source
from thresher.data.stream import UNLABELLED, Batch, open_stream
from thresher.errors import ParameterError, SourceError, StoreError
from thresher.evaluate import Confusion
from thresher.linear import LinearLearner
from thresher.store import Model, StoredLearner, container

__all__ = ["predict"]


class Said(NamedTuple):
    """What a model says of some examples: labels, scores, and where it has them the chances of the positive label."""

    labels: NDArray[np.int8]
    scores: NDArray[np.float64]
    chances: NDArray[np.float64] | None


def _said(learner: StoredLearner, batch: Batch) -> Said:
    """All of it from one look at the examples; a portfolio's chances are calibrated."""
    if isinstance(learner, Portfolio):
        return Said(*learner._ask(batch.X).judged())
    scores = learner.score_many(batch.X)
    return Said(learner._predictions(scores), scores, learner._chances(scores))


def _model(options: argparse.Namespace) -> Model:
    """The model; where the first argument is none, but another is, whoever gave them is told of the order."""
    try:
        return Model.load(options.model)
    except (StoreError, OSError):
        swapped = next((path for path in options.source if container.is_model(path)), None)
        if swapped is None or container.is_model(options.model):
            raise
        others = [options.model, *(path for path in options.source if path != swapped)]
        raise ParameterError(
            f"found {options.model} for MODEL and the model {swapped} for SOURCE, expected the model first: "
            f"thresher predict {shlex.join([swapped, *others])}"
        ) from None


def predict(options: argparse.Namespace) -> int:
    """Runs the command."""
    model = _model(options)
    learner, recipe = model.learner, model.recipe
    if recipe is None:
        raise no_recipe(options.model)
    if options.probabilities and isinstance(learner, LinearLearner) and learner._chances(np.zeros(0)) is None:
        raise ParameterError(f"found --probabilities, but a {type(learner).__name__} has none; --scores shows its scores")
    if recipe.table is None and (options.id not in (None, "tag") or (options.id and not recipe.named)):
        raise ParameterError(f"found --id {options.id}, expected tag, which only Vowpal Wabbit text has")
    plus, minus = recipe.spelled(+1), recipe.spelled(-1)
    spelled = np.array([minus, "0", plus], dtype=object)
    source = Source(*options.source)
    made, examples = Confusion(), 0
    with (
        Bar(quiet=False) as bar,
        open_stream(
            source,
            **reading(options, recipe),
            keep_unlabelled=True,
            ignore_labels=options.ignore_labels,
            rule=learner.rule,
            tags=options.id is not None if recipe.table is None else options.id or False,
        ) as stream,
    ):
        for batch in stream:
            said, scores, chances = _said(learner, batch)
            columns = [batch.tags] if options.id else []
            columns.append(spelled[said + 1].tolist())
            if options.scores:
                columns.append([repr(score + 0.0) for score in scores.tolist()])
            if options.probabilities and chances is not None:
                columns.append([repr(chance) for chance in chances.tolist()])
            lines = "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
            sys.stdout.buffer.write(lines.encode("utf-8", "surrogateescape"))
            made = made.after(batch.y[batch.y != UNLABELLED], said[batch.y != UNLABELLED])
            examples += len(batch)
            bar.advance("predicting", stream, examples)
        bar.end()
        for notice in [*stream.notices, *map(str, stream.first_bad)]:
            bar.write(notice)
        if stream.bad:
            were = "was" if stream.bad == 1 else "were"
            bar.write(f"{plural(stream.bad, 'line')} could not be read and {were} left out")
    if examples == 0:
        raise SourceError("found no example, expected at least one to predict", file=str(source))
    sys.stdout.buffer.flush()
    if made.examples:
        bar.write(made.table(minus, plus))
        bar.write(made.in_words(plus))
    return 0
