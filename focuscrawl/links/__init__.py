"""Links with their contexts, the Naive Bayes link classifier, its training and its scores."""
