"""What happened, held against what theory proves about it."""

from thresher.ledger.ledger import Ledger
from thresher.ledger.separator import Separator
from thresher.ledger.tally import Comparator, Tally, Watcher

__all__ = ["Comparator", "Ledger", "Separator", "Tally", "Watcher"]
