from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import TokeniserError
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.tokeniser import Cut, Tokeniser, make_tokeniser, word_cutter

WORDS = (
    "机器学习",
    "machine learning",
    "GPT-4",
    "支持向量机",
    "k近邻",
    "sql注入",
    "C++",
    "xss",
    "it",
    "abc1234567",
)


def _jieba() -> Cut:
    """Return the cutter of a machine without rjieba."""
    with mock.patch.dict(sys.modules, {"rjieba": None}):
        word_cutter.cache_clear()
        found = word_cutter()
    word_cutter.cache_clear()
    return found


JIEBA = _jieba()
CUTTERS = (word_cutter(), JIEBA)
PLAIN = make_tokeniser()
GIVEN = make_tokeniser(words=WORDS)

CASES = [
    ("他来到了网易大厦。", "来到 网易 大厦"),
    ("谷歌的模型", "谷 歌 谷歌 模型"),
    ("谷,歌", "谷 歌"),
    ("用C++、c#、.NET和Node.js写", "用 c++ c# .net node.js 写"),
    ("scikit-learn，GPT-4；snake_case", "scikit-learn gpt-4 snake_case"),
    ("ｓｃｉｋｉｔ－ｌｅａｒｎ Ｃ＋＋ ２０１９", "scikit-learn c++ #year"),
    ("a-slug-of-many-words-here", "slug many words here"),
    ("r1-x2-y3 r1-x2-y3-z4", "r1-x2-y3 r1 x2 y3 z4"),
    ("bert-2019 rfc-822 h12345 h123456", "bert #year rfc-822 h12345 #code"),
    ("x\x01y", "x y"),
    ("CVE-2021-44228漏洞", "cve #year #number5 漏洞"),
    ("2019年 1899 12", "#year 年 #number4 #number2"),
    ("3.14 1234567890123", "#number1 #number2 #number9"),
    ("d41d8cd98f00b204 sha256 base64 " + "x" * 41, "#code sha256 base64 #code"),
    ("https://www.example.com/a_b/", "https www.example.com a_b"),
    ("用" + "abc123" * 50_000 + "写", "用 #code 写"),
    ("foo. bar x--y a+b #tag", "foo bar x y b tag"),
    ("café", "caf é"),
    ("的了是 the of，。！ \t\r\n\u3000", ""),
    ("\ud800\x01\x02", ""),
]
WITH_WORDS = [
    ("机器学习者", "机器学习 者"),
    ("機器學習與Machine_Learning", "机器学习 machine-learning"),
    ("MachineLearning machine  learnings gpt4", "machine-learning machine learnings gpt-4"),
    ("支持向量机器学习", "支持向量机 器 学习"),
    ("K近邻 kk近邻 SQL注入", "k近邻 kk 近邻 sql注入"),
    ("xss-labs XSS入门 xssed IT abc1234567", "xss labs xss 入门 xssed it abc1234567"),
    ("C++11", "c++ #number2"),
]
SAME = [
    ("機器學習與深度學習的區別", "机器学习与深度学习的区别"),
    ("後臺資料庫漏洞復現", "后台资料库漏洞复现"),
    ("打壞餅乾，乾隆皇帝瞭望", "打坏饼干，乾隆皇帝瞭望"),
    ("網絡安全：滲透測試", "网络安全:渗透测试"),
]

ANY = st.text(st.characters(exclude_categories=()))
TEXTS = ANY | st.text(
    st.sampled_from(
        [*"机器学习支持向量k近邻sql注入谷歌發佈的了Cc+#.-_ 129aＡ，\x01\x02\ud800JWY\r\n"]
    )
)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_tokens(text: str, expected: str) -> None:
    for cutter in CUTTERS:
        with mock.patch("focuscrawl.text.tokeniser.word_cutter", return_value=cutter):
            assert PLAIN.tokens(text) == expected.split()


@pytest.mark.parametrize(("text", "expected"), WITH_WORDS)
def test_given_words_are_never_split(text: str, expected: str) -> None:
    for cutter in CUTTERS:
        with mock.patch("focuscrawl.text.tokeniser.word_cutter", return_value=cutter):
            assert GIVEN.tokens(text) == expected.split()


@pytest.mark.parametrize(("traditional", "simplified"), SAME)
def test_traditional_and_simplified_spellings_have_equal_tokens(
    traditional: str, simplified: str
) -> None:
    assert PLAIN.tokens(traditional) == PLAIN.tokens(simplified) != []


@given(st.lists(TEXTS))
def test_a_batch_equals_one_at_a_time(texts: list[str]) -> None:
    for tokeniser in (PLAIN, GIVEN):
        assert tokeniser.tokens_of(texts) == [tokeniser.tokens(text) for text in texts]


@given(TEXTS)
def test_the_normal_form_has_the_tokens_of_the_text(text: str) -> None:
    assert GIVEN.tokens(normal_form(text)) == GIVEN.tokens(text)


@given(TEXTS)
def test_tokens_are_clean(text: str) -> None:
    for token in GIVEN.tokens(text):
        assert token == normal_form(token).strip() != ""
        assert not set(token) & set("\x01\x02 \n")


@given(TEXTS)
def test_both_cutters_agree(text: str) -> None:
    with mock.patch("focuscrawl.text.tokeniser.word_cutter", return_value=JIEBA):
        by_jieba = GIVEN.tokens(text)
    assert by_jieba == GIVEN.tokens(text)


@given(st.integers(0, 9999))
def test_numbers_of_any_width_have_equal_tokens(figure: int) -> None:
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in str(figure))
    assert PLAIN.tokens(wide) == PLAIN.tokens(str(figure))


def test_tokenisers_of_the_same_words_are_the_same_object() -> None:
    tokeniser = make_tokeniser(words=["b超", "A 股", "粮"])
    assert tokeniser is make_tokeniser(words=["Ａ-股", "B超", "b超"])
    assert tokeniser == Tokeniser(("a-股", "b超"))


@pytest.mark.parametrize("name", ["rjieba-0.2/1", "jieba-0.42/1"])
def test_names_of_both_cutters_are_compatible(name: str) -> None:
    assert PLAIN.agrees_with(name)
    assert PLAIN.name == "rjieba-0.2/1"


@pytest.mark.parametrize("name", ["rjieba-0.2/999", "rjieba-0.3/1", "pkuseg-1.0/1", ""])
def test_other_rules_or_releases_disagree(name: str) -> None:
    assert not PLAIN.agrees_with(name)


@pytest.mark.parametrize("name", ["rjieba", "jieba"])
def test_the_installed_releases_are_those_that_agree(name: str) -> None:
    major, minor, *_ = version(name).split(".")
    assert PLAIN.agrees_with(f"{name}-{major}.{minor}/1")


def test_the_error_without_a_cutter_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    monkeypatch.setitem(sys.modules, "jieba", None)
    word_cutter.cache_clear()
    with pytest.raises(TokeniserError, match="pip install rjieba"):
        make_tokeniser()


def test_the_fallback_prints_nothing_and_creates_no_file(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['rjieba'] = None;"
        "from focuscrawl.text.tokeniser import make_tokeniser; print(make_tokeniser().tokens('你好世界'))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", script],
        env={"TMPDIR": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("['你好', '世界']", "")
    assert not list(tmp_path.iterdir())
