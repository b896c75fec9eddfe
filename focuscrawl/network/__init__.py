"""Rules for hosts and servers, without Scrapy: forbidden addresses, waiting times, failure names."""
