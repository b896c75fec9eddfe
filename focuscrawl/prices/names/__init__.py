"""Names of firms, and the subjects of prices."""
