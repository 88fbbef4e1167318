"""Hypothesis without a stopwatch: the machine may be slow, or the core built with sanitizers.

THRESHER_EXAMPLES=1000 tries so many examples of each property, where a test does not say how many; usually it is 40.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile(
    "thresher", deadline=None, print_blob=True, max_examples=int(os.environ.get("THRESHER_EXAMPLES", "40"))
)
settings.load_profile("thresher")
