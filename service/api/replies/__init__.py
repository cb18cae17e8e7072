"""What the native routes give: the wire form of our values, and the way back.

The server and `service.client` share these models, so that a value survives the journey unchanged.
Offsets are code points.
"""
