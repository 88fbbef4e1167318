"""`python -m tests.site FOLDER`: no page of the built site fetches anything from elsewhere; what one clicks may lead there."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

__all__ = ["fetched"]

#: What a browser fetches by itself, by tag. (A link of rel=canonical, prev or next is not fetched.)
_FETCHES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "link": "href", "use": "href"}
_NOT_FETCHED = {"canonical", "prev", "next"}
_IN_STYLES = re.compile(r"""url\(["']?([^)"']+)|@import\s+["']([^"']+)""")


class _Fetches(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get(_FETCHES.get(tag, ""))
        if address and given.get("rel") not in _NOT_FETCHED:
            self.found.append(address)


def fetched(file: Path) -> list[str]:
    """The addresses that a page or a style sheet has fetched, of other hosts alone."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".css":
        addresses = [one or other for one, other in _IN_STYLES.findall(text)]
    else:
        page = _Fetches()
        page.feed(text)
        addresses = page.found
    return [address for address in addresses if re.match(r"(?:https?:)?//", address)]


def main(folder: Path) -> int:
    files = sorted(file for kind in ("*.html", "*.css") for file in folder.rglob(kind))
    found = [f"{file.relative_to(folder)} fetches {address}" for file in files for address in fetched(file)]
    print(*found, f"{len(files)} files, {len(found)} fetch something from elsewhere", sep="\n")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
