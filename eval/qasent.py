"""``python -m eval.qasent``: answer sentence selection on QASent.

``clean`` counts the questions with both kinds of sentence, ``raw`` all of them, those without an answer as 0.
For evaluation only: nothing is fitted on newswire. Equal scores are in the order of the sentences' digests,
since the files put the right ones first. Without a data folder it scores the bundled sample.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import cast

from eval.command import Command
from eval.datasets.qasent import QASENT, SPLITS, Split, read_qasent, split_file
from eval.selection_command import SelectionSet, add_arguments, run

PROGRAM = "python -m eval.qasent"

_SET = SelectionSet(
    QASENT,
    read=lambda folder, split: read_qasent(folder, cast("Split", split)),
    files=lambda folder, split: [split_file(folder, cast("Split", split))],
    shown={"clean": "filtered", "raw": "all"},
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
