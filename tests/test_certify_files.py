"""Proofs in files: those of portfolios, those that were made to do harm, and the commands that are printed to follow."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import thresher as th
from tests.certifying import ROWS, saved, small
from tests.commands import Ran, check_refused_command, run
from thresher.evaluate import proof as proofs
from thresher.evaluate.parts import Examples
from thresher.evaluate.players import made_player

NAMED = "".join(f"{label} | {' '.join(f'n{i}' for i in x)}\n" for label, x in ROWS)


def follow(ran: Ran, starts: str) -> Ran:
    """Runs the command of these words that was printed to follow."""
    line = next(line.strip() for line in ran.out.splitlines() if line.strip().startswith(f"thresher {starts}"))
    return run(*shlex.split(line)[1:])


# ---- portfolios --------------------------------------------------------------------------------------------------------------


def test_a_portfolio_is_told_made_again_and_plays_the_same_rounds(tmp_path: Path) -> None:
    lanes = [th.Perceptron(3, bias=0.5), th.AROW(3, r=2.0), th.Winnow(3), th.PNormPerceptron(3)]
    X, y = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 20, [+1, -1, +1, -1] * 20
    examples: Examples = [(X, y)]
    portfolio = th.Portfolio(3, lanes, th.FixedShare(4, eta=0.5, alpha=0.01), cost_positive=2.0)
    proof = th.certify(portfolio, examples, th.BestLane())
    ledger = th.Ledger(th.BestLane())
    ledger.enter(portfolio.learn_many(X, y))
    told = proof.runs[0]["proven"][0]["certificates"]
    assert [each["bound"] for each in told] == [each.bound.value for each in ledger.certificates()]
    assert {each["on"] for each in told} == {"loss", "weighted mistakes"}
    proof.save(tmp_path / "proof.json")
    again = th.Proof.load(tmp_path / "proof.json")
    assert (again, len(again.check(examples))) == (proof, 2)
    assert str(again).startswith("Portfolio(n=3, cost_positive=2.0) of 4 lanes under FixedShare: ")
    assert repr(made_player(proof.runs[0]["learner"])) == repr(portfolio.fresh())
    with pytest.raises(th.StoreError, match=r"^runs\[0\]\.stream\.fingerprint"):
        again.check([(X, [-1, *y[1:]])])


BAD_PORTFOLIOS: list[tuple[tuple[str | int, ...], object, str]] = [
    (("lanes",), [], "learner.parameters.lanes: found [], expected a list of one lane at least"),
    (("lanes", 0), "Perceptron", "learner.parameters.lanes[0]: found 'Perceptron', expected a name and parameters"),
    (("lanes", 0, "name"), "Portfolio", "learner.parameters.lanes[0].name: found 'Portfolio', expected one of AROW"),
    (("lanes", 0, "parameters", "n"), 3, "learner.parameters.lanes[0].parameters: found {"),
    (("lanes", 1, "parameters", "r"), -1.0, "learner.parameters.lanes[1].parameters: found r = -1.0"),
    (("lanes", 1, "parameters", "r"), 1, "learner.parameters.lanes[1].parameters: found {'r': 1"),
    (("master", "name"), "Halving", "learner.parameters.master.name: found 'Halving', expected one of AdaHedge"),
    (("master", "parameters", "eta"), 1.0, "learner.parameters.master: "),
    (("cost_positive",), 1, "learner.parameters.cost_positive: found 1, expected a float"),
    (("cost_positive",), 1e300, "found cost_positive = 1e+300"),
    (("speed",), 1, "learner.parameters: found cost_positive, lanes, master, speed, expected n, cost_positive"),
]


@pytest.mark.parametrize(("place", "value", "says"), BAD_PORTFOLIOS, ids=lambda each: str(each)[:60])
def test_a_portfolio_that_cannot_be_made_is_refused_when_it_is_read(
    tmp_path: Path, place: tuple[str | int, ...], value: object, says: str
) -> None:
    portfolio = th.Portfolio(3, [th.Perceptron(3), th.AROW(3)])
    th.certify(portfolio, [([[1, 0, 0], [0, 1, 0]], [+1, -1])], th.BestLane()).save(tmp_path / "proof.json")
    whole = json.loads((tmp_path / "proof.json").read_text())
    inside: Any = whole["runs"][0]["learner"]["parameters"]
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    (tmp_path / "proof.json").write_text(json.dumps(whole))
    with pytest.raises(th.StoreError) as raised:
        th.Proof.load(tmp_path / "proof.json")
    assert says in str(raised.value)


# ---- learn --proof -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [(), ("--learner", "perceptron"), ("--learner", "winnow", "--certify")])
def test_what_learn_proves_is_in_a_file_that_holds(tmp_path: Path, learner: tuple[str, ...]) -> None:
    path, file = small(tmp_path), tmp_path / "small.proof.json"
    learned = run("learn", path, "--n", 8, *learner, "--proof", file, "--json").json
    checked = run("certify", path, "--check", file, "--json").json
    assert learned["proof"] == str(file)
    limits = [{each["at_most"] for each in found["certificates"]} for found in (learned, checked)]
    assert limits[1] <= limits[0]
    assert limits[1] >= {found["at_most"] for found in (learned["headline"],) if found}
    whole = json.loads(file.read_text())["runs"]
    assert [one["learner"]["name"] for one in whole] == [learned["learner"]["name"]]
    assert whole[0]["mistakes"] == learned["mistakes"]


def test_of_a_portfolio_the_best_lane_alone_is_a_run_of_its_own(tmp_path: Path) -> None:
    path, file = tmp_path / "halves.svm", tmp_path / "small.proof.json"
    path.write_text("".join(f"{'+1' if k % 2 else '-1'} {1 + k % 2}:{1 + k % 7}\n" for k in range(200)))
    ran = run("learn", path, "--n", 4, "--certify", "--proof", file, "--json").json
    assert ran["best_lane"].startswith("PassiveAggressive")
    names = [one["learner"]["name"] for one in json.loads(file.read_text())["runs"]]
    assert names == ["Portfolio", "PassiveAggressive"]
    checked = run("certify", path, "--check", file)
    assert checked.status == 0
    assert "\n  Portfolio\n" in checked.out
    assert "loss: the best lane lost " in checked.out


def test_a_proof_that_cannot_be_made_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    path, file, model = small(tmp_path), tmp_path / "small.proof.json", tmp_path / "small.thresher"
    assert run("learn", path, "--n", 8, "--save", model).status == 0
    refused = check_refused_command
    refused(tmp_path, "learn", "-", "--proof", file, stdin=b"1 1:1\n", says=["which can be read only once"])
    refused(tmp_path, "learn", path, "--from", model, "--proof", file, says=["expected one from its first round on"])
    refused(tmp_path, "learn", path, "--passes", 2, "--proof", file, says=["found --proof with --passes 2, expected one pass"])
    refused(tmp_path, "learn", path, "--no-check", "--proof", file, says=["found --proof with --no-check"])
    refused(tmp_path, "learn", path, "--proof", tmp_path, says=[str(tmp_path)])
    assert not file.exists()


def test_where_nothing_is_proven_there_is_no_proof_and_it_says_why(tmp_path: Path) -> None:
    ran = run("learn", small(tmp_path), "--n", 8, "--learner", "arow", "--proof", tmp_path / "proof.json")
    assert ran.status == 2
    assert "found nothing proven, so there is no proof in" in ran.err
    assert "the ledger has no theorem about AROW" in ran.err
    assert not (tmp_path / "proof.json").exists()


# ---- commands that follow ----------------------------------------------------------------------------------------------------


def test_the_commands_that_are_printed_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("a 'small' one")
    path.write_text(f"+1 1:x\n{small(tmp_path).read_text()}")
    options = (
        "--n",
        8,
        "--no-bias",
        "--threshold",
        5,
        "--on-bad=skip",
        "--format",
        "svmlight",
        "--report=page.html",
        "--quiet",
    )
    first = run("certify", path, *options)
    kept = follow(first, "certify")
    table = first.out.partition("What is proven")[2].partition("How good")[0]
    assert table == kept.out.partition("What is proven")[2].partition("How good")[0] != ""
    checked = follow(kept, "certify")
    assert (checked.status, checked.err) == (0, "")
    assert "my.proof.json holds: every learner was played on the 60 examples" in checked.out
    learned = run(
        "learn", path, "--n", 8, "--on-bad", "skip", "--learner", "perceptron", "--proof", "p.json", "--no-bias", "--json"
    )
    assert learned.json["bad_lines"] == 1
    proved = run("learn", path, "--n", 8, "--on-bad", "skip", "--learner", "perceptron", "--proof", "p.json")
    assert follow(proved, "certify").status == 0
    again = follow(proved, "learn")
    assert again.out.splitlines()[0] == proved.out.splitlines()[0]
    assert follow(again, "predict").status == 0


def test_a_source_whose_name_begins_with_a_dash_follows_all_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small(tmp_path).rename(tmp_path / "-small")
    kept = follow(run("certify", "--n", 8, "--", "-small"), "certify")
    assert follow(kept, "certify").status == 0


# ---- what a check shows ------------------------------------------------------------------------------------------------------


def test_a_check_calls_attributes_by_their_names_and_no_line_is_long(tmp_path: Path) -> None:
    path, file = tmp_path / "named.vw", tmp_path / "named.proof.json"
    path.write_text(NAMED)
    shown = run("certify", path, "--n", 64, "--threshold", 64, "--save", file).out
    checked = run("certify", path, "--check", file).out
    tables = [out.partition("  counted")[2].partition("\n\n")[0].splitlines() for out in (shown, checked)]
    assert [line for line in tables[1] if "disjunction: 1 attribute (n1)" in line]
    assert tables[1][1:] == tables[0][1 : len(tables[1])]
    assert max(len(line) for line in shown.partition("What is proven")[2].splitlines() if str(tmp_path) not in line) <= 80


# ---- made to do harm ---------------------------------------------------------------------------------------------------------


def grown(file: Path, n: int) -> None:
    """Says in a proof that all of it is over n attributes."""
    whole = json.loads(file.read_text())
    for one in whole["runs"]:
        one["stream"]["n"] = one["learner"]["parameters"]["n"] = n
    file.write_text(json.dumps(whole))


def test_no_memory_is_taken_for_a_size_that_the_stream_does_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    grown(file, 2**31)

    def only_small(stored: Any, n: int | None = None) -> Any:
        assert n == 1
        return made_player(stored, n)

    monkeypatch.setattr(proofs, "made_player", only_small)
    says = ["is not of this stream: runs[0].stream.fingerprint: found"]
    check_refused_command(tmp_path, "certify", path, "--check", file, says=says)
    with pytest.raises(th.StoreError, match=r"^runs\[0\]\.learner\.parameters\.n: found 2147483648, expected 8$"):
        th.Proof.load(file).check(lambda: th.open_stream(path, n=8))


def test_a_proof_for_which_there_is_no_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)

    def none_left(self: th.Proof, k: int) -> None:
        raise MemoryError

    monkeypatch.setattr(th.Proof, "_played", none_left)
    says = ["found learners with n = 8, for which there is not enough memory"]
    check_refused_command(tmp_path, "certify", path, "--check", file, says=says)


def test_a_proof_of_another_stream_learner_or_version_is_refused_and_says_which(tmp_path: Path) -> None:
    path = small(tmp_path)
    file = saved(tmp_path, path, "--n", 8)
    refused = check_refused_command
    whole = json.loads(file.read_text())
    labels = (
        "cannot be checked on this source: demo:oranges:2: found the labels 'local-market' and 'export', expected one of them"
    )
    refused(tmp_path, "certify", "demo:oranges", "--check", file, says=[labels])
    (tmp_path / "other.svm").write_text(path.read_text() * 2)
    refused(
        tmp_path, "certify", tmp_path / "other.svm", "--check", file, says=["is not of this stream: found 120 examples, the"]
    )
    refused(tmp_path, "certify", "-", "--check", file, stdin=b"1 1:1\n", says=["which can be read only once, expected a file"])
    file.write_text(json.dumps({**whole, "version": 2}))
    refused(tmp_path, "certify", path, "--check", file, says=["found a proof of version 2, expected version 1"])
    other = json.loads(json.dumps(whole))
    other["runs"][0]["learner"]["parameters"]["normalize"] = True
    file.write_text(json.dumps(other))
    refused(tmp_path, "certify", path, "--check", file, says=["does not hold: runs[0]."])
    other["runs"][0]["learner"]["name"] = "Oracle"
    file.write_text(json.dumps(other))
    refused(tmp_path, "certify", path, "--check", file, says=["runs[0]: learner.name: found 'Oracle', expected one of AROW"])


ANSWERS = {
    "one class": ("1 1:1 2:1\n1 2:1\n", "every example has the same label, 1: no bound is below the best constant"),
    "zero vectors": ("1\n-1\n1\n", "nothing separates the examples: examples 1 and 2 are equal, with both labels"),
    "contradictory": ("1 1:1\n-1 1:1\n" * 2, "nothing separates the examples: examples 1 and 2 are equal, with both labels"),
    "huge": ("1 1:1e70 2:1\n-1 2:1e70\n1 1:1e-300\n", "Winnow cannot learn these examples, whose values it does not take"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hard_stream_has_an_answer_that_explains(tmp_path: Path, name: str) -> None:
    text, says = ANSWERS[name]
    (tmp_path / "hard.svm").write_text(text)
    ran = run("certify", tmp_path / "hard.svm", "--n", 4)
    assert (ran.status, ran.err) == (0, "")
    assert says in " ".join(ran.out.split())
