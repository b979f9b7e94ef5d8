"""A browser without a window that is asked over two pipes: no network, no port, no package."""

import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Any, Optional

from panto import _core

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_FLAGS = (
    "--headless", "--remote-debugging-pipe", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--hide-scrollbars", "--mute-audio",
)  # fmt: skip
# puts two descriptors where the browser looks for them, and becomes the browser
_START = "import os, sys; [os.dup2(int(sys.argv[i]), i + 2) for i in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"


def find(browser: Optional[str]) -> str:
    """Returns the browser's program: `browser`, else $PANTO_BROWSER, else what is installed."""
    wanted = browser or os.environ.get("PANTO_BROWSER")
    found = [path for name in ([wanted] if wanted else NAMES) if (path := shutil.which(name))]
    if found:
        return found[0]
    if wanted:
        raise _core.ConfigError(f"browser '{wanted}': no program of this name; give Chromium or Chrome, as in --browser /usr/bin/chromium")
    raise _core.ConfigError("pictures need Chromium or Chrome: apt-get install chromium, or name one with --browser or PANTO_BROWSER")


class Browser:
    """One tab of a browser of its own. Use it in a `with`."""

    def __init__(self, program: str, timeout: float) -> None:
        self._deadline = time.monotonic() + timeout
        self._timeout = timeout
        self._count = 0
        self._unread = b""
        self._session: Optional[str] = None
        self._folder = tempfile.TemporaryDirectory(prefix="panto_browser_", ignore_cleanup_errors=True)
        # the browser reads commands from descriptor 3 and answers on 4; those that are given are above both
        reads, self._to = os.pipe()
        self._from, writes = os.pipe()
        given = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (reads, writes)]
        words = [program, *_FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"]
        if os.geteuid() == 0:  # the browser refuses to lock root in
            words.insert(1, "--no-sandbox")
        with open(pathlib.Path(self._folder.name) / "log", "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _START, *map(str, given), *words],
                pass_fds=given, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        for end in (reads, writes, *given):
            os.close(end)
        try:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Ends the browser."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for end in (self._to, self._from):
            os.close(end)
        self._folder.cleanup()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Returns the answer to one command of the DevTools protocol."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        try:
            left = memoryview(json.dumps(message).encode() + b"\0")
            while left:
                left = left[os.write(self._to, left) :]
        except BrokenPipeError:
            raise self._ended() from None
        while True:
            answer = json.loads(self._message())
            if answer.get("id") != self._count:
                continue  # an event
            if "error" in answer:
                raise _core.Error(f"the browser refused {method}: {answer['error'].get('message', answer['error'])}")
            result: dict[str, Any] = answer["result"]
            return result

    def evaluate(self, expression: str) -> Any:
        """Returns the value of an expression in the page, awaited. What it throws is an Error."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            text = thrown.get("description") or answer["exceptionDetails"].get("text", "")
            raise _core.Error(text.split("\n")[0].removeprefix("Error: "))
        return answer["result"].get("value")

    def _message(self) -> bytes:
        while b"\0" not in self._unread:
            waits = self._deadline - time.monotonic()
            if waits <= 0 or not select.select([self._from], [], [], waits)[0]:
                raise _core.Error(f"the browser did not finish within {self._timeout:g} s; give it more time, or ask for less")
            more = os.read(self._from, 1 << 20)
            if not more:
                raise self._ended()
            self._unread += more
        message, _, self._unread = self._unread.partition(b"\0")
        return message

    def _ended(self) -> Exception:
        log = (pathlib.Path(self._folder.name) / "log").read_text(errors="replace").strip().split("\n")
        return _core.Error(f"the browser ended by itself; its last words: {log[-1][:200] or 'none'}")
