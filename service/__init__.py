"""Everything that runs: reading, embedding, stores, retrieval, the pipeline and its surfaces.

    a text comes in    reading, decoding, naming; indexer makes chunks and windows; embedding, provider
    it is kept         catalog (the truth); lexical, vectors and hnsw_files (the engines); stores (in step)
    a question         retrieval, pipeline
    people and others  cli, api, client, page; wording (what all of them say)
    one process        settings, ownership, serving, listening, jobs, queued, incidents, sample

`values` holds what goes in and comes out, and the protocol `Sawyer` that every surface knows.
"""
