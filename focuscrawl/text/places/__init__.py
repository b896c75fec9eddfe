"""Places of China: their names, levels and provinces, for prices and contact data."""
