# sample waiting links with features during crawls; label = truth of target (after redirects)
exec(open('/tmp/heart/grid.py').read())
import focuscrawl.policy.online_statistics as OS, pickle
rows=[]
L=OS._logit
def feats(stats,trail,p,verd,n):
    url=trail.link.url; s=site_of(url); pg=stats._sites.pages(s); r=stats._sites.rate(s,.15)
    path=L(stats._paths.rate(OS.path_pattern(url),r))-L(r); sib=L(stats._siblings.rate(trail.via,r))-L(r)
    via=verd.get(trail.via); same=site_of(trail.via)==s
    return [L(p),L(r) if pg else 0,path,sib,math.log1p(pg),float(pg==0),float(via is True and same),float(via is False and same),float(via is True and not same),float(via is False and not same),float(leads(trail.link))]
leads=OS.leads_out
web_pages,red=web
def final(u):
    k=0
    while u in red and k<9: u=red[u];k+=1
    return u
rng=random.Random(1)
def sample(t,n,s,cls,kw,budget=600):
    topic,truth,V,sc,_=TOPICS[t]
    verd={}
    state={}
    class S(cls):
        def __init__(self): super().__init__(); state['s']=self
    def hook(v,rel,e): verd[v]=rel
    import builtins
    # reimplement hook with access to ent through closure: use global
    global HOOK
    cnt=[0]
    def on(ent,st):
        cnt[0]+=1
        if cnt[0]%8: return
        ws=[u for u in ent if st[u] is State.WAITING]
        for u in rng.sample(ws,min(12,len(ws))):
            f=final(u)
            if f not in web_pages: continue
            tr=ent[u][2]; p=sc.score([tr.link])[0].probability
            rows.append((t,n,u,cnt[0],int(truth.get(f,False)),feats(state['s'],tr,p,verd,cnt[0])))
    log=crawl(web,topic,s,scorer=sc,verdict=V,budget=budget,truth=truth,stats_cls=S,hook=hook,on=on,**kw)
for t in TOPICS:
    for n,s in TOPICS[t][4].items():
        for kw in ({},):
            sample(t,n,s,Alias,kw)
        print(t,n,len(rows),flush=True)
pickle.dump(rows,open('/tmp/heart/rows.pkl','wb'))
