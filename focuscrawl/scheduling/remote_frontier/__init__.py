"""Access of a crawl to a frontier on a server that several workers share."""
