"""What the project uses of scikit-learn, which has no types of its own."""

from contextlib import AbstractContextManager

def config_context(*, assume_finite: bool = ..., skip_parameter_validation: bool = ...) -> AbstractContextManager[None]: ...
