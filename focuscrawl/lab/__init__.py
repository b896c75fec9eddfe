"""The lab: comparison of crawl policies on a recorded web, each by a real crawl."""
