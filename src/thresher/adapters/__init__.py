"""Thresher where people already work: scikit-learn in `adapters.sklearn`, river in `adapters.river`, ONNX in `adapters.onnx`.

No algorithm is here, and nothing of this is imported unless it is asked for.
"""
