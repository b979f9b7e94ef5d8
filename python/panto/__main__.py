"""Runs the command: `python -m panto retarget dance.bvh --robot g1`."""

import os
import pathlib
import sys


def main() -> None:
    """Replaces this process by the command that the package brings."""
    command = pathlib.Path(__file__).parent / "bin" / "panto"
    if not command.is_file():
        sys.exit(f"panto: the command is not beside the package ({command.name} missing in panto/bin); install the wheel")
    os.execv(command, ["panto", *sys.argv[1:]])


if __name__ == "__main__":
    main()
