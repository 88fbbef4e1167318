"""The stub file of the core is what its generator says now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import thresher


def test_the_stub_file_is_current(tmp_path: Path) -> None:
    made = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", "thresher._core", "-o", str(made)]
    subprocess.run(command, check=True, cwd=tmp_path)
    kept = Path(__file__).parent.parent / "src" / "thresher" / "_core.pyi"
    assert made.read_text() == kept.read_text(), f"run: {' '.join(command[:-1])} {kept}"
    assert Path(thresher.__file__).with_name("_core.pyi").read_text() == kept.read_text()
    assert Path(thresher.__file__).with_name("py.typed").exists()
