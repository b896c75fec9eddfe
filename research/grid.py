import sys,time,itertools,json
sys.path.insert(0,'/tmp/heart')
from sim import *
import focuscrawl.policy.online_statistics as OS
class Memo:
    can_learn=False
    def __init__(s,inner): s.i=inner; s.m={}; s.name=inner.name
    def score(s,links):
        new=[l for l in dict.fromkeys(links) if l not in s.m]
        if new:
            for l,r in zip(new,s.i.score(new)): s.m[l]=r
        return [s.m[l] for l in links]
web=load_web()
TOPICS={}
for t in TOPIC:
    topic=load_topic(TOPIC[t]); TOPICS[t]=(topic,truth_of(t),RuleVerdicts(PageRuleJudge(topic),web[0]),Memo(LexiconScorer(topic)),seeds_of(t))
def run(budget=500,ns=(200,500),seeds=None,cls=OnlineStatistics,inflight=1,topics=TOPIC,rules=None,order=None,detail=False,**consts):
    old={k:getattr(OS,k) for k in consts}
    for k,v in consts.items(): setattr(OS,k,v)
    out={}
    try:
        for t in topics:
            topic,truth,V,sc,sets=TOPICS[t]
            for n,s in sets.items():
                kw={'learn':False,'mode':'best-first','order':order} if order else {}
                log=crawl(web,topic,s,scorer=sc,verdict=V,budget=budget,truth=truth,stats_cls=cls,inflight=inflight,rules=rules,**kw)
                out[t,n]=harvest(log,truth,ns)
    finally:
        for k,v in old.items(): setattr(OS,k,v)
    return out
def show(label,out):
    by=collections.defaultdict(list)
    for (t,n),h in out.items(): by[t].append(h)
    print(label,' | '.join(t+' '+' '.join(f'{sum(x)/len(x):.3f}' for x in zip(*hs)) for t,hs in by.items()),' || ',' '.join(f'{h[0]:.2f}/{h[1]:.2f}' for h in out.values()),flush=True)
class Alias(OnlineStatistics):
    """Counts a page at the site asked, too."""
    def judged(self,url,trail,rel):
        super().judged(url,trail,rel)
        a=site_of(trail.link.url)
        if a!=site_of(url): self._add_to_site(a,rel)
