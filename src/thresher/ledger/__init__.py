"""What happened, held against what theory proves about it."""

from typing import TYPE_CHECKING

from thresher.late import late

if TYPE_CHECKING:
    from thresher.ledger.best_expert import BestExpert
    from thresher.ledger.best_lane import BestLane
    from thresher.ledger.best_sequence import BestSequence
    from thresher.ledger.class_separator import ClassSeparator
    from thresher.ledger.class_tally import ClassTally
    from thresher.ledger.comparators import (
        ClassComparator,
        ClassWatcher,
        Comparator,
        LossComparator,
        LossWatcher,
        Watcher,
    )
    from thresher.ledger.cover import Cover, Threshold
    from thresher.ledger.disjunction import Disjunction
    from thresher.ledger.ledger import Ledger
    from thresher.ledger.losses import LossTally
    from thresher.ledger.mixture import BestMixture, Mixture
    from thresher.ledger.separator import Separator
    from thresher.ledger.tally import Tally
else:
    __getattr__, __dir__ = late(
        __name__,
        best_expert="BestExpert",
        best_lane="BestLane",
        best_sequence="BestSequence",
        class_separator="ClassSeparator",
        class_tally="ClassTally",
        comparators="ClassComparator ClassWatcher Comparator LossComparator LossWatcher Watcher",
        cover="Cover Threshold",
        disjunction="Disjunction",
        ledger="Ledger",
        losses="LossTally",
        mixture="BestMixture Mixture",
        separator="Separator",
        tally="Tally",
    )

__all__ = [
    "BestExpert",
    "BestLane",
    "BestMixture",
    "BestSequence",
    "ClassComparator",
    "ClassSeparator",
    "ClassTally",
    "ClassWatcher",
    "Comparator",
    "Cover",
    "Disjunction",
    "Ledger",
    "LossComparator",
    "LossTally",
    "LossWatcher",
    "Mixture",
    "Separator",
    "Tally",
    "Threshold",
    "Watcher",
]
