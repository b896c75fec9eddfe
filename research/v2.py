exec(open('/tmp/heart/grid.py').read())
L=OS._logit
def make(w,bonus,cap=None):
    class V2(Alias):
        def __init__(s): super().__init__(); s.rel={}
        def judged(s,url,trail,rel): s.rel[url]=rel; super().judged(url,trail,rel)
        def score(s,trail,p):
            url=trail.link.url; site=site_of(url); pages=s._sites.pages(site)
            rate=s._sites.rate(site,.15); b=0.
            if not pages:
                rate,x=s._unknown_site(site); b=bonus if x else 0.
            of=L(rate); same=site_of(trail.via)==site; via=s.rel.get(trail.via)
            tot=w['L']*L(p)+w['site']*of+w['path']*(L(s._paths.rate(OS.path_pattern(url),rate))-of)+w['sib']*(L(s._siblings.rate(trail.via,rate))-of)+w['log']*math.log1p(pages)+b
            if via is not None:
                tot+= (w['vr'] if via else w['vi']) if same else (w['xr'] if via else w['xi'])
            if not OS.leads_out(trail.link): return tot
            worth=1/(1+math.exp(-max(min(tot,30.),-30.)))+OS._LEADS_OUT/(1+OS._WEARS_OFF*s._outward.pages(site))
            return max(tot,L(min(worth,OS._MOST)))
    return V2
W=dict(L=1.,site=.3,path=.2,sib=.0,log=0.,vr=0.,vi=-1.,xr=2.,xi=-.5)
