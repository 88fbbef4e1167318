"""What a process of ours does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TEXTS = {"svmlight": "1 1:0.5 3:1\n-1 2:1\n1 1:1\n", "vw": "1 |a b:0.5 c\n-1 |a d\n1 |a b\n"}


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, encoding="utf-8")


def _imported(*arguments: str) -> set[str]:
    told = _python("-X", "importtime", *arguments).stderr
    return {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("format", TEXTS)
def test_one_learner_of_a_text_waits_for_no_numpy(format: str, tmp_path: Path) -> None:
    text, model = tmp_path / "text", tmp_path / "model"
    text.write_text(TEXTS[format], encoding="utf-8")
    asked = ["learn", str(text), "--format", format, "--learner", "perceptron", "--no-check", "--save", str(model)]
    imported = _imported("-m", "thresher", *asked)
    assert "thresher.cli.learning" in imported
    assert model.exists()
    assert {name for name in imported if name.split(".")[0] in ("numpy", "scipy", "pyarrow", "rich")} == set()
    for_others = ("thresher.compose.portfolio", "thresher.experts.rule", "thresher.class_rounds", "thresher.linear.winnow")
    assert imported.isdisjoint((*for_others, "thresher.evaluate.proof", "thresher.data.demos", "tempfile", "shutil"))
    assert imported.isdisjoint(("thresher.bounds.winnow", "thresher.bounds.pac", "fractions", "inspect", "ipaddress"))


@pytest.mark.parametrize("format", TEXTS)
def test_a_portfolio_of_a_text_waits_for_no_numpy(format: str, tmp_path: Path) -> None:
    text, model = tmp_path / "text", tmp_path / "model"
    text.write_text(TEXTS[format], encoding="utf-8")
    imported = _imported("-m", "thresher", "learn", str(text), "--format", format, "--save", str(model))
    assert "thresher.compose.portfolio" in imported
    assert imported.isdisjoint(("thresher.bounds.winnow", "fractions", "inspect", "ipaddress"))
    assert model.exists()
    assert {name for name in imported if name.split(".")[0] in ("numpy", "scipy", "pyarrow", "rich")} == set()


def test_a_theorem_has_its_name_though_its_module_was_imported() -> None:
    """A name that is a module's, too, would be that module as soon as somebody has imported it."""
    code = """
from importlib import import_module
from pkgutil import iter_modules
from thresher import bounds
modules = [import_module(f"thresher.bounds.{module.name}") for module in iter_modules(bounds.__path__)]
print([name for name in bounds.__all__ if getattr(bounds, name) in modules], len(modules) > 20)
"""
    assert _python("-c", code).stdout == "[] True\n"


@pytest.mark.parametrize("package", ["bounds", "compose", "evaluate", "experts", "ledger", "linear", "store"])
def test_what_is_imported_when_it_is_used_is_listed_before(package: str) -> None:
    code = f"import thresher.{package} as p; print([n for n in dir(p) if not n.startswith('_')] == sorted(p.__all__))"
    assert _python("-c", code).stdout == "True\n"


def test_help_waits_for_nothing_heavy() -> None:
    imported = _imported("-m", "thresher", "--help")
    assert "thresher.cli" in imported
    assert {name for name in imported if name.split(".")[0] in ("numpy", "scipy", "pyarrow", "rich")} == set()


@pytest.mark.parametrize(
    "use",
    [
        "import numpy as np; assert np.arange(3).sum() == 3",
        "from numpy import arange; assert arange(3).sum() == 3",
        "import numpy.linalg as la; assert la.norm([3.0, 4.0]) == 5.0",
        "from numpy.typing import NDArray; assert NDArray",
        "import scipy.sparse as sp; assert sp.eye(3).nnz == 3",
        "import pyarrow as pa; assert pa.array([1, 2]).to_numpy().sum() == 3",
    ],
)
def test_a_postponed_module_comes_when_it_is_used(use: str) -> None:
    first = "from thresher.late import postpone; postpone('numpy')"
    then = "import thresher as th; rounds = th.Perceptron(2).learn_many([[1, 0]], [-1]); assert rounds.labels.sum() == -1"
    assert _python("-c", f"{first}; {use}; {then}").returncode == 0


def test_what_a_postponed_module_has_not_is_an_attribute_error() -> None:
    asked = (
        "from thresher.late import postpone; postpone('json'); import json; print(hasattr(json, 'nothing'), json.dumps([1]))"
    )
    assert _python("-c", asked).stdout == "False [1]\n"


def test_ctrl_c_while_numpy_comes_is_ctrl_c() -> None:
    """The core would import it, too, and make a RuntimeError of it."""
    code = """
import sys
from thresher.late import postpone
postpone("numpy")
from thresher.evaluate.metrics import Metrics
metrics = Metrics()
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
try:
    metrics.last
except KeyboardInterrupt:
    print("interrupted")
"""
    assert _python("-c", code).stdout == "interrupted\n"


def test_a_module_that_comes_with_a_postponed_package_runs_once(tmp_path: Path) -> None:
    """Python looks for it in the package, which brings it, and would then run it once more."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package import first\n", encoding="utf-8")
    (package / "first.py").write_text("print('first')\n", encoding="utf-8")
    (package / "second.py").write_text("print('second')\n", encoding="utf-8")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from thresher.late import postpone
postpone("package")
import package.first as first, package.second as second, package, importlib
assert package.first is first is sys.modules["package.first"] and package.second is second
assert first.__spec__.origin == first.__file__ and first.__spec__.loader is first.__loader__
importlib.reload(first)
"""
    assert _python("-c", code).stdout == "first\nsecond\nfirst\n"
