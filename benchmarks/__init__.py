"""Thresher beside its peers, in one run: `python -m benchmarks`."""
