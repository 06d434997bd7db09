"""Decks of scenes: data in TOML, checked as a whole, and read anew when they are saved. No HTTP here."""
