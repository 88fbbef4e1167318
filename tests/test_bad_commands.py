"""Wrong arguments and bad sources: status 2, one line that says what and where, nothing on stdout, nothing written."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, check_refused_command, fruit, run, run_outside, stop_after, written
from thresher.cli import parser
from thresher.store import Model, container, linear


def zstandard(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression.zstd import compress
    else:
        from backports.zstd import compress
    return compress(data)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good source of either format, and a model of each."""
    made = tmp_path_factory.mktemp("prepared")
    (made / "good.vw").write_text(fruit(20))
    (made / "good.svm").write_text("+1 1:1 3:0.5\n-1 2:1\n" * 5)
    (made / "empty").write_bytes(b"")
    for kind in ("vw", "svm"):
        run(*PERCEPTRON, made / f"good.{kind}", "--quiet", "--bits", 6, "--save", made / f"{kind}.model")
    return made


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run: a copy of what was prepared."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- arguments -----------------------------------------------------------------------------------------------------

ARGUMENTS: dict[str, tuple[str, list[str]]] = {
    "unknown command": ("unlearn good.vw", ["'unlearn'", "learn", "predict", "inspect"]),
    "no source": ("learn", ["SOURCE", "thresher learn --help"]),
    "no model": ("predict", ["MODEL"]),
    "unknown option": ("learn good.vw --shuffle", ["--shuffle"]),
    "abbreviated option": ("learn good.vw --pass 2", ["--pass 2 (did you mean --passes?)"]),
    "unknown learner": ("learn good.vw --learner forest", ["'forest'", "perceptron"]),
    "unknown tie": ("learn good.vw --tie maybe", ["'maybe'", "plus", "minus", "mistake"]),
    "unknown format": ("learn good.vw --format xml", ["'xml'", "svmlight", "vw"]),
    "unknown on-bad": ("learn good.vw --on-bad panic", ["'panic'", "stop", "skip"]),
    "bits 99": ("learn good.vw --bits 99", ["bits = 99", "from 1 to 31"]),
    "bits 0": ("learn good.vw --bits 0", ["--bits", "'0'", "at least 1"]),
    "bits a word": ("learn good.vw --bits many", ["--bits", "'many'", "whole number"]),
    "bits of hundreds of digits": ("learn good.vw --bits " + "9" * 400, ["bits = 999"]),
    "n too large": ("learn good.vw --n 99999999999", ["n = 99999999999", "2^31"]),
    "n and bits": ("learn good.vw --n 64 --bits 6", ["--n", "--bits"]),
    "passes 0": ("learn good.vw --passes 0", ["--passes", "'0'"]),
    "passes of a pipe": ("learn - --passes 2", ["--passes 2", "read only once"]),
    "trace -1": ("learn good.vw --trace=-1", ["--trace", "'-1'"]),
    "zero-based names": ("learn good.vw --zero-based", ["--zero-based", "names and no indices"]),
    "from and resume": ("learn good.vw --from vw.model --resume vw.model", ["--resume", "--from"]),
    "from is missing": ("learn good.vw --from no.model", ["no.model", "No such file"]),
    "resume is missing": ("learn good.vw --resume no.model", ["no.model", "No such file"]),
    "from is empty": ("learn good.vw --from empty", ["empty: "]),
    "from is a source": ("learn good.vw --from good.vw", ["good.vw: ", "model"]),
    "from is a folder": ("learn good.vw --from .", [".: Is a directory"]),
    "save into a missing folder": ("learn good.vw --save no/where", ["no/where: ", "folder that exists"]),
    "save below a file": ("learn good.vw --save good.svm/model", ["good.svm/model: Not a directory"]),
    "save onto a folder": ("learn good.vw --save .", [".: found a directory", "expected a regular file"]),
    "normalize against the model": ("learn good.vw --from vw.model --normalize", ["--normalize", "leave the option out"]),
    "tie against the model": ("learn good.vw --from vw.model --tie minus", ["--tie minus", "tie='plus'"]),
    "no-bias against the model": ("learn good.vw --from vw.model --no-bias", ["--no-bias", "bias=1.0"]),
    "bits against the model": ("learn good.vw --from vw.model --bits 7", ["--bits 7", "64 slots", "leave the option out"]),
    "absurd bits against the model": ("learn good.vw --from vw.model --bits 99999999999", ["--bits 99999999999", "64 slots"]),
    "n against the model": ("learn good.vw --from vw.model --n 65", ["--n 65", "64"]),
    "format against the model": ("learn good.vw --from vw.model --format svmlight", ["--format svmlight", "vw"]),
    "positive against the model": ("learn good.vw --from vw.model --positive ham", ["--positive ham", "spam"]),
    "zero-based against the model": ("learn good.svm --from svm.model --zero-based", ["--zero-based"]),
    "bits against the model, to predict": ("predict vw.model good.vw --bits 7", ["--bits 7", "64 slots"]),
    "positive against the model, to predict": ("predict vw.model good.vw --positive ham", ["--positive ham", "spam"]),
    "the other format": ("predict svm.model good.vw", ["good.vw:1:", "found", "expected index:value"]),
    "no tags": ("predict svm.model good.svm --id tag", ["--id tag", "Vowpal Wabbit"]),
    "unknown column": ("predict vw.model good.vw --id name", ["--id name", "expected tag"]),
    "source and model swapped": (
        "predict good.vw vw.model",
        ["good.vw for MODEL", "vw.model for SOURCE", "expected the model first: thresher predict vw.model good.vw\n"],
    ),
    "a demo and a model swapped": ("predict demo:oranges vw.model", ["thresher predict vw.model demo:oranges"]),
    "sources before the model": ("predict good.vw - vw.model", ["thresher predict vw.model good.vw -"]),
    "two sources and no model": ("predict good.vw good.svm", ["good.vw: not a Thresher model"]),
    "top 0": ("inspect vw.model --top 0", ["--top", "'0'"]),
    "inspect a source": ("inspect good.vw", ["good.vw: "]),
    "missing source": ("learn no.vw", ["no.vw: No such file"]),
    "one of two is missing": ("learn good.vw no.vw", ["no.vw: No such file"]),
    "a model": ("learn vw.model", ["vw.model: found a model of Thresher, expected examples", "--from", "predict", "inspect"]),
    "a model after examples": ("learn good.vw vw.model --quiet", ["vw.model: found a model of Thresher"]),
    "a model to certify": ("certify vw.model", ["vw.model: found a model of Thresher"]),
    "a folder": ("learn .", [".: Is a directory"]),
    "a pipe among files": ("learn good.vw -", ["standard input alone"]),
    "unknown demo": ("learn demo:apples", ["'apples'", "oranges"]),
    "positive label that is not there": ("learn good.vw --positive eggs", ["good.vw:", "'ham'", "'spam'", "'eggs'"]),
    "nothing to predict": ("predict vw.model empty", ["empty: ", "found no example"]),
}


@pytest.mark.parametrize(("command", "says"), ARGUMENTS.values(), ids=list(ARGUMENTS))
def test_a_wrong_argument_is_refused_in_one_line(command: str, says: list[str], folder: Path) -> None:
    check_refused_command(folder, *command.split(), says=says)


@pytest.mark.parametrize("command", ["learn good.vw", "predict m f", "experts f", "certify f", "lab", "inspect m"])
def test_an_option_that_is_nearly_one_is_answered_with_it(command: str, folder: Path) -> None:
    """Every option, with its last letter twice."""
    name = command.split(maxsplit=1)[0]
    (options,) = (action.choices[name] for action in parser(name)._actions if isinstance(action.choices, dict))
    meant = [each for action in options._actions for each in action.option_strings if len(each) > 3]
    assert len(meant) >= 3
    for option in meant:
        wrong = f"{option}{option[-1]}=x"
        said = check_refused_command(folder, *command.split(), wrong)
        assert said.startswith(f"thresher {name}: unrecognized arguments: {wrong} (did you mean {option}?); see")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("learn good.vw --lable x", "thresher learn: unrecognized arguments: --lable x (did you mean --label?)"),
        ("learn -label x", "thresher learn: unrecognized arguments: -label (did you mean --label?)"),
        ("lab --quik --al", "thresher lab: unrecognized arguments: --quik --al (did you mean --quick and --all?)"),
        ("--versoin", "thresher: unrecognized arguments: --versoin (did you mean --version?)"),
        ("learn good.vw --outcome y", "thresher learn: unrecognized arguments: --outcome y; see thresher learn --help"),
        ("learn good.vw -v", "thresher learn: unrecognized arguments: -v; see thresher learn --help"),
    ],
)
def test_what_was_meant_is_asked_only_where_it_is_near(command: str, says: str, folder: Path) -> None:
    assert check_refused_command(folder, *command.split()).startswith(says)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("lern good.vw", "(did you mean learn?); see thresher --help"),
        ("learn good.vw --learner perceptorn", "(did you mean perceptron?); see thresher learn --help"),
        ("learn good.vw --master fixd-share", "(did you mean fixed-share?)"),
        ("experts good.vw --outcome y --loss sqared", "(did you mean squared?)"),
    ],
)
def test_a_word_that_is_nearly_one_to_choose_is_answered_with_it(command: str, says: str, folder: Path) -> None:
    check_refused_command(folder, *command.split(), says=["invalid choice", says])


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("learn good.vw --quiet -- --save m", "(--save has to stand before --); see thresher learn --help"),
        ("learn good.vw --quiet -- --save=m", "(--save has to stand before --)"),
        ("--quiet learn good.vw --bits 6", "(--quiet has to stand behind thresher learn)"),
        ("--quiet learn good.vw --bits 6 -- good.vw", "(--quiet has to stand behind thresher learn)"),
    ],
)
def test_an_option_in_the_wrong_place_is_told_its_place(command: str, says: str, folder: Path) -> None:
    check_refused_command(folder, *command.split(), says=[says])


@pytest.mark.parametrize("option", ["--save", "--from", "--resume"])
def test_an_empty_name_of_a_model_is_not_taken_for_none(option: str, folder: Path) -> None:
    check_refused_command(folder, "learn", "good.vw", option, "")


def test_what_no_model_can_replace_is_refused_before_anything_is_learned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learned(*_arguments: object) -> bool:
        raise AssertionError("it learned first")

    monkeypatch.setattr("thresher.cli.learning.play", learned)
    Path("dangling").symlink_to(Path("no", "where"))
    Path("link").symlink_to("good.vw")
    Path("loop").symlink_to("loop")
    says = ["pipe, socket or device", "expected a regular file"]
    check_refused_command(folder, "learn", "good.vw", "--save", "loop", says=["loop: "])
    check_refused_command(folder, "learn", "good.vw", "--save", os.devnull, says=[os.devnull, *says])
    check_refused_command(folder, "learn", "good.vw", "--save", "dangling", says=["dangling: ", "folder that exists"])
    for source in ("good.vw", "./good.vw", "link"):
        says = [f"found {source} as source and for --save"]
        check_refused_command(folder, "learn", "good.svm", "good.vw", "--save", source, says=says)


def test_a_file_that_is_no_model_is_not_replaced_by_one(folder: Path) -> None:
    Path("mine.py").write_text("print(1)")
    check_refused_command(folder, "learn", "good.vw", "--save", "mine.py", says=["found mine.py for --save, which is no model"])
    Path("empty").touch()
    for place in ("empty", "empty"):  # as mktemp makes one; then it is a model
        assert run("learn", "good.vw", "--save", place, "--quiet").status == 0


@pytest.mark.parametrize("arguments", [["a\nb"], ["good.vw", "--a\nb"], ["good.vw", "--from", "a\nb"]])
def test_a_line_break_in_an_argument_does_not_make_two_lines(arguments: list[str], folder: Path) -> None:
    check_refused_command(folder, "learn", *arguments, says=["a b"])


# ---- sources -------------------------------------------------------------------------------------------------------

LONG = "9" * 400
SOURCES: dict[str, tuple[bytes, list[str]]] = {
    "a word for a value": (b"+1 1:1\n-1 2:x\n", ["source:2:6: ", "found 'x'", "expected a finite number"]),
    "no colon": (b"+1 1:1\n-1 2\n", ["source:2:", "found", "'2'", "expected"]),
    "no label": (b"+1 1:1\n1:1 2:1\n", ["source:2:1: ", "found", "expected"]),
    "nan": (b"+1 1:nan\n", ["source:1:6: ", "found 'nan'", "expected"]),
    "infinity": (b"+1 1:-inf\n", ["source:1:6: ", "found '-inf'", "expected"]),
    "a value of hundreds of digits": (f"+1 1:{LONG}\n".encode(), ["source:1:6: ", "found '999", "expected"]),
    "a label of hundreds of digits": (f"{LONG} 1:1\n-1 1:1\n".encode(), ["source:1", "found", "expected"]),
    "an index of hundreds of digits": (f"+1 {LONG}:1\n".encode(), ["source:1:4: ", "found", "expected"]),
    "an index beyond 2^63": (b"+1 9223372036854775809:1\n", ["source:1:4: ", "found", "expected"]),
    "an index that is 2^64 + 1": (b"+1 18446744073709551617:1\n", ["source:1:4: ", "found", "expected"]),
    "an index beyond the slots": (b"+1 1:1\n-1 65:1\n", ["source:2:4: ", "65", "--bits"]),
    "an index 0": (b"+1 0:1\n", ["source:1:4: ", "--zero-based"]),
    "a negative index": (b"+1 -3:1\n", ["source:1:4: ", "found", "expected"]),
    "an index twice": (b"+1 3:1 3:1\n", ["source:1:", "found", "expected"]),
    "a third label": (b"+1 1:1\n-1 1:1\n2 1:1\n", ["source:3:1: ", "found label '2'", "'+1' or '-1'"]),
    "a third label in names": (b"a | x\nb | y\n\nc | z\n", ["source:4:1: ", "found label 'c'", "'a' or 'b'"]),
    "a word and a number": (b"a | x\n1 | y\n", ["source", "'a'", "'1'", "--positive"]),
    "no bar": (b"a | x\nb | y\nb z\n", ["source:3:", "found", "expected"]),
    "a value of a name": (b"a | x:y\nb | y\n", ["source:1:7: ", "found 'y'", "expected"]),
    "a negative importance": (b"1 -2 | x\n", ["source:1:3: ", "found", "'-2'", "expected"]),
    "empty": (b"", ["source: ", "found no example"]),
    "only blank lines": (b"\n\n  \n", ["source: ", "found no example"]),
    "only comments": (b"# nothing\n", ["source: ", "found no example"]),
    "nothing with a label": (b"| a\n| b\n", ["source: ", "found no example with a label"]),
    "binary": (bytes(range(256)) * 4, ["source:", "found", "expected"]),
    "NUL bytes": (b"+1 1:1\n\0\0\0\0\n", ["source:2:", "found", "expected"]),
    "a NUL in a number": (b"+1 1:1\0\n", ["source:1:6: ", "found", "expected"]),
    "UTF-16": ("+1 1:1\n-1 1:1\n".encode("utf-16"), ["source:1:", "found", "expected"]),
    "a label that is no UTF-8": (b"\xff | a\nb | c\n", ["source:1:1: ", "found", "UTF-8"]),
    "truncated gzip": (gzip.compress(fruit(500).encode())[:-20], ["source: ", "found the end of the file", "cut off"]),
    "gzip cut in its head": (gzip.compress(b"+1 1:1\n")[:6], ["source: ", "found the end of the file", "cut off"]),
    "damaged gzip": (gzip.compress(fruit(500).encode())[:99] + b"\0" * 999, ["source: ", "found damaged"]),
    "truncated Zstandard": (zstandard(fruit(500).encode())[:-20], ["source: ", "found", "cut off"]),
    "damaged Zstandard": (zstandard(fruit(9).encode())[:9] + b"\xff" * 99, ["source: ", "found"]),
    "bzip2": (b"BZh91AY&SY", ["source: ", "found bzip2", "gzip or Zstandard"]),
    "xz": (b"\xfd7zXZ\x00\x00", ["source: ", "found xz"]),
    "zip": (b"PK\x03\x04\x14", ["source: ", "found zip"]),
    "one word of a label": (b"spam | a\nspam | b\n", ["source:1: ", "only the label 'spam'", "--positive"]),
}


@pytest.mark.parametrize(("content", "says"), SOURCES.values(), ids=list(SOURCES))
@pytest.mark.parametrize("save", ["new.model", "vw.model"])
def test_a_bad_source_is_refused_with_its_place_and_no_model_is_touched(
    content: bytes, says: list[str], save: str, folder: Path
) -> None:
    Path("source").write_bytes(content)
    check_refused_command(folder, "learn", "source", "--quiet", "--bits", 6, "--save", save, says=says)
    named = [part.replace("source", "standard input") for part in says if "found no" not in part and part != "source: "]
    check_refused_command(folder, "learn", "-", "--json", "--bits", 6, "--save", save, says=named, stdin=content)


@pytest.mark.parametrize(
    "content",
    [
        b"+1 1:1\r\n-1 2:1\r\n",
        b"\xef\xbb\xbf+1 1:1\n-1 2:1\n",
        b"+1 1:1\n-1 2:1",
        b"\n+1 1:1\n\n# a comment\n-1 2:1 # another\n\n",
        b"+1\t1:1\n-1  2:1 \n",
        gzip.compress(b"+1 1:1\n") + gzip.compress(b"-1 2:1\n"),
        zstandard(b"+1 1:1\n-1 2:1\n"),
    ],
    ids=["CRLF", "byte-order mark", "no last newline", "blank lines", "tabs", "two gzip members", "Zstandard"],
)
def test_what_only_looks_unusual_is_read(content: bytes, folder: Path) -> None:
    Path("plain").write_bytes(b"+1 1:1\n-1 2:1\n")
    Path("unusual").write_bytes(content)
    plain = run(*PERCEPTRON, "plain", "--quiet", "--bits", 6, "--save", "plain.model")
    unusual = run(*PERCEPTRON, "unusual", "--quiet", "--bits", 6, "--save", "unusual.model")
    assert plain.status == unusual.status == 0
    one, other = Model.load("plain.model"), Model.load("unusual.model")
    assert (one.recipe, one.tally) == (other.recipe, other.tally)
    assert (linear(one.learner).weights == linear(other.learner).weights).all()


@pytest.mark.parametrize("command", ["learn good.vw locked", "predict vw.model locked", "predict locked good.vw"])
def test_a_file_without_permission_is_refused(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("locked").write_text(fruit(3))
    real, real_path = os.open, Path.open

    def locked(name: Any, *arguments: Any, **options: Any) -> int:
        if str(name) == "locked":  # root may read everything, so the mode of the file would not do
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "locked")
        return real(name, *arguments, **options)

    def locked_path(self: Path, *arguments: Any, **options: Any) -> Any:
        os.close(locked(self, os.O_RDONLY))
        return real_path(self, *arguments, **options)

    monkeypatch.setattr(os, "open", locked)
    monkeypatch.setattr(Path, "open", locked_path)
    monkeypatch.setattr("tests.commands.written", lambda _folder: {})
    check_refused_command(folder, *command.split(), says=["locked: Permission denied"])


# ---- models --------------------------------------------------------------------------------------------------------

COMMANDS = [
    "learn good.vw --from bad.model",
    "learn good.vw --resume bad.model",
    "predict bad.model good.vw",
    "inspect bad.model",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_of_another_kind_is_refused(command: str, folder: Path) -> None:
    container.write("bad.model", {"kind": "mixture"}, {"weights": np.zeros(3)})
    says = ["bad.model: found a model of kind 'mixture', expected 'learner'"]
    check_refused_command(folder, *command.split(), says=says)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_of_a_newer_version_is_refused(command: str, folder: Path) -> None:
    model = bytearray(Path("vw.model").read_bytes())
    model[8] += 1  # the version follows the eight bytes by which the file is known
    Path("bad.model").write_bytes(model)
    check_refused_command(folder, *command.split(), says=["bad.model: ", "version"])


@pytest.mark.parametrize("command", COMMANDS[:3])
def test_a_model_saved_from_python_has_no_recipe_to_read_by(command: str, folder: Path) -> None:
    th.save(th.Perceptron(64), "bad.model")
    check_refused_command(
        folder, *command.split(), says=["bad.model: found no recipe to read a source by, since it was saved from Python"]
    )


def test_other_passes_than_the_interrupted_run_has_are_refused(folder: Path) -> None:
    with stop_after(1):
        run(*PERCEPTRON, "good.vw", "--passes", 3, "--save", "model", "--quiet")
    command = ("learn", "good.vw", "--resume", "model", "--passes")
    check_refused_command(folder, *command, 2, says=["--passes 2", "the run has 3"])
    assert run(*command, 3, "--quiet").status == 0


# ---- help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["learn", "--help"], ["predict", "--help"], ["inspect", "--help"], ["experts", "--help"], ["--version"]],
)
def test_help_needs_neither_numpy_nor_rich(arguments: list[str]) -> None:
    program = (
        "import sys; from thresher.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as left: assert left.code == 0\n"
        "heavy = {'numpy', 'scipy', 'rich', 'pyarrow', 'thresher._core'} & set(sys.modules); assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"thresher 0." if arguments == ["--version"] else b"usage: thresher")


def test_without_a_command_the_help_is_shown() -> None:
    ran = run()
    assert (ran.status, ran.err) == (0, "")
    assert "thresher learn demo:oranges" in ran.out


def test_the_status_reaches_the_shell(folder: Path) -> None:
    before = written(folder)
    ran = run_outside(*PERCEPTRON, "no.vw")
    assert (ran.status, ran.out, ran.err) == (2, "", "thresher: no.vw: No such file or directory\n")
    assert run_outside(*PERCEPTRON, "good.vw", "--bits", "6", "--quiet").status == 0
    assert written(folder) == before


# ---- odd surroundings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [0, 1, 2])
@pytest.mark.parametrize("command", ["learn good.vw --save new.model", "learn - --save new.model", "predict vw.model good.vw"])
def test_a_stream_that_the_shell_closed_is_empty(stream: int, command: str, folder: Path) -> None:
    whole = f"{sys.executable} -m thresher {command} {stream}>&-"
    done = subprocess.run(["/bin/sh", "-c", whole], input=fruit(20).encode(), capture_output=True, check=False)
    nothing_to_read = stream == 0 and " - " in command
    assert done.returncode == (2 if nothing_to_read else 0)
    assert b"Traceback" not in done.stderr
    assert bool(done.stdout) == (stream != 1 and not nothing_to_read)
    assert Path("new.model").exists() == ("learn" in command and not nothing_to_read)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_stdout_cannot_spell_is_escaped(encoding: str, options: list[str], folder: Path) -> None:
    odd = os.fsdecode(b"gr\xc3\xbcn-\xff.vw")
    Path(odd).write_text("grün | süß\nblau | saŭer\n" * 3)
    command = [sys.executable, "-m", "thresher", *PERCEPTRON, odd, "--quiet", *options]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode(encoding)
    assert not options or json.loads(said)["examples"] == 6


def test_a_positive_label_that_is_no_text_is_refused(folder: Path) -> None:
    Path("ham.vw").write_text("ham | a\n")
    run(*PERCEPTRON, "ham.vw", "--positive", "spam", "--save", "ham.model", "--quiet")
    check_refused_command(folder, "learn", "good.vw", "--from", "ham.model", "--positive", "\udcff")
    check_refused_command(folder, "learn", "good.vw", "--positive", "\udcff")
