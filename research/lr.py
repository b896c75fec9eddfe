import pickle,numpy as np
from sklearn.linear_model import LogisticRegression
rows=pickle.load(open('/tmp/heart/rows.pkl','rb'))
names=['L','site','path','sib','logpages','unknown','viarel','viairr','xrel','xirr','out']
for t in ('finance','ml','security'):
    for lab,ts in (('only '+t,[t]),('without '+t,[x for x in ('finance','ml','security') if x!=t])):
        X=np.array([r[5] for r in rows if r[0] in ts]);y=np.array([r[4] for r in rows if r[0] in ts])
        m=LogisticRegression(C=1,max_iter=2000).fit(X,y)
        Xt=np.array([r[5] for r in rows if r[0]==t]);yt=np.array([r[4] for r in rows if r[0]==t])
        from sklearn.metrics import roc_auc_score,average_precision_score as ap
        p=m.predict_proba(Xt)[:,1]
        old=Xt@np.array([.5,.7,.5,.5,-.3,6+.7*-1.73,0,0,0,0,0])
        print(lab,len(y),round(float(y.mean()),3),'AUC',round(roc_auc_score(yt,p),3),'AP',round(ap(yt,p),3),'old',round(roc_auc_score(yt,old),3),round(ap(yt,old),3))
        print('   ',' '.join(f'{n} {c:.2f}' for n,c in zip(names,m.coef_[0])),'b %.2f'%m.intercept_[0])
