"""A real browser, over its own protocol: Chromium without a window, told through two pipes what to open and to look at."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Browser", "Tab", "opened"]

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Browser:
    """Chromium, which is asked in JSON and answers in JSON; what it tells unasked is kept in `events`."""

    def __init__(self, program: str, folder: str) -> None:
        asked, self._ask = os.pipe()
        self._answers, answered = os.pipe()
        script = f'exec "$0" "$@" 3<&{asked} 4>&{answered}'  # the two that the protocol reads and writes
        command = ["bash", "-c", script, program, *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(asked, answered), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(asked)
        os.close(answered)
        self._read = b""
        self._count = 0
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str | None = None, **parameters: object) -> dict[str, Any]:
        """Sends a command and waits for its result."""
        self._count += 1
        asked: dict[str, object] = {"id": self._count, "method": method, "params": parameters}
        if session is not None:
            asked["sessionId"] = session
        os.write(self._ask, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._count:
                assert "error" not in told, (method, told["error"])
                result: dict[str, Any] = told["result"]
                return result
            self.events.append(told)

    def told(self, session: str, method: str) -> list[dict[str, Any]]:
        """What it has told unasked of a page."""
        return [event["params"] for event in self.events if (event.get("sessionId"), event.get("method")) == (session, method)]

    def wait_for(self, session: str, method: str) -> None:
        """Waits until it tells this of a page."""
        while not self.told(session, method):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            more = os.read(self._answers, 1 << 20)
            assert more, "the browser has left"
            self._read += more
        told, _, self._read = self._read.partition(b"\0")
        message: dict[str, Any] = json.loads(told)
        return message

    def close(self) -> None:
        """Ends it."""
        with suppress(OSError, AssertionError):
            self.ask("Browser.close")
        os.close(self._ask)
        os.close(self._answers)
        self._process.wait(timeout=20)


class Tab:
    """A page that is open, and what the browser had to say of it."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self._browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session: str = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime", "Network"):
            self._ask(f"{domain}.enable")
        self.address = path.resolve().as_uri()
        self._ask("Page.navigate", url=self.address)
        browser.wait_for(self._session, "Page.loadEventFired")
        self._size(1000, 800)

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        return self._browser.ask(method, self._session, **parameters)

    @property
    def complaints(self) -> list[dict[str, Any]]:
        """What stands in the console: errors, warnings, anything."""
        methods = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [told for method in methods for told in self._browser.told(self._session, method)]

    @property
    def requests(self) -> list[str]:
        """Every address that was asked for."""
        return [told["request"]["url"] for told in self._browser.told(self._session, "Network.requestWillBeSent")]

    def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript on the page."""
        made = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in made, made
        return made["result"].get("value")

    def click(self, selector: str, across: float = 0.5, down: float = 0.5) -> None:
        """Clicks with the mouse into what the selector finds, at these shares of its width and height."""
        box = (
            f"(() => {{ const found = document.querySelector({selector!r}); found.scrollIntoView({{ block: 'center' }});"
            "const { x, y, width, height } = found.getBoundingClientRect(); return [x, y, width, height]; })()"
        )
        x, y, width, height = self.evaluate(box)
        at = {"x": x + across * width, "y": y + down * height, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, **at)

    def press(self, key: str, text: str = "") -> None:
        """Presses a key of the keyboard, and lets it go."""
        code = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}[key]
        named: dict[str, object] = {"key": key, "windowsVirtualKeyCode": code}
        self._ask("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **named)

    def _size(self, width: int, height: int) -> None:
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def show(self, *, scheme: str = "light", media: str = "screen", width: int = 1000) -> None:
        """Looks at it as on a light or dark screen of this width, or on paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", media=media, features=features)
        self._size(width, 800)


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser, where there is one; otherwise whoever asks is skipped, by name."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        missing = f"no browser was found: none of {', '.join(_NAMES)}"
        (pytest.fail if "THRESHER_NEEDS_BROWSER" in os.environ else pytest.skip)(missing)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            yield browser
        finally:
            browser.close()
