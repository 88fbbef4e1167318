"""Theorems of the laboratory, each played once for all tests that look at it."""

from __future__ import annotations

from functools import cache

from thresher.lab import Result, play

__all__ = ["quick", "whole"]


@cache
def quick(name: str) -> Result:
    """The three smallest sizes."""
    return play(name, quick=True)


@cache
def whole(name: str) -> Result:
    """All sizes."""
    return play(name)
