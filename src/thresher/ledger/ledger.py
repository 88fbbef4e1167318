"""The ledger: rounds go in, in order; counts, baselines and certificates come out."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._core import AveragedPerceptronRule, MarginPerceptronRule, PortfolioRule, Round, Rounds
from thresher.bounds import Certificate, Verdict
from thresher.bounds.printed import filled
from thresher.errors import BoundViolated, LedgerError, ParameterError
from thresher.ledger.comparators import ClassComparator, ClassWatcher, Comparator, LossComparator, LossWatcher, Watcher
from thresher.ledger.course import Course
from thresher.ledger.tally import Tally

if TYPE_CHECKING:  # most ledgers hold rounds of two labels, and need none of the other kinds
    from thresher.class_rounds import ClassRound, ClassRounds
    from thresher.experts.rule import LossRound, LossRounds
    from thresher.ledger.class_tally import ClassTally
    from thresher.ledger.losses import LossTally

__all__ = ["Ledger"]

W = TypeVar("W", Watcher, LossWatcher, ClassWatcher)

_WATCHES = ("watch", "watch_losses", "watch_classes")

_BEST_LANE = "th.Ledger(th.BestLane()) holds a portfolio against the best of its lanes"
_HEAD = ("verdict", "count", "bound", "theorem", "")


class Ledger:
    """What happened in the rounds of one learner, held against what is proven about it.

    Enter every round, in order, as `learn` or `learn_many` returned it; it comes to the same, bit for bit. (A single round
    picked out of many, `rounds[k]`, does not know its history: what is proven of it is conditional.) Beside the mistakes it
    counts two baselines: the best constant, which always says the more frequent label, and repeating the last label (which says
    +1 before there is one). Each comparator adds its certificates.

    Rounds with losses, as `learn_losses` of a rule or `learn` of a forecaster returns them, are entered likewise, and so are
    rounds with more than two classes; a ledger holds one kind alone. With losses `loss` and `regret` are live, and the baseline
    is the plain average of the experts.

    `after` is the tally of another ledger whose rounds came before: they are counted on, but cannot be shown to the
    comparators any more, so that what is certified becomes conditional on them. A ledger that is copied or pickled keeps its
    counts, and is to its comparators as one after itself; but a `th.BestLane`, whose sums are the portfolio's, loses nothing.

    >>> import thresher as th
    >>> learner, ledger = th.Perceptron(2), th.Ledger(th.Separator([-1.0, -1.0]))
    >>> for x, y in [([1, 0], -1), ([0, 1], -1), ([1, 1], -1)]:
    ...     ledger.enter(learner.learn(x, y))
    >>> print(ledger)
    rounds 3, mistakes 2, updates 2, mistakes of the best constant 0, mistakes of
    repeating the last label 1
      verdict       count     bound  theorem
      certified         2         2  Perceptron, separable, after the run (says little: the best constant makes 0)
      certified         2         4  Perceptron, separable (says nothing: there are only 3 rounds)
      certified         2         4  Perceptron, distance (says nothing: there are only 3 rounds)
      certified         2         4  Perceptron, squared distance (says nothing: there are only 3 rounds)
      certified         2         4  Perceptron, distance (a diagnostic: it looks at the mistakes alone)
      nothing certified here says more than the best constant does
    """

    def __init__(self, *comparators: Comparator | LossComparator | ClassComparator, after: Tally | None = None) -> None:
        self._tally = Tally() if after is None else replace(after, unseen=after.rounds)
        self._course = Course(self._tally)
        for comparator in comparators:
            if isinstance(comparator, type) or not any(hasattr(comparator, name) for name in _WATCHES):
                raise ParameterError(
                    f"found {comparator!r}, expected a comparator such as th.Separator(u), or th.BestLane() for a portfolio; "
                    "rounds go in by enter"
                )
        self._lock = RLock()  # who reads sees all of what was entered, or none of it
        self._comparators = comparators
        self._watchers = [comparator.watch() for comparator in comparators if isinstance(comparator, Comparator)]
        self._loss_watchers = [
            comparator.watch_losses() for comparator in comparators if isinstance(comparator, LossComparator)
        ]
        self._class_watchers = [each.watch_classes() for each in comparators if isinstance(each, ClassComparator)]
        self._deaf = {
            kind: next((type(each).__name__ for each in comparators if not isinstance(each, watched)), None)
            for kind, watched in (("labels", Comparator), ("losses", LossComparator), ("classes", ClassComparator))
        }
        self._compared = ", ".join(dict.fromkeys(type(comparator).__name__ for comparator in comparators))

    # Most ledgers hold rounds with two labels alone, and need neither of these.

    @cached_property
    def _losses(self) -> LossTally:
        from thresher.ledger.losses import LossTally

        return LossTally()

    @cached_property
    def _classes(self) -> ClassTally:
        from thresher.ledger.class_tally import ClassTally

        return ClassTally()

    @property
    def _loss_rounds(self) -> int:
        return self._losses.rounds if "_losses" in vars(self) else 0

    @property
    def _class_rounds(self) -> int:
        return self._classes.rounds if "_classes" in vars(self) else 0

    def enter(self, entered: Round | Rounds | LossRound | LossRounds | ClassRound | ClassRounds) -> None:
        """Adds a round, or many: all of them or, if they cannot be added, none."""
        if isinstance(entered, Round | Rounds):
            self._enter_labels(entered)
            return
        from thresher.class_rounds import ClassRound, ClassRounds
        from thresher.experts.rule import LossRound, LossRounds

        if isinstance(entered, LossRound | LossRounds):
            self._enter_losses(entered)
        elif isinstance(entered, ClassRound | ClassRounds):
            self._enter_classes(entered)
        else:
            raise LedgerError(
                f"found {type(entered).__name__}, expected what learn or learn_many returned: a Round or Rounds, "
                "a LossRound or LossRounds, a ClassRound or ClassRounds"
            )

    def _enter_labels(self, entered: Round | Rounds) -> None:
        with self._lock:
            self._refuse("labels")
            tally = self._tally.after(entered)
            _entered(self._watchers, lambda watcher: watcher.enter(entered))
            self._course.enter(entered, self._tally, tally)
            self._tally = tally

    def _enter_losses(self, entered: LossRound | LossRounds) -> None:
        with self._lock:
            from thresher.ledger.losses import played

            self._refuse("losses")
            made = played(entered)
            tally = self._losses.after(made)
            _entered(self._loss_watchers, lambda watcher: watcher.enter(made))
            self._losses = tally

    def _enter_classes(self, entered: ClassRound | ClassRounds) -> None:
        with self._lock:
            from thresher.ledger.class_tally import in_columns

            self._refuse("classes")
            made = in_columns(entered)
            if len(made) == 0:
                return
            tally = self._classes.after(made)
            _entered(self._class_watchers, lambda watcher: watcher.enter(made))
            self._classes = tally

    def _refuse(self, what: str) -> None:
        """Refuses rounds of another kind than those before, and those that a comparator cannot watch."""
        kinds = {"labels": self._tally.rounds, "losses": self._loss_rounds, "classes": self._class_rounds}
        before = next((kind for kind, rounds in kinds.items() if rounds and kind != what), None)
        if before is not None:
            raise LedgerError(f"found rounds with {what}, expected rounds with {before} like those entered before")
        if self._deaf[what] is not None:
            raise LedgerError(f"found rounds with {what}, which a {self._deaf[what]} does not watch")

    def _confirm(self, played: Tally) -> bool:
        """Whether these rounds, which were told again, come to all that was counted when they were played.

        If so, they are taken for what those are known to be: rounds that the core played, one after the other.
        """
        known = replace(played, unseen=self._tally.unseen, doubt=self._tally.doubt)  # the learner's own, which is not stored
        if replace(known, history=None) != replace(self._tally, history=None):
            return False
        self._tally = known
        return True

    @property
    def comparators(self) -> tuple[Comparator | LossComparator | ClassComparator, ...]:
        """What it holds the rounds against."""
        return self._comparators

    @property
    def tally(self) -> Tally:
        """Everything counted so far."""
        return self._tally

    @property
    def losses(self) -> LossTally:
        """Everything counted so far of rounds with losses."""
        with self._lock:
            self._losses = self._losses.settled()
            return self._losses

    @property
    def classes(self) -> ClassTally:
        """Everything counted so far of rounds with many classes."""
        return self._classes

    @property
    def _labelled(self) -> Tally | ClassTally:
        return self._classes if self._class_rounds else self._tally

    @property
    def rounds(self) -> int:
        """How many rounds were entered."""
        return self._loss_rounds or self._labelled.rounds

    @property
    def mistakes(self) -> int:
        """In how many of them the prediction was wrong."""
        return self._labelled.mistakes

    @property
    def updates(self) -> int:
        """In how many of them the learner moved."""
        return self._labelled.updates

    @property
    def loss(self) -> float:
        """The sum of their losses."""
        if self._class_rounds:
            return float(self._classes.mistakes)
        return self.losses.loss if self._loss_rounds else self._tally.loss + self._tally.rest

    @property
    def regret(self) -> float:
        """What was lost more than by the best expert, each over its rounds awake; for rounds with losses."""
        if self._labelled.rounds:
            raise LedgerError("found rounds with labels: a regret is of rounds with losses")
        return self.losses.regret

    @property
    def best_constant(self) -> int:
        """The mistakes of whoever always says the most frequent label."""
        return self._labelled.best_constant

    @property
    def repeat_last(self) -> int:
        """The mistakes of whoever repeats the last label, and says +1 before there is one."""
        return self._labelled.repeat_last

    def certificates(self) -> list[Certificate]:
        """What is proven of these rounds: the tightest first that is certified and better than the best constant.

        After those come the true ones that say little, then those with unchecked premises, then the void.
        """
        ranks = {Verdict.VIOLATED: 0, Verdict.CERTIFIED: 1, Verdict.REFUTED: 2, Verdict.CONDITIONAL: 2, Verdict.VOID: 3}

        def rank(certificate: Certificate) -> tuple[int, bool, bool, float]:
            limit = certificate.bound.most
            if not certificate.bound.counts:
                limit = certificate.bound.value
            return ranks[certificate.verdict], certificate.says_little, certificate.diagnostic, limit

        with self._lock:
            if self._loss_rounds:
                made = [each for watcher in self._loss_watchers for each in watcher.certificates(self.losses)]
            elif self._class_rounds:
                made = [each for watcher in self._class_watchers for each in watcher.certificates(self._classes)]
            else:
                made = [each for watcher in self._watchers for each in watcher.certificates(self._tally)]
        return sorted(made, key=rank)

    @property
    def headline(self) -> Certificate | None:
        """The tightest certificate that assumes nothing and beats the best constant, if there is one."""
        certified = (c for c in self.certificates() if c.verdict is Verdict.CERTIFIED and not c.says_little)
        return next(certified, None)

    def check(self) -> None:
        """Raises `BoundViolated` if more was counted than a theorem with checked premises allows."""
        for certificate in self.certificates():
            if certificate.verdict is Verdict.VIOLATED:
                raise BoundViolated(str(certificate))

    def plot(self, ax: Any = None) -> Any:
        """Draws how the mistakes went beside the baselines, and the headline's bound, with matplotlib; returns the Axes.

        Of rounds with two labels; `ax` are the Axes to draw on, by default new ones.
        """
        with self._lock:
            if self._loss_rounds or self._class_rounds:
                raise LedgerError("found rounds with losses or with many classes, expected rounds with two labels to draw")
            headline, tally = self.headline, self._tally
            course = self._course.until(tally)
        bounds = []
        if headline is not None:
            limit = headline.bound.most if headline.bound.counts else headline.bound.value
            bounds = [(f"{headline.verdict}: at most {headline.limit}", float(limit))]
        from thresher.drawing import draw_counts

        return draw_counts(ax, tally.first - 1, course, bounds)

    def _facts(self) -> list[tuple[str, str]]:
        if self._loss_rounds:
            return self._loss_facts()
        tally = self._labelled
        facts = {
            "rounds": tally.rounds,
            "mistakes": tally.mistakes,
            "updates": tally.updates,
            "mistakes of the best constant": tally.best_constant,
            "mistakes of repeating the last label": tally.repeat_last,
        }
        return [(name, f"{count:,}") for name, count in facts.items()]

    def _loss_facts(self) -> list[tuple[str, str]]:
        tally = self.losses
        facts = {
            "loss": tally.loss,
            "loss of the plain average": tally.average,
            "of the best expert": tally.lost_by(tally.best)[1],
            "of the worst": tally.worst,
            "regret against the best expert": tally.regret,
        }
        return [("rounds", f"{tally.rounds:,}"), *((name, f"{number:,.6g}") for name, number in facts.items())]

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        """A row for each theorem, of several witnesses the one with the least bound."""
        best: dict[tuple[object, ...], Certificate] = {}
        for certificate in self.certificates():
            best.setdefault((certificate.verdict, certificate.bound.theorem.name, certificate.diagnostic), certificate)
        return [
            (
                str(certificate.verdict),
                certificate.counted,
                "–" if certificate.verdict is Verdict.VOID else "∞" if certificate.bound.infinite else certificate.limit,
                certificate.bound.theorem.name,
                certificate.note or certificate.condition,
            )
            for certificate in best.values()
        ]

    def _silence(self) -> str:
        """Why no theorem speaks; nothing, where nobody was asked for one and what to ask for depends on a witness."""
        portfolio = isinstance(self._tally.rule, PortfolioRule)
        if not self._comparators:
            return _BEST_LANE if portfolio else ""
        if self._loss_rounds:
            played_by = self._losses.origin
            whose = "a rule of your own" if played_by is None else f"a {played_by.rule} like this one"
            return f"no theorem about {whose} speaks of a {self._compared}: docs/learners.md says which do"
        if self._class_rounds:
            return f"no theorem about this learner of many classes speaks of a {self._compared}: docs/learners.md says which do"
        rule = self._tally.rule
        if isinstance(rule, MarginPerceptronRule) and rule.halving:
            return "the theorems are about a margin that was given: give one, such as the largest not known to be impossible"
        if isinstance(rule, AveragedPerceptronRule):
            return "nothing is proven of an average's mistakes; its updates are a Perceptron's mistakes, which theorems bound"
        who = "a learner of your own" if rule is None else f"a {type(rule).__name__.removesuffix('Rule')}"
        instead = _BEST_LANE if portfolio else "docs/learners.md says which do"
        return f"no theorem about {who} speaks of a {self._compared}: {instead}"

    def __copy__(self) -> Ledger:
        return deepcopy(self)  # both count on, each for itself

    def __reduce__(self) -> tuple[Callable[..., Ledger], tuple[object, ...]]:
        with self._lock:
            if self._loss_rounds or self._loss_watchers:
                raise TypeError("found a ledger of rounds with losses, which cannot be copied or pickled; its .losses can")
            from thresher.ledger.best_lane import LaneWatcher

            kept = all(isinstance(watcher, LaneWatcher) for watcher in self._watchers)
            classes = (self._classes, self._class_watchers)
            counted = (self._tally, self._course)
            return _opened, (self._comparators, counted, self._watchers if kept else None, *classes)

    def __str__(self) -> str:
        lines = [filled(", ".join(f"{name} {count}" for name, count in self._facts()))]
        made = self._rows()
        if not made and self.rounds and (why := self._silence()):
            return f"{lines[0]}\n  {why}"
        rows = [_HEAD, *made] if self._comparators else []
        first, second = (max((least, *(len(row[k]) for row in rows))) for k, least in ((1, 7), (2, 9)))
        for verdict, count, bound, theorem, note in rows:
            lines.append(f"  {verdict:<11} {count:>{first}} {bound:>{second}}  {theorem}" + (f" ({note})" if note else ""))
        if self._comparators and self.headline is None:
            other = "worst expert" if self._loss_rounds else "best constant"
            lines.append(f"  nothing certified here says more than the {other} does")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from thresher.notebook import table

        made = self._rows()
        if not made and self.rounds and (why := self._silence()):
            made = [("", "", "", "", why)]
        return table(("counted", ""), self._facts()) + table(_HEAD, made)


def _entered(watchers: list[W], enter: Callable[[W], Callable[[], None]]) -> None:
    """All watchers enter, or none."""
    undo: list[Callable[[], None]] = []
    try:
        for watcher in watchers:
            undo.append(enter(watcher))
    except BaseException:
        for take_back in undo:
            take_back()
        raise


def _opened(
    comparators: tuple[Comparator | ClassComparator, ...],
    counted: tuple[Tally, Course],
    watchers: list[Watcher] | None,
    classes: ClassTally,
    class_watchers: list[ClassWatcher],
) -> Ledger:
    """A ledger as it was; where its watchers could not be kept, one that goes on after it."""
    tally, course = counted
    ledger = Ledger(*comparators, after=tally)
    ledger._classes, ledger._class_watchers, ledger._course = classes, [*class_watchers], course
    if watchers is not None:
        ledger._tally, ledger._watchers = tally, [*watchers]
    return ledger
