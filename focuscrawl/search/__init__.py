"""Search of numbered articles: portable index terms, queries, ranking, snippets."""
