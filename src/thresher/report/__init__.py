"""Self-contained pages: what a run was, as a browser or a printer shows it."""
