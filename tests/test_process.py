"""How a command ends as a process: its status, and nothing that only a programmer understands."""

from __future__ import annotations

import subprocess
import sys

import pytest


def ended(main: str, more: str = "") -> tuple[int, str, str]:
    """Status, stdout and stderr of a process in which the command line is this function."""
    code = f"import os, signal, sys\nfrom thresher import __main__ as own\n{main}\nown.main = main\n{more}\nown.process()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_is_left_to_print_is_printed_before_the_end() -> None:
    main = "def main():\n    sys.stdout.write('out'); sys.stderr.write('err'); return 3"
    assert ended(main) == (3, "out", "err")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_ctrl_c_while_the_last_of_it_is_written_is_no_traceback(stream: str) -> None:
    more = f"""
class Slow:
    def flush(self):
        os.kill(os.getpid(), signal.SIGINT)
sys.{stream} = Slow()"""
    assert ended("def main():\n    return 0", more) == (130, "", "")


def test_ctrl_c_before_a_command_runs_is_no_traceback() -> None:
    assert ended("def main():\n    os.kill(os.getpid(), signal.SIGINT)") == (130, "", "")


@pytest.mark.parametrize(
    ("code", "status", "err"),
    [("", 0, ""), ("0", 0, ""), ("2", 2, ""), ("'found nothing'", 1, "found nothing\n"), ("['a']", 1, "['a']\n")],
)
def test_who_leaves_python_leaves_with_python_s_own_status(code: str, status: int, err: str) -> None:
    assert ended(f"def main():\n    raise SystemExit({code})") == (status, "", err)
    alone = subprocess.run([sys.executable, "-c", f"raise SystemExit({code})"], capture_output=True, check=False)
    assert (alone.returncode, alone.stderr.decode()) == (status, err)


def test_a_command_hears_ctrl_c_itself_where_pyarrow_reads() -> None:
    """Pyarrow would end what it reads with an error of its own, and nothing would be saved."""
    code = """
import os, sys
import pyarrow
told = []
pyarrow.enable_signal_handlers = told.append
from thresher.data.arrow import arrow
from thresher.__main__ import process
class Ended(BaseException): ...
def ended(_status): raise Ended
os._exit, sys.argv = ended, ["thresher"]
try:
    process()
except Ended:
    arrow()
print(told)
"""
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8")
    assert ran.stdout.splitlines()[-1] == "[False]"
