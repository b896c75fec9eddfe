"""Names of organisations and postal addresses, found in text."""
