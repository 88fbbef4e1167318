"""How a value shows in a notebook: a plain table of HTML."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["table"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table with a head, every cell escaped.

    >>> table(["t"], [["<1>"]])
    '<table><thead><tr><th>t</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table>'
    """
    from html import escape

    def line(kind: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"
