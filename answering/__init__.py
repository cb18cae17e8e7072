"""From passages to one exact sentence, or to an honest "not in this text"."""
