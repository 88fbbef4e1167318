"""Hypothesis strategies: numbers in every spelling, and whole files of svmlight and Vowpal Wabbit text."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.text_oracles import Text

__all__ = ["SPELLINGS", "numbers", "small_numbers", "spelled_labels", "svmlight_texts", "vowpal_texts"]

LARGEST = 2.0**250

digits = st.text("0123456789", min_size=1, max_size=30)
many_digits = st.builds(lambda some, times: some * times, digits, st.integers(1, 60))
mantissas = st.one_of(
    digits,
    many_digits,
    st.builds("{}.{}".format, digits, digits),
    st.builds("{}.{}".format, many_digits, many_digits),
    digits.map(lambda some: some + "."),
    digits.map(lambda some: "." + some),
    st.builds(lambda zeros, some: "0." + "0" * zeros + some, st.integers(0, 400), digits),
)
exponents = st.one_of(
    st.just(""),
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from("eE"),
        st.sampled_from(["", "+", "-"]),
        st.sampled_from(["", "0", "0000000"]),
        st.one_of(st.integers(0, 30), st.integers(0, 400), st.sampled_from([307, 308, 309, 323, 324, 325, 10**9, 10**30])),
    ),
)


def spellings_of(value: float) -> list[str]:
    """A number in many spellings, some of them near it, or halfway to the next one."""
    exact = f"{value:.1080f}".rstrip("0")
    return [
        repr(value),
        f"{value:.17g}",
        f"{value:.16e}",
        f"{value:.25e}",
        exact,
        exact + "0" * 50,
        exact + "1",
        f"{value:.3f}",
    ]


#: Spellings at the edges of what a number can be: limits, halfway cases, underflow.
SPELLINGS = [
    *("0", "-0", "+0", "0.0", "-.0", "00", "5.", ".5", "+1", "-1", "007", "1e0", "1E+00", "1e-400", "-1e-400", "0e999999999"),
    *("4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308"),
    *("9007199254740993", "9007199254740992.99999999999999999999", "9007199254740993.00000000000000000001", "9007199254740995"),
    *("0.1", "0.10000000000000000555", "0.1000000", "0.12345678", "0.1234567", "12345678", "123456789", "12345678.12345678"),
    *(
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "99999999e22",
        "9007199254740993e-22",
        "1" + "0" * 75,
        "0" * 500 + "1",
        "." + "0" * 320 + "1",
    ),
    "1" + "0" * 400 + "e-400",
    "0." + "0" * 400 + "1e400",
    "179769313486231580793e-400",
]

numbers = st.one_of(
    st.builds("{}{}{}".format, st.sampled_from(["", "+", "-"]), mantissas, exponents),
    st.floats(allow_nan=False, allow_infinity=False).flatmap(lambda value: st.sampled_from(spellings_of(value))),
    st.floats(-100, 100, width=32).flatmap(lambda value: st.sampled_from(spellings_of(value))),
    st.sampled_from(SPELLINGS),
)


def sized(largest: float) -> st.SearchStrategy[bytes]:
    return numbers.filter(lambda text: abs(float(text)) <= largest).map(str.encode)


#: Numbers that a feature can hold; and such that no sum or product of a few goes beyond it.
values = sized(LARGEST)
small_numbers = sized(1e30)

blanks = st.text(" \t", min_size=1, max_size=3).map(str.encode)
maybe_blanks = st.sampled_from([b"", b"", b"", b" ", b"\t "])
spelled_labels = st.sampled_from(
    [(b"1", b"-1"), (b"+1", b"-1.0"), (b"0", b"1"), (b"2", b"1"), (b"spam", b"ham"), ("ñ".encode(), b"n"), (b"1.5", b"-0")]
)
nothing = st.sampled_from([b"", b" ", b"\t \t"])
marks = st.sampled_from([b"", b"", b"\xef\xbb\xbf"])


@st.composite
def texts(draw: st.DrawFn, line: st.SearchStrategy[bytes], before: bytes, empty: st.SearchStrategy[bytes]) -> Text:
    """A file of such lines and some empty ones after the line `before`, which tells the labels apart."""
    lines = draw(st.lists(st.one_of(line, line, line, line, empty), max_size=12))
    ends = draw(st.lists(st.sampled_from([b"\n", b"\n", b"\r\n"]), min_size=len(lines) + 2, max_size=len(lines) + 2))
    if draw(st.booleans()):
        ends[-1] = b""
    first, second = before.split(b"\n")
    return Text((first, second, *lines), tuple(ends), draw(marks))


@st.composite
def svmlight_texts(draw: st.DrawFn, n: int, first: int, unlabelled: bool = False) -> Text:
    labels = draw(spelled_labels)
    indices = st.lists(st.integers(first, n - 1 + first), unique=True, max_size=8)
    if draw(st.booleans()):
        indices = indices.map(sorted)
    comments = st.sampled_from([b"", b"", b"#", b" # 1:2 |", b"\t#\xff \x00", b" #1 1:1 # 2"])

    @st.composite
    def line(draw: st.DrawFn) -> bytes:
        parts = [b"%b%d:%b" % (b"0" * draw(st.sampled_from([0, 0, 3, 30])), i, draw(values)) for i in draw(indices)]
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            parts.insert(draw(st.integers(0, len(parts))), b"qid:%d" % draw(st.integers(0, 10**20)))
        if not (unlabelled and parts and draw(st.booleans())):
            parts.insert(0, draw(st.sampled_from(labels)))
        return draw(maybe_blanks) + b"".join(part + draw(blanks) for part in parts)[:-1] + draw(comments)

    before = b"%b %d:1\n%b" % (labels[0], first, labels[1])
    return draw(texts(line(), before, st.one_of(nothing, st.sampled_from([b"# 1 1:1", b" #"]))))


names = st.one_of(
    st.sampled_from([b"a", b"b", b"c", b"0", b"17", b"-1.5", b"colour=deep-orange", b"x" * 31, b"y" * 32, b"z" * 100]),
    st.text(
        st.characters(min_codepoint=33, exclude_characters="|:\x7f", exclude_categories=["Cs"]), min_size=1, max_size=12
    ).map(str.encode),
    st.lists(st.sampled_from([b"\xff", b"\x80", b"\xc3", b"q", b"^", b"#", b"'"]), min_size=1, max_size=40).map(b"".join),
)
tags = st.text(st.characters(min_codepoint=33, exclude_characters="|\x7f'", exclude_categories=["Cs"]), max_size=5).map(
    str.encode
)


weights = st.one_of(st.just(b"1"), sized(2.0**150).filter(lambda text: float(text) >= 0))


@st.composite
def named(draw: st.DrawFn, name: st.SearchStrategy[bytes]) -> bytes:
    return draw(name) + (b":" + draw(small_numbers) if draw(st.booleans()) else b"")


name_or_value = named(names)
names_or_values = st.lists(name_or_value, max_size=8)


@st.composite
def namespace(draw: st.DrawFn) -> bytes:
    space = draw(name_or_value) if draw(st.booleans()) else b""
    features = draw(names_or_values)
    repeated = features + draw(st.lists(st.sampled_from(features), max_size=3)) if features else []
    return b"|" + space + b"".join(draw(blanks) + feature for feature in repeated) + draw(maybe_blanks)


namespaces = st.lists(namespace(), min_size=1, max_size=4)


@st.composite
def vowpal_texts(draw: st.DrawFn, unlabelled: bool = False) -> Text:
    labels = draw(spelled_labels)

    @st.composite
    def line(draw: st.DrawFn) -> bytes:
        head = draw(maybe_blanks)
        if not (unlabelled and draw(st.booleans())):
            head += draw(st.sampled_from(labels)) + draw(blanks)
            if draw(st.booleans()):
                head += draw(weights) + draw(blanks)
        tag = draw(tags)
        shape = draw(st.sampled_from([b"", b"", b"t%b", b"'%b", b"'%b "]))
        return head + (shape % tag if b"%" in shape else shape) + b"".join(draw(namespaces))

    return draw(texts(line(), b"%b | a\n%b |" % labels, nothing))
