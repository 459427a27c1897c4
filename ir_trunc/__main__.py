"""`ir_trunc` and `python -m ir_trunc`: the command line, in a process of its own."""

import atexit
import gc
import sys


def main() -> int:
    """Run the command line; returns the exit status."""
    # To look for cycles among modules that stay takes longer than a small run takes to score.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    from ir_trunc._cli.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
