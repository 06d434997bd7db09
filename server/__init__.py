"""Trickle: a streaming token-latency demo server.

`latency` is the pure core (settings, schedule, pacing, texts); `web` speaks HTTP and nothing of time;
`cli` launches it. Installed, this package is called `token_trickle`; every import inside it is relative.
"""
