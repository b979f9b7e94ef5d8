"""What the tests of the command share: exit codes and what an answer must look like."""

import contextlib
import http.client
import json
import re
import signal
import subprocess

GOOD, CHECK_FAILED, USAGE, UNUSABLE = 0, 1, 2, 3


def refused(result, code, *words):
    """The run ended with `code` and its last line names all `words`."""
    assert result.returncode == code, result.stderr
    line = result.stderr.strip().splitlines()[-1]
    for word in words:
        assert str(word) in line, line
    assert result.stdout == ""


def card_of(result):
    assert result.returncode == GOOD, result.stderr
    assert result.stdout.count("\n") == 1 and result.stdout.endswith("}\n"), "one object, and nothing else"
    return json.loads(result.stdout)


@contextlib.contextmanager
def viewing(panto, *words, cwd=None):
    """Runs panto view; yields a function from path and headers to (status, text). Ends it as Ctrl-C does."""
    process = subprocess.Popen([panto, "view", "--no-open", *map(str, words)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        address = re.match(r"http://127\.0\.0\.1:(\d+)/ ", line)
        assert address, line + process.stderr.read()

        def ask(path, method="GET", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", int(address[1]), timeout=60)
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            return answer.status, text

        yield ask
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0, "Ctrl-C is how it ends"
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
