"""Playing a learner against a stream, and looking at it."""

from thresher.evaluate.trace import Trace, trace

__all__ = ["Trace", "trace"]
