"""Model files."""

from typing import TYPE_CHECKING

from thresher.late import late

if TYPE_CHECKING:
    from thresher.store.kinds import StoredLearner, linear
    from thresher.store.learners import load, save
    from thresher.store.model import Model, Run
else:
    __getattr__ = late(__name__, kinds="StoredLearner linear", learners="load save", model="Model Run")

__all__ = ["Model", "Run", "StoredLearner", "linear", "load", "save"]
