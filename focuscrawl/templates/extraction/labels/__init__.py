"""Labels on a page (电话, 地址 …) and the values that belong to them."""
