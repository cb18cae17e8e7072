"""``python -m eval.selqa``: answer sentence selection on SelQA.

Over the questions with both kinds of sentence. Equal scores keep the order of the file. Without a data folder
it scores the bundled sample.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import cast

from eval.command import Command
from eval.datasets.selqa import SELQA, SPLITS, Split, read_selqa, split_file
from eval.selection_command import SelectionSet, add_arguments, run

PROGRAM = "python -m eval.selqa"

_SET = SelectionSet(
    SELQA,
    read=lambda folder, split: read_selqa(folder, cast("Split", split)),
    files=lambda folder, split: [split_file(folder, cast("Split", split))],
    shown={"filtered": "filtered"},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    add_arguments(parser, SPLITS)
    options = parser.parse_args(command.given)
    return command.run(options, lambda: run(options, command, _SET))


if __name__ == "__main__":
    sys.exit(main())
