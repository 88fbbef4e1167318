"""What happened, held against what theory proves about it."""

from thresher.ledger.cover import Cover, Threshold
from thresher.ledger.disjunction import Disjunction
from thresher.ledger.ledger import Ledger
from thresher.ledger.separator import Separator
from thresher.ledger.tally import Comparator, Tally, Watcher

__all__ = ["Comparator", "Cover", "Disjunction", "Ledger", "Separator", "Tally", "Threshold", "Watcher"]
