"""An interrupted run, taken up again, ends with the same bytes as one that was never interrupted."""

from __future__ import annotations

import gzip
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.commands import PERCEPTRON, check_refused_command, fruit, read_in_pieces, run, started, stop_after, svmlight, written
from thresher.cli.interrupt import Interrupt
from thresher.store import Model

PIECE = 300
OPTIONS = ("--quiet", "--bits", 7)


def rows(count: int) -> str:
    return svmlight((1 if k % 3 else -1, {1 + k % 5: 0.1 * k + 1, 7 + k % 2: 1 / 3}) for k in range(count))


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thirty rows come in about five batches."""
    read_in_pieces(monkeypatch, PIECE)


def interrupted(batches: int, *arguments: object, stdin: bytes = b"") -> bool:
    """Whether the command was stopped after so many batches; otherwise it came to its end before."""
    with stop_after(batches):
        ran = run(*PERCEPTRON, *arguments, *OPTIONS, stdin=stdin)
    in_the_check = "the check was interrupted" in ran.out
    assert ran.status == (130 if in_the_check or "--resume" in ran.out else 0)
    return ran.status == 130 and not in_the_check


def check_same_bytes(folder: Path, *arguments: object, least: int, stdin: bytes = b"") -> None:
    """Asserts that a run that is interrupted after any batch, and taken up again, ends as if it had not been."""
    whole, model = folder / "whole.model", folder / "parts.model"
    assert run(*PERCEPTRON, *arguments, *OPTIONS, "--save", whole, stdin=stdin).status == 0
    batches = 1
    while interrupted(batches, *arguments, "--save", model, stdin=stdin):
        run_before = Model.load(model).run
        assert run_before is not None
        assert not run_before.finished
        ran = run("learn", *(a for a in arguments if a not in ("--passes", 2)), *OPTIONS, "--resume", model, stdin=stdin)
        assert (ran.status, ran.err) == (0, "")
        assert model.read_bytes() == whole.read_bytes()
        batches += 1
    assert batches > least


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("text", [fruit(30), rows(40), fruit(30).rstrip("\n")], ids=["names", "indices", "no last newline"])
def test_a_run_interrupted_after_any_batch_goes_on_to_the_same_bytes(text: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(text)
    check_same_bytes(tmp_path, source, least=3)


@pytest.mark.usefixtures("pieces")
def test_a_run_of_two_passes_interrupted_in_either_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    check_same_bytes(tmp_path, source, "--passes", 2, least=6)


@pytest.mark.usefixtures("pieces")
def test_a_run_over_several_files_goes_on_in_the_right_one(tmp_path: Path) -> None:
    texts = [fruit(15), fruit(20, seed=3).rstrip("\n"), "", fruit(9, seed=4)]
    sources = [tmp_path / f"{k}.vw" for k in range(len(texts))]
    for source, text in zip(sources, texts, strict=True):
        source.write_text(text)
    check_same_bytes(tmp_path, *sources, least=5)


@pytest.mark.usefixtures("pieces")
def test_a_run_over_compressed_text_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "source.gz"
    source.write_bytes(gzip.compress(fruit(20).encode()) + gzip.compress(fruit(10, seed=2).encode()))
    check_same_bytes(tmp_path, source, "--passes", 2, least=6)


@pytest.mark.usefixtures("pieces")
def test_a_run_over_standard_input_goes_on_if_it_is_given_the_same_text_again(tmp_path: Path) -> None:
    check_same_bytes(tmp_path, "-", least=3, stdin=fruit(30).encode())


@pytest.mark.usefixtures("pieces")
def test_a_run_from_a_model_goes_on_to_the_same_bytes_and_stays_conditional(tmp_path: Path) -> None:
    (tmp_path / "first").write_text(fruit(12, seed=8))
    (tmp_path / "more").write_text(fruit(30))
    assert run(*PERCEPTRON, tmp_path / "first", "--save", tmp_path / "start", *OPTIONS).status == 0
    start = ("learn", tmp_path / "more", "--from", tmp_path / "start")
    uninterrupted = run(*start, "--save", tmp_path / "whole", "--json").json
    for batches in (1, 2, 3):
        with stop_after(batches):
            assert run(*start, "--save", tmp_path / "model", "--quiet").status == 130
        said = run("learn", tmp_path / "more", "--resume", tmp_path / "model", "--json").json
        assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()
        assert {c["verdict"] for c in said["certificates"]} <= {"conditional", "void"}
        counts = ("examples", "mistakes", "updates", "baselines", "confusion", "rounds_in_all")
        assert {name: said[name] for name in counts} == {name: uninterrupted[name] for name in counts}
        for certificate in said["certificates"]:
            assert [premise for premise in certificate["premises"] if premise["status"] == "assumed"]


@pytest.mark.usefixtures("pieces")
def test_a_run_from_zero_weights_is_certified_though_it_was_interrupted(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    whole = run(*PERCEPTRON, source, "--json", "--bits", 7).json
    assert interrupted(2, source, "--save", tmp_path / "model")
    said = run("learn", source, "--resume", tmp_path / "model", "--json").json
    same = ("examples", "mistakes", "updates", "baselines", "confusion")
    assert {name: said[name] for name in same} == {name: whole[name] for name in same}
    assert {c["verdict"] for c in said["certificates"]} == {"certified", "void"}
    assert {c["rounds"] for c in said["certificates"]} == {30}


@pytest.mark.usefixtures("pieces")
def test_a_run_may_be_interrupted_again_and_again(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    run(*PERCEPTRON, source, *OPTIONS, "--save", tmp_path / "whole")
    assert interrupted(1, source, "--save", tmp_path / "model")
    rounds = [Model.load(tmp_path / "model").learner.rounds]
    while interrupted(1, source, "--resume", tmp_path / "model"):
        rounds.append(Model.load(tmp_path / "model").learner.rounds)
    assert len(rounds) > 2
    assert rounds == sorted(set(rounds))
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.usefixtures("pieces")
def test_a_resumed_run_may_be_saved_elsewhere(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    assert interrupted(1, source, "--save", tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    assert run("learn", source, *OPTIONS, "--resume", tmp_path / "model", "--save", tmp_path / "done").status == 0
    assert (tmp_path / "model").read_bytes() == before
    assert Model.load(tmp_path / "done").learner.rounds == 30


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize(
    "other",
    [fruit(30, seed=1), fruit(30).replace("n1", "n2", 1), fruit(5), "", "\n" + fruit(30), fruit(30).replace("'", " '", 1)],
)
def test_another_source_is_refused_by_its_fingerprint(other: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    assert interrupted(2, source, "--save", tmp_path / "model")
    source.write_text(other)
    says = ["source", "found another text than the run was reading", "expected the same"]
    check_refused_command(tmp_path, "learn", source, "--resume", tmp_path / "model", *OPTIONS, says=says)


@pytest.mark.usefixtures("pieces")
def test_bytes_that_move_from_one_file_to_the_next_are_noticed(tmp_path: Path) -> None:
    one, two = tmp_path / "1.vw", tmp_path / "2.vw"
    one.write_text(fruit(10))
    two.write_text(fruit(20, seed=1))
    assert interrupted(3, one, two, "--save", tmp_path / "model")
    text = (one.read_text() + two.read_text()).splitlines(keepends=True)
    one.write_text("".join(text[:9]))
    two.write_text("".join(text[9:]))
    check_refused_command(tmp_path, "learn", one, two, "--resume", tmp_path / "model", *OPTIONS, says=["another text"])


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    run(*PERCEPTRON, source, *OPTIONS, "--save", tmp_path / "model")
    says = ["model: its run is finished", "--from"]
    check_refused_command(tmp_path, "learn", source, "--resume", tmp_path / "model", *OPTIONS, says=says)


@pytest.mark.usefixtures("pieces")
def test_an_interrupted_run_is_not_checked_and_says_how_to_go_on(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text(fruit(30))
    with stop_after(2):
        said = run(*PERCEPTRON, source, "--save", model, "--json").json
    assert (said["interrupted"], said["certificates"]) == (True, [])
    assert 0 < said["examples"] < 30
    with stop_after(2):
        ran = run(*PERCEPTRON, source, "--save", model, "--quiet")
    assert f"thresher learn {source} --resume {model}" in ran.out
    with stop_after(2):
        ran = run(*PERCEPTRON, source, "--quiet")
    assert (ran.status, "Nothing was saved" in ran.out) == (130, True)


@pytest.mark.usefixtures("pieces")
def test_how_to_go_on_repeats_the_files_that_were_to_be_written(tmp_path: Path) -> None:
    source, model, page, course = (tmp_path / name for name in ("source", "model", "a page.html", "m.csv"))
    source.write_text(fruit(30))
    with stop_after(2):
        ran = run(*PERCEPTRON, source, *OPTIONS, "--save", model, "--report", page, "--metrics", course)
    (line,) = (line for line in ran.out.splitlines() if "--resume" in line)
    assert line == f"  thresher learn {source} --resume {model} --metrics {course} --report '{page}'"
    before = page.read_text(), course.read_text().splitlines()
    assert run(*shlex.split(line)[1:]).status == 0
    assert before[0] != page.read_text()
    names, *rows = course.read_text().splitlines()
    assert names == before[1][0]
    assert int(rows[0].split(",")[0]) > int(before[1][-1].split(",")[0])  # what was there is gone: see --metrics in the help


@pytest.mark.usefixtures("pieces")
def test_ctrl_c_during_the_check_keeps_the_model(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(fruit(30))
    run(*PERCEPTRON, source, *OPTIONS, "--save", tmp_path / "whole")
    with stop_after(10**9) as stop:
        run(*PERCEPTRON, source, *OPTIONS, "--no-check")
    batches = 10**9 - stop.left
    for later in range(1, batches + 1):
        with stop_after(batches + later):
            ran = run(*PERCEPTRON, source, *OPTIONS, "--save", tmp_path / "model")
        assert ran.status == 130
        assert "Nothing is proven yet: the check was interrupted." in ran.out
        assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()
        (tmp_path / "model").unlink()


@pytest.mark.usefixtures("pieces")
def test_ctrl_c_in_the_check_of_a_resumed_run_shows_what_the_whole_run_has_shown(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text("-1 | a b\n" * 60 + "1 | a b\n")
    with stop_after(2):
        run("learn", source, "--learner", "elimination", "--save", model)
    first = model.read_bytes()
    with stop_after(10**9) as stop:
        whole = run("learn", source, "--resume", model, "--no-check", "--json").json
    model.write_bytes(first)
    with stop_after(10**9 - stop.left + 1):
        ran = run("learn", source, "--resume", model, "--json")
    assert (ran.status, ran.json["unchecked"]) == (130, "the check was interrupted")
    assert "round 61 showed that no disjunction of literals fits the examples" in whole["notices"]
    assert ran.json["notices"] == whole["notices"]


def test_the_first_ctrl_c_is_a_wish_and_the_second_interrupts(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupt() as interrupt:
        assert not interrupt.wished
        signal.raise_signal(signal.SIGINT)
        assert interrupt.wished
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err.count("stopping after this block") == 1


def test_a_process_that_is_really_interrupted_saves_and_goes_on(tmp_path: Path) -> None:
    """The text comes through a pipe that is still open when Ctrl-C is pressed, so the moment is no race."""
    rows = 90_000
    text = fruit(rows).encode()
    model, whole = tmp_path / "model", tmp_path / "whole"
    process = started(*PERCEPTRON, "-", "--bits", 10, "--save", model, stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(text[: 3 << 19])  # a block of a MiB, and half of the next
    process.stdin.flush()
    assert any(line.split()[0] == b"16,384" for line in process.stderr)  # the first block was learned
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(text[3 << 19 :])
    assert process.returncode == 130
    assert b"stopping after this block" in err
    assert b"--resume" in out
    assert 16_384 < Model.load(model).learner.rounds < rows
    before = written(tmp_path)
    assert run("learn", "-", "--resume", model, "--quiet", stdin=text[:1000]).status == 2
    assert written(tmp_path) == before
    assert run("learn", "-", "--resume", model, "--quiet", stdin=text).status == 0
    run(*PERCEPTRON, "-", "--quiet", "--bits", 10, "--save", whole, stdin=text)
    assert model.read_bytes() == whole.read_bytes()


def pressed_twice(*_arguments: object) -> bool:
    """In the place of what Ctrl-C is to interrupt."""
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    return True


def test_a_second_ctrl_c_stops_at_once_and_saves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.cli.learning.play", pressed_twice)
    ran = run(*PERCEPTRON, "demo:oranges", "--save", tmp_path / "model", "--quiet")
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.splitlines()[-1] == "thresher: interrupted; nothing was saved"
    assert written(tmp_path) == {}


def test_ctrl_c_while_results_are_shown_says_that_the_model_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.cli.learning.as_text", pressed_twice)
    ran = run(*PERCEPTRON, "demo:oranges", "--save", tmp_path / "model", "--quiet")
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.splitlines()[-1] == f"thresher: interrupted; {tmp_path / 'model'} was saved"
    assert Model.load(tmp_path / "model").learner.rounds > 0
    assert run(*PERCEPTRON, "demo:oranges", "--quiet").err.splitlines()[-1] == "thresher: interrupted; nothing was saved"


def test_a_second_ctrl_c_during_the_check_keeps_the_model_and_shows_what_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.cli.checking.witnesses", pressed_twice)
    ran = run(*PERCEPTRON, "demo:oranges", "--save", tmp_path / "model", "--quiet")
    assert ran.status == 130
    assert "Nothing is proven yet: the check was interrupted." in ran.out
    assert "nothing was saved" not in ran.err
    assert Model.load(tmp_path / "model").learner.rounds == 9600


@pytest.mark.usefixtures("pieces")
def test_a_run_that_left_out_bad_lines_says_how_to_go_on_in_the_same_way(tmp_path: Path) -> None:
    source, model = tmp_path / "source", tmp_path / "model"
    source.write_text(fruit(30).replace("\n", "\nno bar\n", 1))
    with stop_after(2):
        ran = run(*PERCEPTRON, source, "--on-bad", "skip", "--save", model, "--quiet")
    program, *command = shlex.split(ran.out.splitlines()[-1])
    assert program == "thresher"
    resumed = run(*command, "--quiet")
    assert (resumed.status, resumed.err) == (0, "")
    assert Model.load(model).learner.rounds == 30


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("t.vw", "a | x\nb | y\n" * 3 + "a | x:z\nb | y\n", "t.vw:7:7: "),
        ("t.csv", "x,label\n" + "1,a\n2,b\n" * 3 + "inf,a\n5,b\n", "t.csv:8: "),
    ],
)
def test_ctrl_c_before_a_bad_line_does_not_pass_over_it(name: str, text: str, place: str, tmp_path: Path) -> None:
    source, model = tmp_path / name, tmp_path / "model"
    source.write_text(text)
    with stop_after(1):
        check_refused_command(tmp_path, *PERCEPTRON, source, "--save", model, *OPTIONS, says=[place])
    assert not model.exists()
