"""Web views of what the crawls have stored: prices, articles, records, pages and runs."""
