"""What the chat page shows and what its buttons do; `gradio_app` lays it out."""
