"""Price quotes from table rows and from records of labelled lines."""
