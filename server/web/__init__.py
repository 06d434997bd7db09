"""HTTP: parse → build → respond. When something is due is `latency`'s business, never decided here."""
