"""Measuring: a client that asks a server for streams and tells how they trickled in.

It knows the wire of `/stream`, OpenAI's dialect, and the format of a recording; of our own server it knows
nothing, so that its figures say what any client would see.
"""
