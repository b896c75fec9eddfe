import sys
sys.path.insert(0,'/tmp/heart')
from sim import *
web=load_web(); t,name=sys.argv[1:3]
topic=load_topic(TOPIC[t]); truth=truth_of(t)
V=RuleVerdicts(PageRuleJudge(topic),web[0])
T=lambda u:(float(truth.get(u,False)),truth.get(u,False))
seeds=seeds_of(t)[name]
avail=collections.Counter(site_of(u) for u in truth if truth[u]); size=collections.Counter(site_of(u) for u in web[0])
for lab,kw in {'default':{}, 'truth':{'verdict':T},'lexicon':{'learn':False,'mode':'best-first'}}.items():
    log=crawl(web,topic,seeds,**{'scorer':LexiconScorer(topic),'verdict':V,'budget':500,'truth':truth,**kw})
    for n in (200,500):
        print('==',lab,n,harvest(log,truth,(n,)))
        c=collections.Counter(site_of(r[0]) for r in log[:n]); rel=collections.Counter(site_of(r[0]) for r in log[:n] if truth.get(r[0])); own=collections.Counter(site_of(r[0]) for r in log[:n] if r[1])
        print('  sites',len(c),'one page',sum(v==1 for v in c.values()),' '.join(f'{s}:{k}p/{rel[s]}t/{own[s]}own(of {avail[s]}/{size[s]})' for s,k in c.most_common(16)))
    if len(sys.argv)>3 and lab==sys.argv[3]:
        for i,r in enumerate(log[:int(sys.argv[4])]): print(i,int(truth.get(r[0],0)),int(r[1]),round(r[2],2),r[0][:80],'|',r[3].link.anchor[:30],'|',site_of(r[3].via))
