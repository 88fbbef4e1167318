"""Model files."""

from typing import TYPE_CHECKING

from thresher.late import late

if TYPE_CHECKING:
    from thresher.store.kinds import StoredLearner, linear
    from thresher.store.learners import load, save
    from thresher.store.model import Measures, Model, Run
else:
    __getattr__, __dir__ = late(__name__, kinds="StoredLearner linear", learners="load save", model="Measures Model Run")

__all__ = ["Measures", "Model", "Run", "StoredLearner", "linear", "load", "save"]
