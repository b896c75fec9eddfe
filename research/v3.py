exec(open('/tmp/heart/v2.py').read())
def make3(w,bonus,slope=1.,prior=.3,weight=4.,least=-9):
    """Adaptive exploration: the bonus moves with the log-odds of the share of explored sites that had a relevant page."""
    Base=make(w,0)
    class V3(Base):
        def __init__(s): super().__init__(); s.good=set(); s.tried=set()
        def judged(s,url,trail,rel):
            h=site_of(url); s.tried.add(h)
            if rel: s.good.add(h)
            super().judged(url,trail,rel)
        def score(s,trail,p):
            t=super().score(trail,p)
            site=site_of(trail.link.url)
            if not s._sites.pages(site):
                share=(len(s.good)+prior*weight)/(len(s.tried)+weight)
                t+=max(least,bonus+slope*(L(share)-L(prior)))
            return t
    return V3
