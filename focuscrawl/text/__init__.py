"""Text processing: charsets, normal forms, tokens, main text, dates, places."""
