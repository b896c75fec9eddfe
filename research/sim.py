"""Offline crawl of the recorded web with focuscrawl's own policy classes."""
import sys,json,csv,pickle,heapq,random,math,collections
from pathlib import Path
from focuscrawl.policy.topical_crawl import TopicalCrawl,JudgedPage
from focuscrawl.policy.sparse_tunnel import Tunnel,TunnelRules,Mode,steps_of
from focuscrawl.policy.online_statistics import OnlineStatistics,Trail,site_of
from focuscrawl.policy.online_learner import OnlineLearner
from focuscrawl.policy import link_orders as orders
from focuscrawl.frontier.frontier_entries import State
from focuscrawl.pages.link import Link
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.model_files.scorer_loading import PageRuleJudge,load_scorer,load_page_judge,judge_at
from focuscrawl.topics import load_topic
R=Path('/work/shared/replay')
TOPIC={'finance':'finance','ml':'machine-learning','security':'security'}
def load_web(): return pickle.load(open('/tmp/heart/web.pkl','rb'))
def truth_of(t):
    if t=='finance': p=R/'finance/truth_finance.csv'
    else: p=R/f'blogs/truth_{TOPIC[t]}.csv'
    return {canonical_or_same(r['url']):r['relevant']=='1' for r in csv.DictReader(open(p))}
def seeds_of(t):
    if t=='finance': return json.load(open(R/'finance/seeds_finance.json'))['finance']
    return json.load(open(R/'blogs/seeds.json'))[TOPIC[t]]
class RuleVerdicts:
    """Cache of verdicts by URL."""
    def __init__(self,judge,pages): self.j=judge;self.p=pages;self.c={}
    def __call__(self,url):
        if url not in self.c:
            t,x,_=self.p[url]; (s,)=judge_at(self.j,url).score([(t,x)]); self.c[url]=(s.probability,s.relevant)
        return self.c[url]
def crawl(web,topic,seeds,*,scorer,verdict,budget,mode='sparse-tunnel',order='stats',learn=True,truth=None,inflight=1,seed=0,rules=None,stats_cls=OnlineStatistics,hook=None,on=None):
    pages,red=web; rng=random.Random(seed)
    scorer=CachedScorer(scorer)
    learner=OnlineLearner(scorer)
    stats=stats_cls() if learn else None
    if mode=='breadth': o=orders.ByArrival()
    elif stats: o=orders.ByStatistics(stats)
    elif order=='oracle': o=orders.ByTruth(truth)
    elif order=='keyword-front': o=orders.KeywordsFirst(topic.words)
    else: o=orders.ByClassifier()
    c=TopicalCrawl(Tunnel(rules or TunnelRules(Mode(mode))),o,stats,topic.is_blacklisted)
    st={};ent={};heap=[];n=0;wait=collections.Counter();log=[]
    def push(url,score,trail,steps,depth):
        nonlocal n
        n+=1
        if url in st:
            e=ent.get(url)
            if e and st[url] is State.WAITING and score>e[0]:
                ent[url]=(score,e[1],*([trail,steps,depth])); heapq.heappush(heap,(-score,e[1],url))
            return
        st[url]=State.WAITING; ent[url]=(score,n,trail,steps,depth); wait[site_of(url)]+=1
        heapq.heappush(heap,(-score,n,url))
    def rescore(pred):
        us=[u for u in ent if st[u] is State.WAITING and pred(u)]
        ls=scorer.score([ent[u][2].link for u in us])
        for u,l in zip(us,ls):
            e=ent[u]; s=stats.score(e[2],l.probability)
            if s!=e[0]: ent[u]=(s,*e[1:]); heapq.heappush(heap,(-s,e[1],u))
    def pop():
        while heap:
            s,k,u=heapq.heappop(heap)
            e=ent.get(u)
            if e and st[u] is State.WAITING and e[0]==-s: 
                st[u]=State.LEASED if hasattr(State,'LEASED') else 'leased'; wait[site_of(u)]-=1; return u
        return None
    ls=scorer.score([Link(canonical_or_same(s)) for s in seeds])
    for l,s in zip(ls,o.scores('',True,ls)): push(l.link.url,s,Trail(l.link,''),0,0)
    done=set();fl=[]
    while len(log)<budget:
        while len(fl)<inflight and (u:=pop()): fl.append(u)
        if not fl: break
        u=fl.pop(rng.randrange(len(fl)) if inflight>1 else 0)
        e=ent.pop(u); st[u]='done'
        v=u;k=0
        while v in red and k<9: v=red[v];k+=1
        if v!=u and st.get(v) =='done': continue
        if v not in pages:
            c.failed(u,e[2]); 
            if stats and (d:=stats.changed_domain(site_of(u))): rescore(lambda w:site_of(w).endswith(d))
            continue
        st[v]='done'; ent.pop(v,None)
        p,rel=verdict(v); t,x,links=pages[v]
        sc=scorer.score(links)
        page=JudgedPage(v,e[2],e[3],e[4],rel,sc,x)
        known=lambda us:{w:(s if isinstance(s:=st[w],State) else State.DONE) for w in us if w in st}
        ch=c.choose_links(page,known,lambda ss:{s:wait[s] for s in ss})
        log.append((v,rel,e[0],e[2],p))
        if hook: hook(v,rel,e)
        if on: on(ent,st)
        if ch.is_site_given_up:
            for w in [w for w in ent if st[w] is State.WAITING and site_of(w)==site_of(v)]: st[w]='dropped'; ent.pop(w); wait[site_of(w)]-=1
        if stats:
            if learner.add(e[2].link,rel): rescore(lambda w:True)
            elif stats.is_due(site_of(v)): s=site_of(v); rescore(lambda w:site_of(w)==s)
            if (d:=stats.changed_domain(site_of(v))): rescore(lambda w:site_of(w).endswith(d))
        for f in ch.followed: push(f.link.url,f.score,Trail(f.link,v),f.steps,e[4]+1)
    return log
def harvest(log,truth,ns=(200,500,1000)):
    return [round(sum(truth.get(r[0],False) for r in log[:n])/n,3) for n in ns]
