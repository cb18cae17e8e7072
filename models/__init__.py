"""Small trained artefacts, each with a card; read through ``core.artifacts``."""
