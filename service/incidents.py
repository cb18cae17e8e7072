"""What happens to an error that nobody foresaw: its text goes to the log, its number to the caller."""

from __future__ import annotations

import logging
import secrets

logger = logging.getLogger("sawyer")


def incident(error: BaseException, where: str) -> str:
    """Log the error with its traceback and return what a caller may see of it."""
    number = secrets.token_hex(4)
    logger.error("incident %s in %s", number, where, exc_info=error)
    return (
        f"something went wrong here (incident {number}); the server's log holds the cause under that number"
    )
