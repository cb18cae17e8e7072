"""The catalog's tables."""

from __future__ import annotations

APPLICATION_ID = 0x53415759  # "SAWY": tells our file from any other SQLite database
VERSION = 1

# A generation is retrievable when a document names it; any other is hidden and waits for a purge.
# There is no half-written one: its rows come in the transaction that makes it retrievable.
# `checksum` columns are CRC-32 of the row's content: SQLite itself does not notice a changed byte.
SCHEMA = """
CREATE TABLE documents (
    number          INTEGER PRIMARY KEY,             -- order of arrival
    id              TEXT NOT NULL UNIQUE,
    collection      TEXT NOT NULL,
    source          TEXT NOT NULL,
    title           TEXT NOT NULL,                   -- of the latest attempt, as are the next three
    content_digest  TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'failed', 'deleted')),
    reason          TEXT NOT NULL DEFAULT '',
    error_code      TEXT NOT NULL DEFAULT '',
    generation      INTEGER UNIQUE REFERENCES generations (number),
    updated_at      TEXT NOT NULL
) STRICT;
CREATE INDEX documents_by_collection ON documents (collection, source);

CREATE TABLE generations (
    number          INTEGER PRIMARY KEY,             -- a serial: never used twice, crash or not
    document_id     TEXT NOT NULL,
    collection      TEXT NOT NULL,
    title           TEXT NOT NULL,
    content_digest  TEXT NOT NULL,
    strategy        TEXT NOT NULL,
    strategy_digest TEXT NOT NULL,
    embedder        TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    index_mode      TEXT NOT NULL CHECK (index_mode IN ('windows', 'chunks')),
    metadata        TEXT NOT NULL,                   -- JSON object
    notices         TEXT NOT NULL,                   -- JSON list of [code, detail]
    characters      INTEGER NOT NULL,
    chunks          INTEGER NOT NULL,
    windows         INTEGER NOT NULL,
    dim             INTEGER NOT NULL,
    windows_checksum INTEGER NOT NULL,               -- of all window rows together
    pairs_checksum  INTEGER NOT NULL,
    pairs           BLOB NOT NULL                    -- (m, 2) int32 little-endian: window, chunk
) STRICT;
CREATE INDEX generations_by_content ON generations (collection, content_digest);

CREATE TABLE texts (
    generation      INTEGER PRIMARY KEY REFERENCES generations (number),
    text            TEXT NOT NULL,
    checksum        INTEGER NOT NULL
) STRICT;

CREATE TABLE chunks (
    generation      INTEGER NOT NULL REFERENCES generations (number),
    position        INTEGER NOT NULL,
    id              TEXT NOT NULL,
    start           INTEGER NOT NULL,
    stop            INTEGER NOT NULL,
    chapter         TEXT NOT NULL,                   -- JSON list of headings
    index_text      TEXT,
    checksum        INTEGER NOT NULL,
    PRIMARY KEY (generation, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunks_by_id ON chunks (id);

CREATE TABLE windows (
    number          INTEGER PRIMARY KEY,
    generation      INTEGER NOT NULL REFERENCES generations (number),
    position        INTEGER NOT NULL,
    start           INTEGER NOT NULL,
    stop            INTEGER NOT NULL,
    vector          BLOB NOT NULL                    -- (dim,) float32 little-endian
) STRICT;
CREATE UNIQUE INDEX windows_by_generation ON windows (generation, position);

CREATE TABLE collections (
    name            TEXT PRIMARY KEY,
    revision        INTEGER NOT NULL                 -- a serial
) STRICT, WITHOUT ROWID;

CREATE TABLE derived (
    kind            TEXT NOT NULL CHECK (kind IN ('lexical', 'vectors')),
    collection      TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,                   -- '' for a lexical index
    directory       TEXT NOT NULL UNIQUE,
    seal            TEXT,                            -- NULL: dirty, to be written anew
    PRIMARY KEY (kind, collection, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE housekeeping (
    serial          INTEGER NOT NULL,                -- the last one given
    unforgotten     INTEGER NOT NULL                 -- 1: rows were removed whose bytes may still be here
) STRICT;
INSERT INTO housekeeping VALUES (0, 0);
"""
