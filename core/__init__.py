"""What crosses every floor: values, protocols, errors, text, artefacts.

Imports nothing from the floors above (``chunkers``, ``answering``, ``service``, ``eval``).
"""
