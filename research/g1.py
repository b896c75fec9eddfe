exec(open('/tmp/heart/grid.py').read())
print(list((t,n) for t in TOPICS for n in TOPICS[t][4]))
t0=time.time(); show('base',run()); print(time.time()-t0)
show('lexicon',run(order='lexicon')); show('kwfront',run(order='keyword-front'))
show('alias',run(cls=Alias))
for kw in [dict(_LINK=1.0),dict(_UNKNOWN_SITE=3.0),dict(_UNKNOWN_SITE=1.0),dict(_LINK=1.0,_UNKNOWN_SITE=3.0),dict(_LINK=1.0,_UNKNOWN_SITE=1.5),dict(_LINK=1.0,_PER_LOG_PAGE=0.),dict(_LINK=1.0,_UNKNOWN_SITE=3.0,_PER_LOG_PAGE=0.),dict(_LINK=1.0,_UNKNOWN_SITE=3.0,_SITE=.35)]:
    show(str(kw),run(cls=Alias,**kw))
