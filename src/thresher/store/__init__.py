"""Model files."""

from thresher.store.model import Model, Run, load, save

__all__ = ["Model", "Run", "load", "save"]
