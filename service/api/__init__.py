"""Sawyer over HTTP: one router per wire format, over the same `Sawyer` as everybody else."""
