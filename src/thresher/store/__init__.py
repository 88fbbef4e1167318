"""Model files."""

from thresher.store.kinds import StoredLearner, linear
from thresher.store.model import Model, Run, load, save

__all__ = ["Model", "Run", "StoredLearner", "linear", "load", "save"]
