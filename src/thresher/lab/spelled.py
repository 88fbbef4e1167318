"""How counts, bounds and their ratios are spelled, on a screen and on a page."""

from __future__ import annotations

from thresher.lab.result import Outcome

__all__ = ["number", "ratio"]


def number(value: float) -> str:
    """A count as it is, anything else with four digits.

    >>> number(1600), number(12.0), number(2 / 3), number(142.8004), number(12345.678)
    ('1,600', '12', '0.6667', '142.8', '12,350')
    """
    if isinstance(value, int) or value.is_integer():
        return f"{value:,.0f}"
    return f"{float(f'{value:.4g}'):,.10g}"


def ratio(outcome: Outcome) -> str:
    """Attained / bound; what is above is not rounded down to 1.

    >>> ratio(Outcome("flips", "forced", 4, 3, 3, 3.0, 3.0))
    '1.000'
    """
    return f"{outcome.ratio:.3f}" if outcome.refuted is None else f"{max(outcome.ratio, 1.001):.3f} above"
