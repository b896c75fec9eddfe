exec(open('/tmp/heart/v3.py').read())
W1={**W,'log':-.3}
for b,sl in ((2,0),(3,0),(3,1),(3,2),(4,2)): show(f'log-.3 bonus {b} slope {sl}',run(cls=make3(W1,b,sl)))
for ch in (dict(sib=.3),dict(sib=.3,path=.5),dict(site=.2),dict(site=.5),dict(log=-.5),dict(vi=-.5)): show(f'3/1 {ch}',run(cls=make3({**W1,**ch},3,1)))
