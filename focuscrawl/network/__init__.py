"""Rules for hosts and servers, without Scrapy: addresses that pages may not lead to, and waiting times."""
