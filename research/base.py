import time,sys
sys.path.insert(0,'/tmp/heart')
from sim import *
web=load_web()
for t in sys.argv[1:] or ['finance','ml','security']:
    topic=load_topic(TOPIC[t]); truth=truth_of(t)
    V=RuleVerdicts(PageRuleJudge(topic),web[0])
    T=lambda u:(float(truth.get(u,False)),truth.get(u,False))
    for name,seeds in seeds_of(t).items():
        t0=time.time()
        for lab,kw in {'default':{}, 'truth-judge':{'verdict':T},'lexicon nolearn':{'learn':False,'mode':'best-first'},'kw-front':{'learn':False,'order':'keyword-front','mode':'best-first'},'breadth':{'mode':'breadth','learn':False},'oracle':{'learn':False,'order':'oracle','verdict':T,'mode':'best-first'}}.items():
            log=crawl(web,topic,seeds,**{'scorer':LexiconScorer(topic),'verdict':V,'budget':1000,'truth':truth,**kw})
            print(t,name,lab,harvest(log,truth),len(log),'own',harvest([r for r in log],{r[0]:r[1] for r in log}),flush=True)
        print(round(time.time()-t0),'s')
