"""First page of the web views, and the choice of the language."""
