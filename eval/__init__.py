"""The laboratory: data sets, metrics and the commands that measure Sawyer with them.

Each command runs as ``python -m eval.NAME``; importing this package loads nothing.
"""
