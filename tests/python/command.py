"""What the tests of the command share: exit codes and what an answer must look like."""

import json

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
