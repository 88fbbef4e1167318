"""The lines that tests/models/version-1.thresher was made of."""

from __future__ import annotations

__all__ = ["LINES", "OPTIONS"]

LINES = """\
'1| colour=orange peel=smooth weight:1.5
export 'a| colour=orange peel=smooth sugar:0.75
local-market 'b| colour=greenish peel=puffy sugar:0.25
export 'c| colour=deep-orange peel=smooth sugar:0.5
local-market 'd| colour=orange peel=puffy blemish=scale
export 2 'e| colour=orange sugar:0.9 café
local-market 'f| colour=greenish sugar:0.1 blemish=scale
export 'g| colour=orange peel=puffy sugar
"""

#: `thresher learn` with these, interrupted in its second pass after five of seven examples.
OPTIONS = ("--bits", 6, "--normalize", "--tie", "minus", "--positive", "export", "--passes", 2)
