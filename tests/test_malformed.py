"""Every line that cannot be read, with where it went wrong and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import thresher as th
from thresher.evaluate import play

NUMBER = "expected a finite number of at most 2^250 (1.8e75) after the colon"
INDEX = "expected index:value, the index a whole number"
QUERY = "expected index:value, or qid:number"
HEAD = "expected at most a label, an importance and a 'tag before the '|'"
WEIGHT = "expected a number from 0 to 2^150 (1.4e45)"
NAME = "expected a name, or name:value"
ADJACENT = (
    "with no blank before the '|', which makes it a tag, expected a blank between a label and the '|', or a ' before a tag"
)

SVMLIGHT = [
    (b"1 a:1", 3, f"found 'a:1', {INDEX}"),
    (b"1 :1", 3, f"found ':1', {INDEX}"),
    (b"1 1", 3, f"found '1', {INDEX}"),
    (b"1 1 :5", 3, f"found '1', {INDEX}"),
    (b"1 1:5\t2", 7, f"found '2', {INDEX}"),
    (b"1 -1:1", 3, f"found '-1:1', {INDEX}"),
    (b"1 +1:1", 3, f"found '+1:1', {INDEX}"),
    (b"1 1.0:1", 3, f"found '1.0:1', {INDEX}"),
    (b"1 12345678 1:1", 3, f"found '12345678', {INDEX}"),
    (b"1 1:1 \xc3\xa4:1", 7, f"found 'ä:1', {INDEX}"),
    (b"1 1:1 \xe4:1", 7, f"found '\\xe4:1', {INDEX}"),
    (b"1 1:1 | a", 7, f"found '|', {INDEX}"),
    (b"1 1:1 " + b"y" * 41, 7, f"found '{'y' * 40}...', {INDEX}"),
    (b"1 1:1 " + b"y" * 40, 7, f"found '{'y' * 40}', {INDEX}"),
    (b"1 1:", 5, f"found nothing after the colon, {NUMBER}"),
    (b"1 1: 2", 5, f"found nothing after the colon, {NUMBER}"),
    (b"1 1:\t", 5, f"found nothing after the colon, {NUMBER}"),
    (b"1 1:# 2", 5, f"found '#', {NUMBER}"),
    (b"1 1:x", 5, f"found 'x', {NUMBER}"),
    (b"1 1:1x", 5, f"found '1x', {NUMBER}"),
    (b"1 1:1:2", 5, f"found '1:2', {NUMBER}"),
    (b"1 1:nan", 5, f"found 'nan', {NUMBER}"),
    (b"1 1:-Infinity", 5, f"found '-Infinity', {NUMBER}"),
    (b"1 1:1e400", 5, f"found '1e400', {NUMBER}"),
    (b"1 1:1e76", 5, f"found '1e76', {NUMBER}"),
    (b"1 1:0x10", 5, f"found '0x10', {NUMBER}"),
    (b"1 1:1_0", 5, f"found '1_0', {NUMBER}"),
    (b"1 1:1,5", 5, f"found '1,5', {NUMBER}"),
    (b"1 1:1\r2:1", 5, f"found '1\\x0d2:1', {NUMBER}"),
    (b"1 1:1\x00", 5, f"found '1\\x00', {NUMBER}"),
    (b"1 1:1\x1b[31m", 5, f"found '1\\x1b[31m', {NUMBER}"),
    (b"1 0:1", 3, "found index 0, expected indices from 1 on; if they count from 0 say --zero-based"),
    (b"1 16:1 17:1", 8, "found index 17, expected indices from 1 to 16; for more give --bits 5"),
    (b"1 2147483648:1", 3, "found index 2147483648, expected indices from 1 to 16; for more give --bits 31"),
    (b"1 2147483649:1", 3, "found index 2147483649, expected indices from 1 to 16"),
    (b"1 18446744073709551617:1", 3, "found index 18446744073709551617, expected indices from 1 to 16"),
    (b"1 " + b"9" * 50 + b":1", 3, f"found index {'9' * 40}..., expected indices from 1 to 16"),
    (b"1 2:1 3:1 2:5", 11, "found index 2 again, expected every index once in a line"),
    (b"1 2:0 2:0", 7, "found index 2 again, expected every index once in a line"),
    (b"1 5:1 5:1 3:1 3:1", 15, "found index 3 again, expected every index once in a line"),
    (b"1 qid:1 qid:x", 9, f"found 'qid:x', {QUERY}"),
    (b"1 qid: 1:1", 3, f"found 'qid:', {QUERY}"),
    (b"1 qid:-1", 3, f"found 'qid:-1', {QUERY}"),
    (b"1 quick", 3, f"found 'quick', {QUERY}"),
    (b"1:1 2:2", 1, "found '1:1', expected a label before the features"),
    (b" \t qid:1 1:1", 4, "found 'qid:1', expected a label before the features"),
    (b"nan 1:1", 1, "found 'nan', expected a label"),
    (b"-Inf 1:1", 1, "found '-Inf', expected a label"),
    (b"+infinity 1:1", 1, "found '+infinity', expected a label"),
    (b"1e999 1:1", 1, "found '1e999', expected a label"),
    (b"\x00\x01 1:1", 1, "found '\\x00\\x01', expected a label"),
    (b"\xff\xfe1 1:1", 1, "found '\\xff\\xfe1', expected a label in UTF-8"),
    (b"\xed\xa0\x80 1:1", 1, "found '\\xed\\xa0\\x80', expected a label in UTF-8"),
    (b"\xc0\xaf 1:1", 1, "found '\\xc0\\xaf', expected a label in UTF-8"),
    (b"x" * 257, 1, "found a label of 257 bytes, expected a label"),
    (b"\xef\xbb\xbf1 1:1", 1, "found label '\\ufeff1', expected '-1' or '1', the two labels before it"),
    (b"  2 1:1", 3, "found label '2', expected '-1' or '1', the two labels before it"),
    (b"1.5 1:1", 1, "found label '1.5', expected '-1' or '1', the two labels before it"),
]

VOWPAL = [
    (b"1", 2, "found no '|' in the line, expected label | features"),
    (b"# comment", 10, "found no '|' in the line, expected label | features"),
    (b"1 1:1 2:1", 7, f"found '2:1', {HEAD}"),
    (b"1 2 3 | a", 5, f"found '3', {HEAD}"),
    (b"1 1 1 'x| a", 5, f"found '1', {HEAD}"),
    (b"1 x | a", 3, f"found importance 'x', {WEIGHT}"),
    (b"1 -1 | a", 3, f"found importance '-1', {WEIGHT}"),
    (b"1 nan | a", 3, f"found importance 'nan', {WEIGHT}"),
    (b"1 1e46 | a", 3, f"found importance '1e46', {WEIGHT}"),
    (b"1 1e999 | a", 3, f"found importance '1e999', {WEIGHT}"),
    (b"1 'tag x | a", 8, "found 'x' after the tag, expected '|'"),
    (b"'tag 1 | a", 6, "found '1' after the tag, expected '|'"),
    (b"1 'tag", 7, "found the end of the line after the tag, expected '|'"),
    (b"1| a", 1, f"found '1' {ADJACENT}"),
    (b"  +1.5|a b", 3, f"found '+1.5' {ADJACENT}"),
    (b"1 't\x01g| a", 3, "found ''t\\x01g', expected a tag that prints"),
    (b"1 t\x7f| a", 3, "found 't\\x7f', expected a tag that prints"),
    (b"1 |:1 a", 4, f"found ':1', {NAME}"),
    (b"1 | :1", 5, f"found ':1', {NAME}"),
    (b"1 | a\x01b", 6, f"found '\\x01b', {NAME}"),
    (b"1 | \x00", 5, f"found '\\x00', {NAME}"),
    (b"1 |n\x7f a", 5, f"found '\\x7f', {NAME}"),
    (b"1 | a\rb", 6, f"found '\\x0db', {NAME}"),
    (b"1 | a:", 7, f"found nothing after the colon, {NUMBER}"),
    (b"1 | a: b", 7, f"found nothing after the colon, {NUMBER}"),
    (b"1 | a:|b c", 7, f"found '|b', {NUMBER}"),
    (b"1 | a | b:", 11, f"found nothing after the colon, {NUMBER}"),
    (b"1 | a:x", 7, f"found 'x', {NUMBER}"),
    (b"1 | a:1:2", 7, f"found '1:2', {NUMBER}"),
    (b"1 | a:nan", 7, f"found 'nan', {NUMBER}"),
    (b"1 | a:1e400", 7, f"found '1e400', {NUMBER}"),
    (b"1 | a:0x10", 7, f"found '0x10', {NUMBER}"),
    (b"1 |n: a", 6, f"found nothing after the colon, {NUMBER}"),
    (b"1 |n:x a", 6, f"found 'x', {NUMBER}"),
    (b"1 |n:1:2 a", 6, f"found '1:2', {NUMBER}"),
    (b"1 |n:1e60 a b:1e60", 13, "found a product beyond 2^250 (1.8e75), expected smaller values"),
    (b"1 | a:1e75 b a:1e75", 3, "found values that add up to more than 2^250 (1.8e75) in one slot, expected smaller values"),
    (b"nan | a", 1, "found 'nan', expected a label"),
    (b"\xff | a", 1, "found '\\xff', expected a label in UTF-8"),
    (b"  2 | a", 3, "found label '2', expected '-1' or '1', the two labels before it"),
    (b"1.0x | a", 1, "found label '1.0x', expected '-1' or '1', the two labels before it"),
]

TABLE = [("svmlight", *row) for row in SVMLIGHT] + [("vw", *row) for row in VOWPAL]


@pytest.mark.parametrize(("format", "line", "column", "message"), TABLE, ids=[f"{row[0]} {row[1]!r}" for row in TABLE])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""], ids=["LF", "CRLF", "end of file"])
def test_a_bad_line_is_told_with_file_line_and_column(
    tmp_path: Path, format: str, line: bytes, column: int, message: str, end: bytes
) -> None:
    good = {"svmlight": b"-1 1:1\n\n1 2:1\n", "vw": b"-1 | q\n\n1 | r\n"}[format]
    path = tmp_path / "text"
    path.write_bytes(good + line + end)
    learner, ledger = th.Perceptron(16), th.Ledger()
    with th.open_stream(path, format=format, n=16) as stream, pytest.raises(th.SourceError) as caught:
        play(learner, stream, ledger)
    error = caught.value
    assert str(error) == f"{path}:4:{column}: {message}"
    assert (error.file, error.line, error.column) == (str(path), 4, column)
    assert len(str(error).splitlines()) == 1
    assert (learner.rounds, stream.bad) == (2, 1)


@pytest.mark.parametrize(("format", "line", "column", "message"), TABLE, ids=[f"{row[0]} {row[1]!r}" for row in TABLE])
def test_a_bad_line_is_skipped_and_leaves_no_label(tmp_path: Path, format: str, line: bytes, column: int, message: str) -> None:
    labels = "the two labels before it" in message
    good = {"svmlight": (b"-1 1:1\n", b"1 2:1\n"), "vw": (b"-1 | q\n", b"1 | r\n")}[format]
    path = tmp_path / "text"
    bad = b"" if labels else line + b"\n"
    path.write_bytes(good[0] + bad + good[1] + line + b"\n" + good[0])
    with th.open_stream(path, format=format, n=16, on_bad="skip") as stream:
        assert [batch.y.tolist() for batch in stream] == [[-1, 1, -1]]
    assert (stream.recipe.plus, stream.recipe.minus) == ("1", "-1")
    assert stream.bad == (1 if labels else 2)
    assert {(error.column, str(error).partition(": ")[2]) for error in stream.first_bad} == {(column, message)}


@pytest.mark.parametrize("line", [b"0:1 16:1", b"1 0:1 16:1"])
def test_indices_from_0_on_end_one_earlier(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(line)
    with th.open_stream(path, n=16, zero_based=True, keep_unlabelled=True) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    column = line.index(b"16") + 1
    assert str(caught.value) == f"{path}:1:{column}: found index 16, expected indices from 0 to 15; for more give --bits 5"


@pytest.mark.parametrize("line", [b"1", b"1 3:0", b"1 3:1e-400 # 3:1"])
def test_a_line_without_features_is_refused_where_a_learner_needs_them(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"1 1:1\n" + line)
    with th.open_stream(path, rule=th.Perceptron(8, normalize=True).rule) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    said = "found no feature other than 0, expected one at least, since the learner normalises: or give it a bias"
    assert str(caught.value) == f"{path}:2:1: {said}"


def test_only_the_first_five_bad_lines_are_told_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"1 1:1\n" + b"1 x\n" * 1000 + b"1 1:1")
    with th.open_stream(path, on_bad="skip") as stream:
        assert sum(map(len, stream)) == 2
    assert stream.bad == 1000
    assert [error.line for error in stream.first_bad] == [2, 3, 4, 5, 6]


def test_a_stream_that_has_stopped_says_so_again(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"1 1:1\n1 x\n1 1:1\n")
    with th.open_stream(path) as stream:
        for _ in range(3):
            with pytest.raises(th.SourceError, match=":2:3: found 'x'"):
                list(stream)
    assert stream.bad == 1
