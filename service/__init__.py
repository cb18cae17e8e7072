"""Everything that runs: reading, embedding, stores, retrieval, the pipeline and its surfaces."""
