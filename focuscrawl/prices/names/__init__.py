"""Names beside prices: firms, and the subject that a price belongs to."""
