"""Routes of the pages of articles."""

from __future__ import annotations

from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles import article_pages, edit_pages, own_pages
from focuscrawl.web.page_routes import PageRoute

ROUTES = (
    PageRoute("/articles", article_pages.front_page, Permission.READ),
    PageRoute("/articles/search", article_pages.list_page, Permission.READ),
    PageRoute("/articles/feeds/{token}.atom", own_pages.feed, Permission.PUBLIC),
    PageRoute("/articles/{url_md5}", article_pages.article_page, Permission.READ),
    PageRoute("/articles/{url_md5}/related", article_pages.related_page, Permission.READ),
    PageRoute("/articles/{url_md5}/like", own_pages.like, Permission.KEEP, ("POST",)),
    PageRoute("/articles/{url_md5}/keep", own_pages.keep, Permission.KEEP, ("POST",)),
    PageRoute("/articles/{url_md5}/edit", edit_pages.edit_page, Permission.EDIT),
    PageRoute("/articles/{url_md5}/edit", edit_pages.edit, Permission.EDIT, ("POST",)),
    PageRoute("/articles/{url_md5}/withdraw", edit_pages.withdraw, Permission.EDIT, ("POST",)),
    PageRoute("/mine", own_pages.own_page, Permission.KEEP),
    PageRoute("/mine/searches", own_pages.save_search, Permission.KEEP, ("POST",)),
    PageRoute(
        "/mine/searches/{number:number}", own_pages.change_search, Permission.KEEP, ("POST",)
    ),
)
