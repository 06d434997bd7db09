"""OpenAI's dialect, for clients that speak it: what is asked and answered in it. Of timing it knows nothing."""
