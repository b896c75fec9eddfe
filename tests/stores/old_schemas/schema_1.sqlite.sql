-- A SQLite database of schema version 1, as focuscrawl wrote it at commit c8887af, which kept no version in the database.
CREATE TABLE articles (
	url_md5 CHAR(32) NOT NULL,
	url TEXT NOT NULL,
	site VARCHAR(255) NOT NULL,
	title TEXT NOT NULL,
	published DATE,
	stamp TEXT NOT NULL,
	pages INTEGER NOT NULL,
	page_urls TEXT NOT NULL,
	missing_urls TEXT NOT NULL,
	is_complete BOOLEAN NOT NULL,
	text TEXT NOT NULL,
	content_md5 CHAR(32) NOT NULL,
	record_md5 CHAR(32) NOT NULL,
	validators TEXT NOT NULL,
	first_seen DATETIME NOT NULL,
	fetched_at DATETIME NOT NULL,
	gone_at DATETIME,
	PRIMARY KEY (url_md5)
);
CREATE TABLE quotes (
	article_md5 CHAR(32) NOT NULL,
	seq INTEGER NOT NULL,
	date DATE,
	commodity TEXT NOT NULL,
	mention TEXT NOT NULL,
	entity TEXT NOT NULL,
	entity_is_known BOOLEAN NOT NULL,
	region TEXT NOT NULL,
	price_low REAL NOT NULL,
	price_high REAL NOT NULL,
	unit TEXT NOT NULL,
	price_yuan_per_ton_low REAL NOT NULL,
	price_yuan_per_ton_high REAL NOT NULL,
	moisture TEXT NOT NULL,
	condition TEXT NOT NULL,
	change REAL,
	change_high REAL,
	is_primary BOOLEAN NOT NULL,
	span TEXT NOT NULL,
	start INTEGER NOT NULL,
	"end" INTEGER NOT NULL,
	flag TEXT NOT NULL,
	PRIMARY KEY (article_md5, seq)
);
CREATE TABLE pages (
	"key" CHAR(32) NOT NULL,
	url TEXT NOT NULL,
	site VARCHAR(255) NOT NULL,
	topic VARCHAR(255) NOT NULL,
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	score DOUBLE NOT NULL,
	relevance DOUBLE NOT NULL,
	is_relevant BOOLEAN NOT NULL,
	steps INTEGER NOT NULL,
	via TEXT NOT NULL,
	content_md5 CHAR(32) NOT NULL,
	first_seen DATETIME NOT NULL,
	fetched_at DATETIME NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE numbered_articles (
	url_md5 CHAR(32) NOT NULL,
	url TEXT NOT NULL,
	site VARCHAR(255) NOT NULL,
	series VARCHAR(700) NOT NULL,
	number BIGINT NOT NULL,
	title TEXT NOT NULL,
	description TEXT NOT NULL,
	tags TEXT NOT NULL,
	author TEXT NOT NULL,
	published DATE,
	body_html TEXT NOT NULL,
	body_text TEXT NOT NULL,
	extra TEXT NOT NULL,
	terms_title TEXT NOT NULL,
	terms_tags TEXT NOT NULL,
	terms_description TEXT NOT NULL,
	terms_body TEXT NOT NULL,
	content_md5 CHAR(32) NOT NULL,
	record_md5 CHAR(32) NOT NULL,
	first_seen DATETIME NOT NULL,
	fetched_at DATETIME NOT NULL,
	PRIMARY KEY (url_md5)
);
CREATE TABLE missing_numbers (
	url_md5 CHAR(32) NOT NULL,
	url TEXT NOT NULL,
	site VARCHAR(255) NOT NULL,
	series VARCHAR(700) NOT NULL,
	number BIGINT NOT NULL,
	reason TEXT NOT NULL,
	tries INTEGER NOT NULL,
	tried_at DATETIME NOT NULL,
	due_at DATETIME NOT NULL,
	found_at DATETIME,
	first_seen DATETIME NOT NULL,
	PRIMARY KEY (url_md5)
);
CREATE TABLE template_records (
	"key" CHAR(32) NOT NULL,
	crawl VARCHAR(255) NOT NULL,
	template VARCHAR(255) NOT NULL,
	url TEXT NOT NULL,
	site VARCHAR(255) NOT NULL,
	seed TEXT NOT NULL,
	title TEXT NOT NULL,
	window INTEGER NOT NULL,
	fields TEXT NOT NULL,
	region_md5 CHAR(32) NOT NULL,
	record_md5 CHAR(32) NOT NULL,
	first_seen DATETIME NOT NULL,
	fetched_at DATETIME NOT NULL,
	gone_at DATETIME,
	PRIMARY KEY ("key")
);
CREATE TABLE seeds (
	"key" CHAR(32) NOT NULL,
	crawl VARCHAR(255) NOT NULL,
	url TEXT NOT NULL,
	title TEXT NOT NULL,
	engine VARCHAR(255) NOT NULL,
	"query" TEXT NOT NULL,
	rank INTEGER NOT NULL,
	window INTEGER NOT NULL,
	state VARCHAR(16) NOT NULL,
	first_seen DATETIME NOT NULL,
	listed_at DATETIME NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE crawl_state (
	"key" VARCHAR(255) NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY ("key")
);
CREATE INDEX articles_by_site ON articles (site, published);
CREATE INDEX articles_by_date ON articles (published, url_md5);
CREATE INDEX quotes_by_date ON quotes (date, article_md5, seq);
CREATE INDEX quotes_by_entity ON quotes (entity);
CREATE INDEX pages_by_worth ON pages (is_relevant, relevance, score, "key", topic);
CREATE INDEX numbered_by_series ON numbered_articles (series, number, url_md5);
CREATE INDEX missing_by_series ON missing_numbers (series, number, url_md5);
CREATE INDEX records_by_crawl ON template_records (crawl, "key");
CREATE INDEX seeds_by_crawl ON seeds (crawl, "query", rank, "key");
CREATE VIRTUAL TABLE numbered_search USING fts5(
        terms_title, terms_tags, terms_description, terms_body,
        content='numbered_articles', detail=none, columnsize=0,
        tokenize="unicode61 remove_diacritics 0"
    );
CREATE TRIGGER numbered_search_insert AFTER INSERT ON numbered_articles BEGIN
    INSERT INTO numbered_search(rowid, terms_title, terms_tags, terms_description, terms_body)
    VALUES (new.rowid, new.terms_title, new.terms_tags, new.terms_description, new.terms_body);
 END;
CREATE TRIGGER numbered_search_delete AFTER DELETE ON numbered_articles BEGIN
    INSERT INTO numbered_search(
        numbered_search, rowid, terms_title, terms_tags, terms_description, terms_body
    ) VALUES (
        'delete', old.rowid, old.terms_title, old.terms_tags, old.terms_description, old.terms_body
    );
 END;
CREATE TRIGGER numbered_search_update
    AFTER UPDATE OF terms_title, terms_tags, terms_description, terms_body ON numbered_articles
    WHEN old.terms_title <> new.terms_title OR old.terms_tags <> new.terms_tags
        OR old.terms_description <> new.terms_description OR old.terms_body <> new.terms_body
    BEGIN
    INSERT INTO numbered_search(
        numbered_search, rowid, terms_title, terms_tags, terms_description, terms_body
    ) VALUES (
        'delete', old.rowid, old.terms_title, old.terms_tags, old.terms_description, old.terms_body
    );
    INSERT INTO numbered_search(rowid, terms_title, terms_tags, terms_description, terms_body)
    VALUES (new.rowid, new.terms_title, new.terms_tags, new.terms_description, new.terms_body);
 END;
INSERT INTO articles VALUES ('866db7d5439dad5d1688de51dc3887ab', 'http://demo.example/3.htm', 'demo', '玉米价格行情 3', '2026-03-04', '2026-03-04 09:00', 1, '["http://demo.example/3.htm"]', '["http://demo.example/3.htm?page=2"]', 0, '寿光0.815-0.83元/斤
第3行	报价', '1b545a0c2425e44d3de96d97d968be5f', '7336f4bd598f77075d766422e9dd2bf8', '{"http://demo.example/3.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO articles VALUES ('89a9f1e37ec0e54240e5a93faf5c5795', 'http://demo.example/1.htm', 'demo', '玉米价格行情 1', '2026-03-04', '2026-03-04 09:00', 2, '["http://demo.example/1.htm", "http://demo.example/1.htm?page=2"]', '[]', 1, '寿光0.815-0.83元/斤
第1行	报价', 'af4a6d9f0eb30e7cb89d9f62a2963441', '1dfed503dc6ef02fb4e65671f9d20655', '{"http://demo.example/1.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO articles VALUES ('96ce9f6b1066bb9bdb26fb3e50321c97', 'http://demo.example/6.htm', 'demo', '玉米价格行情 6', '2026-03-04', '2026-03-04 09:00', 2, '["http://demo.example/6.htm", "http://demo.example/6.htm?page=2"]', '[]', 1, '寿光0.815-0.83元/斤
第6行	报价', '665afc012f02170ad0525fcd994fe5da', 'dfc78fa57db603b9b463046d7539a64b', '{"http://demo.example/6.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO articles VALUES ('a1741b7a2246bf65843b60135d3ab32d', 'http://demo.example/4.htm', 'demo', '玉米价格行情 4', NULL, '2026-03-04 09:00', 1, '["http://demo.example/4.htm"]', '["http://demo.example/4.htm?page=2"]', 0, '寿光0.815-0.83元/斤
第4行	报价', 'e907cb22c73e3b73e7a2ed2ed6dcfa8e', '6474b1cf2c03432b776527922b062da3', '{"http://demo.example/4.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO articles VALUES ('c0ae2fc22bac3faa3be2689be5add0da', 'http://demo.example/5.htm', 'other', '玉米价格行情 5', '2026-03-01', '2026-03-04 09:00', 1, '["http://demo.example/5.htm"]', '["http://demo.example/5.htm?page=2"]', 0, '寿光0.815-0.83元/斤
第5行	报价', '3e13b0a0a3c337b8dcc8dd3bea8807e8', 'c95ad3c64b43fc6f984ab422deabd7df', '{"http://demo.example/5.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO articles VALUES ('e0f2a545f184ccdfd5c3220618782473', 'http://demo.example/2.htm', 'demo', '引号''与\反斜线', NULL, '2026-03-04 09:00', 2, '["http://demo.example/2.htm", "http://demo.example/2.htm?page=2"]', '[]', 1, '寿光0.815-0.83元/斤
第2行	报价', 'edaac2d8783913434b239e1cd29a5d73', '0bc5021fedbd5e1f72cf984e499ad8f6', '{"http://demo.example/2.htm": ["\"abc\"", "Wed, 04 Mar 2026 01:00:00 GMT"]}', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO quotes VALUES ('866db7d5439dad5d1688de51dc3887ab', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('866db7d5439dad5d1688de51dc3887ab', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('89a9f1e37ec0e54240e5a93faf5c5795', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('89a9f1e37ec0e54240e5a93faf5c5795', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('96ce9f6b1066bb9bdb26fb3e50321c97', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('96ce9f6b1066bb9bdb26fb3e50321c97', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('a1741b7a2246bf65843b60135d3ab32d', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('a1741b7a2246bf65843b60135d3ab32d', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('c0ae2fc22bac3faa3be2689be5add0da', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('c0ae2fc22bac3faa3be2689be5add0da', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('e0f2a545f184ccdfd5c3220618782473', 0, '2026-03-04', '玉米', '潍坊寿光', '寿光', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO quotes VALUES ('e0f2a545f184ccdfd5c3220618782473', 1, NULL, '玉米', '潍坊寿光', '潍坊', 1, '山东', 0.815, 0.83, '元/斤', 1630.0, 1660.0, '', '', -0.005, 0.01, 1, '寿光0.815-0.83元/斤', 3, 20, '');
INSERT INTO pages VALUES ('6b766cff2f8b66c1a66829ec242f0654', 'http://blog.example/1.htm', 'blog.example', 'money', '理财笔记 1', '基金定投
第1篇', 3.00000000000000044408e-01, 0.93, 1, 0, 'http://blog.example/', '1ff8080e4413c25ae223ff291a9f663f', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO pages VALUES ('76fb769e46fbddb158aef6e716528ab6', 'http://blog.example/4.htm', 'blog.example', 'money', '理财笔记 4', '基金定投
第4篇', 3.00000000000000044408e-01, 0.2, 1, 0, 'http://blog.example/', '4735d3ef99b8506564d81b4c0059aba2', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO pages VALUES ('9200610e3004e7a0f487c5c118ff3944', 'http://blog.example/3.htm', 'blog.example', 'corn', '理财笔记 3', '基金定投
第3篇', 3.00000000000000044408e-01, 0.93, 1, 0, 'http://blog.example/', '91b995b99cc8442794b217313b958577', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO pages VALUES ('d05742298e98e549bf59b7e7942bcce1', 'http://blog.example/2.htm', 'blog.example', 'corn', '理财笔记 2', '基金定投
第2篇', 3.00000000000000044408e-01, 0.5, 0, 0, 'http://blog.example/', 'd375dfb186e6d65667ab73190ea615ec', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO numbered_articles VALUES ('930a87a57c09317f6feb3753d816d2dd', 'http://n.example/article/1.htm', 'n.example', 'http://n.example/article/{n}.htm', 1, 'Python 教程 1', '怎样抓取网页', '["Python", "爬虫"]', '李四', '2016-03-04', '<p>第1篇</p>', '第1篇
a = 1', '{"views": 12, "rating": 4.5, "from": {"name": "脚本"}, "none": null}', 'xx1 h教程 mn教 m程1 qpyt qyth qtho qhon ppy pyt pth pho pon zzp zzy zzt zzh zzo zzn zz1 ttxx1 tth教程 ttmn教 ttm程1 ttqpyt ttqyth ttqtho ttqhon ttppy ttpyt ttpth ttpho ttpon ttzzp ttzzy ttzzt ttzzh ttzzo ttzzn ttzz1', 'h爬虫 qpyt qyth qtho qhon ppy pyt pth pho pon zzp zzy zzt zzh zzo zzn tth爬虫 ttqpyt ttqyth ttqtho ttqhon ttppy ttpyt ttpth ttpho ttpon ttzzp ttzzy ttzzt ttzzh ttzzo ttzzn', 'h怎样 h样抓 h抓取 h取网 h网页', 'xx1 xxa hh第 hh篇 m第1 m1篇 zz1 zza', '275cfc0ae62f58c8d81e5c0ef108de4b', '6b0858ee05c2e322e2fdabe1964dc953', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO numbered_articles VALUES ('b71cd27d42a87c6c26727771a44abaae', 'http://n.example/article/2.htm', 'n.example', 'http://n.example/article/{n}.htm', 2, 'Python 教程 2', '怎样抓取网页', '["Python", "爬虫"]', '李四', NULL, '<p>😀 ''</p>', '第2篇
a = 1', '{"views": 12, "rating": 4.5, "from": {"name": "脚本"}, "none": null}', 'xx2 h教程 mn教 m程2 qpyt qyth qtho qhon ppy pyt pth pho pon zzp zzy zzt zzh zzo zzn zz2 ttxx2 tth教程 ttmn教 ttm程2 ttqpyt ttqyth ttqtho ttqhon ttppy ttpyt ttpth ttpho ttpon ttzzp ttzzy ttzzt ttzzh ttzzo ttzzn ttzz2', 'h爬虫 qpyt qyth qtho qhon ppy pyt pth pho pon zzp zzy zzt zzh zzo zzn tth爬虫 ttqpyt ttqyth ttqtho ttqhon ttppy ttpyt ttpth ttpho ttpon ttzzp ttzzy ttzzt ttzzh ttzzo ttzzn', 'h怎样 h样抓 h抓取 h取网 h网页', 'xx2 xxa xx1 hh第 hh篇 m第2 m2篇 zz2 zza zz1', 'bdee1290d17e4ec76269c5a70c5a9200', '330ed6027196b9dcca8210340a1d536d', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO missing_numbers VALUES ('8a880226e293e68e3b140a8bb5429097', 'http://n.example/article/4.htm', 'n.example', 'http://n.example/article/{n}.htm', 4, '404', 1, '2026-03-05 08:30:15.250000', '2026-03-06 08:30:15.250000', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO missing_numbers VALUES ('a2c6c2e4e24be7119e5b49873878016f', 'http://n.example/article/3.htm', 'n.example', 'http://n.example/article/{n}.htm', 3, '404', 1, '2026-03-05 08:30:15.250000', '2026-03-06 08:30:15.250000', NULL, '2026-03-05 08:30:15.250000');
INSERT INTO template_records VALUES ('1f45acc8fd0a16bc1774e43385a55781', 'template-contacts', 'contacts', 'http://firm1.example/contact.html', 'firm1.example', 'http://firm1.example/', '联系我们', 1, '[{"field": "name", "title": "名称", "value": "第1公司", "raw": "第 1 公司", "confidence": 0.9}, {"field": "phone", "title": "电话", "value": "028-5550100", "raw": "028-5550100", "confidence": 0.75}]', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'b282467d5b2765051c789afff872a40a', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', NULL);
INSERT INTO template_records VALUES ('8328f38ea9d0a6f6a3afebcbf3fa0031', 'template-contacts', 'contacts', 'http://firm2.example/contact.html', 'firm2.example', 'http://firm2.example/', '联系我们', 1, '[{"field": "name", "title": "名称", "value": "第2公司", "raw": "第 1 公司", "confidence": 0.9}, {"field": "phone", "title": "电话", "value": "028-5550100", "raw": "028-5550100", "confidence": 0.75}]', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '6edceda649f02ee7f8fc8f4a8c8acd68', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO seeds VALUES ('092dbe556765481037b12c23dc6d24fa', 'template-contacts', 'http://firm2.example/', '第2公司', 'demo', '四川软件公司', 2, 1, 'useful', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO seeds VALUES ('c4a04aa3a54a4cdbae156dbbd88a3318', 'template-contacts', 'http://firm1.example/', '第1公司', 'demo', '四川软件公司', 1, 1, 'waiting', '2026-03-05 08:30:15.250000', '2026-03-05 08:30:15.250000');
INSERT INTO crawl_state VALUES ('crawl', '{"next": "页 2", "n": 3}');
PRAGMA user_version = 1;
