"""Model files."""

from thresher.store.kinds import StoredLearner, linear
from thresher.store.model import Measures, Model, Run, load, save

__all__ = ["Measures", "Model", "Run", "StoredLearner", "linear", "load", "save"]
