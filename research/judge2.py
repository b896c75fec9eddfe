src=open('/tmp/heart/judge.py').read().split('texts={}')[0]
exec(src)
def f(pred,truth):
    tp=sum(1 for u in pred if pred[u] and truth.get(u)); p=sum(pred.values()); r=sum(1 for u in pred if truth.get(u))
    return f'P {tp/max(p,1):.3f} R {tp/max(r,1):.3f} F1 {2*tp/max(p+r,1):.3f}'
def hubs(): pass
for share in (.5,.7,.9):
    texts={}
    for h,us in byhost.items():
        us=us[:]; random.Random(h).shuffle(us); texts.update(stripped(us,share=share,least=3))
    for t in TOPICS:
        topic,truth,V,sc,_=TOPICS[t]
        us=[u for u in truth if u in web[0]]
        b={u:page_relevance(topic,web[0][u][0],texts[u]).relevant for u in us}; print(share,t,f(b,truth),flush=True)
        # first 1500 characters only
        b={u:page_relevance(topic,web[0][u][0],texts[u][:1500]).relevant for u in us}; print(share,t,'1500',f(b,truth),flush=True)
