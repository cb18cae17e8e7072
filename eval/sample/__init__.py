"""The bundled sample: a story written for this project, with questions it answers and others it does not."""
