"""Thresher where people already work: scikit-learn in `adapters.sklearn`, river in `adapters.river`. No algorithm is here."""
