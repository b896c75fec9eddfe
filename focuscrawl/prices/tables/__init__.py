"""Price quotes of table rows and of records of a label and a value."""
