"""Sites of firms in the demo web, and the search engines that find them."""
