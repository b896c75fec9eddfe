"""Price quotes out of free text."""
