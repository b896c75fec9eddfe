import sys,pickle,csv,gc
from urllib.parse import urljoin
from w3lib.encoding import http_content_type_encoding
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.text.page_charset import detect
pages={};red={}
gc.disable()
for w in sys.argv[2:]:
    for p in recorded_pages(w):
        u=canonical_or_same(p.url)
        if p.location and 300<=p.status<400: red[u]=canonical_or_same(urljoin(p.url,p.location))
        elif p.status==200 and 'html' in p.content_type.lower():
            cs=detect(p.body,http_content_type_encoding(p.content_type) or '')
            d=parse_page(p.body.decode(cs,'replace'),p.url,charset=cs)
            pages[u]=(d.title,d.text,d.links)
    print(w,len(pages),len(red))
pickle.dump((pages,red),open(sys.argv[1],'wb'),-1)
