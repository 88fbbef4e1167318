"""Tables that cannot be read: one line that says where and what, status 2, and nothing written."""

from __future__ import annotations

import contextlib
import itertools
from datetime import date
from pathlib import Path

import pytest

import thresher as th
from tests.commands import check_refused_command, run
from tests.tables import rows_of
from thresher.data.arrow import arrow

NUMBERED = "".join(f"{k},{k % 3},{k % 2}\n" for k in range(1, 13))

SWALLOWED = b'a,b,label\n1,two,no\n3,"4,yes\n5,6,no\n7,8" long,yes\n9,10,no\n'

BAD: dict[str, tuple[str, bytes, str, list[str]]] = {
    "stray quote": (
        "t.csv",
        SWALLOWED,
        "",
        ["t.csv:3: found a quote at the start of a cell ('\"4,yes') that closes in the middle of one, lines below"],
    ),
    "array of JSON": ("t.json", b'[\n{"a": 1, "label": "no"}\n]\n', "", ["t.json:1: found an array of JSON", "jq -c '.[]'"]),
    "markup": ("t.csv", b"<!DOCTYPE html>\n<p>Sign in</p>\n", "", ["t.csv:1: found HTML or XML, expected a table"]),
    "rows alone": (
        "t.csv",
        b"0,0,no\n1,0,yes\n",
        "",
        ["t.csv:1: found two columns named '0'", "--header (header= in Python) names them"],
    ),
    "ids": (
        "t.csv",
        b"a,label\n" + b"".join(b"%d,id%d\n" % (k % 3, k) for k in range(30)),
        "",
        ["found 30 different values such as 'id0', another in every row, in column 'label', expected two labels"],
    ),
    "a ragged row": ("t.csv", b"a,b,label\n1,x,yes\n2,no\n", "", ["t.csv:3: found 2 cells in '2,no', expected 3 cells"]),
    "a ragged row between tabs": (
        "t.tsv",
        b'a\tlabel\n1\tyes\n2\t"n\tno"\n',
        "",
        ["t.tsv:3: found 3 cells", "quotes mean nothing"],
    ),
    "a line break in a quoted cell counts": ("t.csv", b'a,b,label\n"1\n2",x,yes\n2,no\n', "", ["t.csv:4: found 2 cells"]),
    "a quote that nothing closes": (
        "t.csv",
        b'a,label\n1,yes\n2,"no\n3,yes\n',
        "",
        ["t.csv:3: found a quote that nothing closes"],
    ),
    "Latin-1": ("t.csv", b"a,label\nx,yes\ncaf\xe9,no\n", "", ["t.csv:3: found 'caf\\xe9', expected text in UTF-8"]),
    "Latin-1 among names": ("t.csv", b"caf\xe9,label\nx,yes\n", "", ["t.csv:1: found 'caf\\xe9', expected text in UTF-8"]),
    "UTF-16": ("t.csv", "a,label\n1,2\n".encode("utf-16"), "", ["t.csv: found UTF-16, expected text in UTF-8"]),
    "no label": (
        "t.csv",
        b"a,b\n1,x\n2,y\n",
        "",
        ["which column is the label?", "--label COLUMN", "a (two values, 1 and 2)", "b (two values, 'x' and 'y')"],
    ),
    "two that could be": (
        "t.csv",
        b"y,class,a\n1,x,3\n",
        "",
        ["found 2 columns that could be (y, class): say --label COLUMN (label= in Python)"],
    ),
    "another label": (
        "t.csv",
        b"a,label\n1,2\n",
        "--label kind",
        ["found no column 'kind' for the label", "label (one value, 2)"],
    ),
    "a label in another case": (
        "t.csv",
        b"Kind,a\nx,2\n",
        "--label kind",
        ["found no column 'kind' for the label (did you mean Kind?); the columns are Kind"],
    ),
    "a text column that is mistyped": (
        "t.csv",
        b"label,subject\nx,2\n",
        "--text subjekt",
        ["found no column 'subjekt', as --text says (did you mean subject?); the columns are label"],
    ),
    "dates for labels": (
        "t.csv",
        b"a,label\n" + b"1,2024-04-21\n2,2024-04-22\n" * 2,
        "--label day",
        ["label (two values, 2024-04-21 and 2024-04-22)"],
    ),
    "three numbers": (
        "t.csv",
        f"a,label,b\n{NUMBERED}".encode(),
        "",
        ["found 3 labels in column 'label' ('1' 4 times, '2' 4 times, '0' 4 times), expected two", "(with two values: b)"],
    ),
    "a label that is mistyped": (
        "t.csv",
        b"a,label,b\n" + b"1,yes,2\n2,no,3\n3,no,2\n" * 20 + b"1,yse,2\n2,No,3\n1,yse,3\n" + b"1,no,2\n",
        "",
        ["t.csv:62: column 'label': found 'yse' (2 times) and 1 other value, expected 'no' (41 times) or 'yes' (20 times)"],
    ),
    "another in every row": (
        "t.csv",
        f"label,a,b\n{NUMBERED}".encode(),
        "",
        ["12 different numbers from 1 to 12, another in every row"],
    ),
    "a third label later": (
        "t.csv",
        b"a,label\n" + b"1,yes\n2,no\n" * 400_000 + b"3,maybe\n",
        "",
        ["t.csv:800002: column 'label': found label 'maybe', expected 'yes' or 'no', the two labels before it"],
    ),
    "a word among numbers, later": (
        "t.csv",
        b"a,label\n" + b"1,yes\n2,no\n" * 400_000 + b"many,no\n",
        "",
        ["t.csv:800002: column 'a': found 'many', expected a number, as in the first rows, or an empty cell"],
    ),
    "infinity": ("t.csv", b"a,label\n1,yes\ninf,no\n", "", ["t.csv:3: column 'a': found inf, expected a finite number"]),
    "scaled numbers for Winnow": (
        "t.csv",
        b"a,label\n1,yes\n0,no\n",
        "--learner winnow",
        ["t.csv:3: column 'a': found 0 (scaled: -1), expected a number from 0 to 1; --numeric raw (numeric= in Python) takes"],
    ),
    "labels that differ in case alone": (
        "t.csv",
        b"a,label\n" + b"1,Yes\n2,No\n3,yes\n4,no\n" * 20,
        "",
        ["t.csv: found 4 labels in column 'label' (", "expected two: 'Yes' and 'yes' differ in case alone, spell them alike"],
    ),
    "numbers that do not fit Winnow as they are either": (
        "t.csv",
        b"a,label\n48,yes\n47,no\n",
        "--learner winnow",
        ["t.csv:3: column 'a': found 47 (scaled: -1), expected a number from 0 to 1; --ignore a (ignore= in Python), or"],
    ),
    "no rows": ("t.csv", b"a,label\n", "", ["t.csv: found a table without a row"]),
    "nothing": ("t.csv", b"", "", ["t.csv: found an empty table"]),
    "one column": ("t.csv", b"label\nyes\nno\n", "", ["t.csv: found no column beside the label"]),
    "numbers in place of names": (
        "t.csv",
        b"1,2,3\n4,5,6\n",
        "--label 3",
        ["t.csv:1: found '1,2,3', expected the names of the columns"],
    ),
    "two alike": ("t.csv", b"a,label,a\n1,yes,2\n", "", ["t.csv:1: found two columns named 'a', expected different names"]),
    "a header that does not fit": (
        "t.csv",
        b"1,yes\n",
        "--header a,b,label",
        ["t.csv:1: found 2 cells", "3 cells, as --header says"],
    ),
    "no such column of text": ("t.csv", b"a,label\n1,yes\n", "--text b", ["found no column 'b', as --text says"]),
    "a column for two things": (
        "t.csv",
        b"a,label\n1,yes\n",
        "--text a --ignore a",
        ["the column 'a' for two of --label, --text and --ignore"],
    ),
    "JSON that is none": ("t.jsonl", b'{"a": 1, "label": 0}\n{"a": 1,\n', "", ["t.jsonl:2: found '{\"a\": 1,'"]),
    "JSON that is a list": ("t.jsonl", b"[1, 2]\n", "", ["t.jsonl:1: found an array of JSON, expected an object"]),
    "JSON with a field twice": ("t.jsonl", b'{"a": 1, "a": 2, "label": 0}\n', "", ["t.jsonl:1:", "a field comes twice"]),
    "JSON that is too deep": (
        "t.jsonl",
        b'{"a": 1, "label": 0}\n{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b', "label": 1}\n',
        "",
        ["t.jsonl:2: found JSON nested more than 32 deep"],
    ),
    "objects that are too deep": (
        "t.jsonl",
        b'{"a": ' * 40 + b"1" + b"}" * 40 + b"\n",
        "",
        ["t.jsonl:1: found JSON nested more than"],
    ),
    "lists of objects": (
        "t.jsonl",
        b'{"a": [{"b": 1}], "label": 0}\n',
        "",
        ["column 'a'", "--ignore a (ignore= in Python) leaves it out"],
    ),
    "half of a surrogate pair": (
        "t.jsonl",
        b'{"a": "\\ud800", "label": 0}\n',
        "",
        ["t.jsonl:1: found half of a surrogate pair"],
    ),
    "half of one in a name": ("t.jsonl", b'{"\\udfff": "x", "label": 0}\n', "", ["t.jsonl:1: found half of a surrogate pair"]),
    "lines of carriage returns": (
        "t.csv",
        b"a,label\r1,yes\n2,no\n",
        "",
        ["t.csv:1: found lines that end with a carriage return alone"],
    ),
    "a quote that nothing closes among names": (
        "t.csv",
        b'"a,label\n' + b"1,yes\n" * 100_000,
        "",
        ["t.csv:1: found a quote that nothing closes in the first row"],
    ),
    "Arrow that is none": ("t.arrow", b"ARROW1\0\0" + bytes(100), "", ["t.arrow: found Arrow data that cannot be read"]),
    "Vowpal Wabbit text with a label": (
        "t.vw",
        b"junk 1 0|t offer, today, now\nfine |t hello\n",
        "--label kind --text mail",
        ["t.vw:1: found what looks like Vowpal Wabbit text, which has no columns: leave --label and --text out\n"],
    ),
    "svmlight text with a label": (
        "t.svm",
        b"+1 1:0.5 3:2 # a, b\n-1 2:1\n",
        "--label kind",
        ["t.svm:1: found what looks like svmlight text, which has no columns: leave --label out\n"],
    ),
    "Vowpal Wabbit text that is called CSV": (
        "t.csv",
        b"1 | a b\n-1 | c\n",
        "",
        ["t.csv:1: found what looks like Vowpal Wabbit text, which has no columns: say --format vw (format= in Python)\n"],
    ),
    "Vowpal Wabbit text that is said to be CSV": ("t.vw", b"1 | a b\n-1 | c\n", "--format csv", ["which column is the label?"]),
    "a bar in a name of a column": ("t.csv", b"a|b c,kind\n1,2\n", "--label kinds", ["did you mean kind?"]),
    "columns for text without any": ("t.svm", b"1 1:1\n", "--format svmlight --label a", ["which has no columns"]),
}


@pytest.mark.parametrize(("name", "text", "options", "says"), BAD.values(), ids=list(BAD))
def test_what_cannot_be_read_is_refused_in_one_line(
    name: str, text: bytes, options: str, says: list[str], tmp_path: Path
) -> None:
    place = tmp_path / name
    place.write_bytes(text)
    model = tmp_path / "model"
    refused = check_refused_command(tmp_path, "learn", place, "--quiet", "--save", model, *options.split(), says=says)
    assert len(refused) < 500


def parquet(place: Path, rows: int = 1000) -> bytes:
    columns = {"a": list(range(rows)), "b": [f"w{k % 5}" for k in range(rows)], "label": [k % 2 for k in range(rows)]}
    arrow(".parquet").write_table(arrow().table(columns), place)
    return place.read_bytes()


def test_parquet_cut_short_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "t.parquet"
    whole = parquet(place)
    for size in (4, 100, len(whole) // 2, len(whole) - 1):
        place.write_bytes(whole[:size])
        check_refused_command(tmp_path, "learn", place, "--quiet", says=["t.parquet: found Parquet that cannot be read"])


@pytest.mark.parametrize("format", ["csv", "jsonl", "arrow", "svmlight", "vw"])
def test_parquet_that_is_said_to_be_something_else_is_seen(format: str, tmp_path: Path) -> None:
    place = tmp_path / "t.parquet"
    parquet(place)
    says = [
        f"t.parquet: found what begins as Parquet does, expected {format}, as --format (format= in Python) says: leave it out"
    ]
    check_refused_command(tmp_path, "learn", place, "--format", format, says=says)
    assert run("learn", place, "--format", "parquet", "--quiet").status == 0


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_a_damaged_byte_is_an_error_or_harmless(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "t"
    if kind == "parquet":
        whole = parquet(place, 50)
    else:
        table = arrow().table({"a": ["x", "yy", "zzz"] * 9, "b": [1.5] * 27, "label": [0, 1, 0] * 9})
        coded = table.set_column(0, "a", table["a"].dictionary_encode())
        ipc = arrow(".ipc")
        with (ipc.new_file if kind == "arrow file" else ipc.new_stream)(str(place), coded.schema) as out:
            out.write_table(coded)
        whole = place.read_bytes()
    for at in range(8, len(whole), max(1, len(whole) // 150)):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with contextlib.suppress(th.SourceError, th.ParameterError):
            assert len(rows_of(place, on_bad="skip")) <= 60


def test_a_date_for_a_label_is_spelled_as_one(tmp_path: Path) -> None:
    days = [date(2024, 4, 21), date(2024, 4, 22)] * 30 + [date(2042, 4, 21)]
    place = tmp_path / "t.parquet"
    arrow(".parquet").write_table(arrow().table({"a": list(range(61)), "label": days}), place)
    says = ["row 61: column 'label': found 2042-04-21 (once), expected 2024-04-21 (30 times) or 2024-04-22 (30 times)"]
    check_refused_command(tmp_path, "learn", place, says=says)


def test_types_that_differ_across_files_are_text_or_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text("a,label\nred,yes\nblue,no\n")
    other.write_text("a,label\n1,yes\n2,no\n")
    with th.open_stream([one, other]) as stream:
        names = [sorted(stream.names_of(batch, k).values()) for batch in stream for k in range(len(batch))]
    assert names == [["a=red"], ["a=blue"], ["a=1"], ["a=2"]]
    check_refused_command(
        tmp_path,
        "learn",
        other,
        one,
        "--quiet",
        says=["1.csv:2: column 'a': found 'red', expected a number, as in the first rows"],
    )


SKIPPED: dict[str, tuple[str, bytes, int]] = {
    "ragged": ("t.csv", b"a,label\n1,yes\n2\n3,no\n1,2,3\n", 2),
    "no UTF-8": ("t.csv", b"a,label\nx,yes\n\xe9,no\ny,no\n", 1),
    "an unclosed quote": ("t.csv", b'a,label\n1,yes\n3,no\n4,"no\n', 1),
    "a third label": ("t.csv", b"a,label\n1,yes\n3,no\n4,maybe\n", 1),
    "JSON": ("t.jsonl", b'{"a": 1, "label": "yes"}\n[]\n{"a": 3, "label": "no"}\n{', 2),
}


@pytest.mark.parametrize(("name", "text", "bad"), SKIPPED.values(), ids=list(SKIPPED))
def test_bad_rows_are_counted_and_left_out_if_so_wished(name: str, text: bytes, bad: int, tmp_path: Path) -> None:
    place = tmp_path / name
    place.write_bytes(text)
    ran = run("learn", place, "--on-bad", "skip", "--json")
    assert ran.status == 0
    with th.open_stream(place, on_bad="skip") as stream:
        labels = list(itertools.chain.from_iterable(batch.y.tolist() for batch in stream))
    assert (labels, stream.bad, len(stream.first_bad)) == ([1, -1], bad, bad)


def test_rows_before_a_bad_one_are_given_first(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("a,label\n1,yes\n2,no\n3\n4,no\n")
    with th.open_stream(place) as stream:
        batches = iter(stream)
        assert next(batches).y.tolist() == [1, -1]
        assert stream.failing
        for _ in range(2):
            with pytest.raises(th.SourceError, match=r"t.csv:4: found 1 cell"):
                next(batches)
            batches = iter(stream)


def test_of_rows_behind_a_stray_quote_none_is_lost(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(SWALLOWED)
    with th.open_stream(place, on_bad="skip", positive="yes") as stream:
        assert sum(len(batch) for batch in stream) == 4
        assert stream.bad == 1
        assert stream.first_bad[0].line == 3


def test_a_cell_in_quotes_may_have_line_breaks_and_what_is_behind_its_quotes_on_one_line_is_part_of_it(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(b'a,label\n"x\ny ""z""",no\n"w" v,yes\r\n"u\n",no\n')
    with th.open_stream(place) as stream:
        assert sum(len(batch) for batch in stream) == 3


def test_a_column_that_becomes_words_is_refused_once_and_its_rows_are_counted(tmp_path: Path) -> None:
    """To place a row in its chunk takes a while: not one of thousands."""
    first, then = tmp_path / "first.csv", tmp_path / "then.csv"
    first.write_text("y,a\n" + "p,1\nn,2\n" * 50)
    then.write_text("y,a\n" + "p,word\nn,term\n" * 20_000)
    with (
        th.open_stream([first, then], label="y") as stream,
        pytest.raises(th.SourceError, match=r"csv:2: .*found 'word'"),
    ):
        for _ in stream:
            pass
    with th.open_stream([first, then], label="y", on_bad="skip") as stream:
        assert sum(len(batch) for batch in stream) == 100
    assert (stream.bad, len(stream.first_bad)) == (40_000, 5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("later", ["Bought", "other", None])
def test_a_later_file_without_the_column_of_labels_is_refused(
    later: str | None, kind: str, threads: int, tmp_path: Path
) -> None:
    first = {"age": [*range(40)], "bought": ["no", "yes"] * 20}
    second = {"age": [1, 2], **({} if later is None else {later: ["no", "yes"]})}
    paths = []
    for number, cells in enumerate((first, second)):
        paths.append(tmp_path / f"{number}.{kind}")
        table = arrow().table(cells)
        (arrow(".csv").write_csv if kind == "csv" else arrow(".parquet").write_table)(table, paths[-1])
    given = ("learn", *paths, "--label", "bought", "--bits", 6, "--threads", threads, "--save", tmp_path / "m")
    ran = run(*given)
    near = " (did you mean Bought?)" if later == "Bought" else ""
    assert ran.status == 2
    assert f"1.{kind}: found no column 'bought' for the label{near}" in ran.err
    assert not (tmp_path / "m").exists()
    assert run("learn", paths[0], *given[3:]).status == 0
    assert run("predict", tmp_path / "m", paths[1]).status == 0
