"""The one loop that plays a learner against a stream, and ways to look at what it did."""

from typing import TYPE_CHECKING

from thresher.evaluate.play import play
from thresher.late import late

if TYPE_CHECKING:
    from thresher.evaluate.ahead import Lookahead
    from thresher.evaluate.blackboard import Trace, trace
    from thresher.evaluate.confusion import Confusion, percent
    from thresher.evaluate.course import Course
    from thresher.evaluate.margin import promising_margin
    from thresher.evaluate.measuring import Measuring
    from thresher.evaluate.metrics import Measured, Metrics
    from thresher.evaluate.outcomes import Outcomes
    from thresher.evaluate.proof import Proof, certify
    from thresher.evaluate.witness import witnesses
else:
    __getattr__, __dir__ = late(
        __name__,
        ahead="Lookahead",
        blackboard="Trace trace",
        confusion="Confusion percent",
        course="Course",
        margin="promising_margin",
        measuring="Measuring",
        metrics="Measured Metrics",
        outcomes="Outcomes",
        proof="Proof certify",
        witness="witnesses",
    )

__all__ = [
    "Confusion",
    "Course",
    "Lookahead",
    "Measured",
    "Measuring",
    "Metrics",
    "Outcomes",
    "Proof",
    "Trace",
    "certify",
    "percent",
    "play",
    "promising_margin",
    "trace",
    "witnesses",
]
