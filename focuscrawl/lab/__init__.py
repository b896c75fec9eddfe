"""The lab: crawl policies compared on one recorded web, each by a real crawl."""
