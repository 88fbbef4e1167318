"""Pages, taken apart: their tags, their text, and the lines of their charts."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

__all__ = ["charts", "check_stands_alone", "lines", "parsed", "tables"]

VOID = ("meta", "br", "hr", "img", "link", "input")


class Checked(HTMLParser):
    """Every tag is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Checked:
    checked = Checked()
    checked.feed(html)
    checked.close()
    assert checked.open == []
    return checked


def charts(html: str) -> list[str]:
    return re.findall(r'<svg class="chart".*?</svg>\n</svg>', html, re.DOTALL)


def lines(svg: str) -> dict[str, list[tuple[float, float]]]:
    """The points of each line, in pixels, by its name."""
    parsed(svg)
    made = {}
    for path, name in re.findall(r'<path class="line [^>]* d="([^"]*)"><title>([^<]*)</title></path>', svg):
        numbers = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)
        made[unescape(name)] = [(float(x), float(y)) for x, y in numbers]
    return made


def tables(html: str) -> list[list[list[str]]]:
    """The cells of each table, row by row."""
    return [
        [[unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row)] for row in re.findall(r"<tr>(.*?)</tr>", table)]
        for table in re.findall(r"<table>(.*?)</table>", html)
    ]


def check_stands_alone(html: str) -> None:
    """Asserts that a page runs no script and asks for no other file."""
    checked = parsed(html)
    assert not {tag for tag, _ in checked.seen} & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"url\(|@import|src=|href=", html)
    assert set(re.findall(r"https?://[^\s\"<]+", html)) == {"http://www.w3.org/2000/svg"}
    assert not [name for _, attributes in checked.seen for name in attributes if name.startswith("on")]
