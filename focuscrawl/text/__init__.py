"""Reading text from the web: charsets, normalising."""
