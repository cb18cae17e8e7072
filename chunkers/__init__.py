"""Text to spans. A chunker says where to cut; only `chunkers.base.chunk_document` makes chunks."""
