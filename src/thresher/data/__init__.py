"""Where examples come from, and what their attributes are called."""
