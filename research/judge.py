# precision/recall of the page rule with and without template lines; sequential in random order per host
exec(open('/tmp/heart/grid.py').read())
from focuscrawl.topics import page_relevance
rng=random.Random(5)
byhost=collections.defaultdict(list)
for u in web[0]: byhost[site_of(u)].append(u)
def stripped(order,least=2,share=.5,k=3):
    out={};cnt=collections.Counter();n=0
    for u in order:
        w=web[0][u][1].split(); sh=[hash(tuple(w[i:i+k])) for i in range(max(0,len(w)-k+1))]
        if n>=least:
            drop=[False]*len(w)
            for i,x in enumerate(sh):
                if cnt[x]>=share*n:
                    for j in range(i,i+k): drop[j]=True
            out[u]=' '.join(x for x,d in zip(w,drop) if not d)
        else: out[u]=web[0][u][1]
        n+=1
        for x in set(sh): cnt[x]+=1
    return out
texts={}
for h,us in byhost.items():
    us=us[:]; rng.shuffle(us); texts.update(stripped(us))
print('mean length',sum(len(web[0][u][1]) for u in texts)/len(texts),sum(map(len,texts.values()))/len(texts))
def f(pred,truth):
    tp=sum(1 for u in pred if pred[u] and truth.get(u)); p=sum(pred.values()); r=sum(1 for u in pred if truth.get(u))
    return f'P {tp/max(p,1):.3f} R {tp/max(r,1):.3f} F1 {2*tp/max(p+r,1):.3f} ({p} judged, {r})'
for t in TOPICS:
    topic,truth,V,sc,_=TOPICS[t]
    us=[u for u in truth if u in web[0]]
    a={u:V(u)[1] for u in us}; print(t,'whole',f(a,truth),flush=True)
    for ms in (4,6,8,12):
        tp=topic.model_copy(update={'page_rule':topic.page_rule.model_copy(update={'min_score':ms})}) if hasattr(topic,'model_copy') else topic
        b={u:page_relevance(tp,web[0][u][0],texts[u]).relevant for u in us}; print(t,'template off, min',ms,f(b,truth),flush=True)
