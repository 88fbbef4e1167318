"""The menu of the site has every page once, and what looks for outside resources finds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import ROOT
from tests.site import fetched


def test_the_menu_has_every_page_once() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:.*: )?(\S+\.md)$", config, re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.html", '<script src="https://a.example/x.js"></script><script src="x.js"></script>', ["https://a.example/x.js"]),
        ("a.html", '<link rel="stylesheet" href="//a.example/x.css"><img src="../x.svg">', ["//a.example/x.css"]),
        ("a.html", '<a href="https://a.example">there</a><link rel="canonical" href="https://b.example">', []),
        ("a.css", "@import 'https://a.example/x.css'; p { background: url(x.png) }", ["https://a.example/x.css"]),
        ("a.css", 'p { background: url("https://a.example/x.png") }', ["https://a.example/x.png"]),
    ],
)
def test_what_a_page_fetches_from_elsewhere_is_found(name: str, text: str, expected: list[str], tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert fetched(file) == expected
