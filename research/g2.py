exec(open('/tmp/heart/v2.py').read())
for b in (1,2,3,4): show(f'W bonus {b}',run(cls=make(W,b)))
for ch in (dict(site=.6),dict(sib=.3),dict(xr=0.),dict(vi=0.),dict(path=.5),dict(log=-.3),dict(L=.7)): show(f'bonus 2 {ch}',run(cls=make({**W,**ch},2)))
