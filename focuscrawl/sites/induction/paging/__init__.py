"""Links to further pages: pagers, numbers, buttons, and the paging of JSON lists."""
