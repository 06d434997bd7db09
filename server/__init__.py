"""Trickle: a streaming token-latency demo server.

`latency` is the pure core (settings, schedule, pacing, texts); `scenes` are the decks; `web` speaks HTTP and
nothing of time; `measure` is a client, which knows none of these; `cli` is the command of all. Installed, this
package is called `token_trickle`; every import inside it is relative.
"""
