"""Hypothesis without a stopwatch: the machine may be slow, or the core built with sanitizers."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("thresher", deadline=None, print_blob=True)
settings.load_profile("thresher")
