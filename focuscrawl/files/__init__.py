"""Text of files: PDF, Word, Excel and CSV. Nothing here is imported but in worker processes."""
