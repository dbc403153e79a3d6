import pytest

from handiwork.backends.files import legacy
from handiwork.backends.files.legacy import guess_codec

WESTERN = ("café\n", "naïve résumé", "Größe: 5\nBüro\n", "São Paulo não é a capital do país", "smörgåsbord på svenska")
OTHERS = {
    "shift_jis": "これは日本語の文章です。設定ファイルを読み込みます。",
    "euc_jp": "これは日本語の文章です。設定ファイルを読み込みます。",
    "gb18030": "这是一个中文文件。请读取配置并写入结果。",
    "big5": "這是一個中文檔案。請讀取設定並寫入結果。",
    "euc_kr": "이것은 한국어 파일입니다. 설정을 읽고 결과를 쓰십시오.",
    "cp1251": "Это русский текст. Прочитайте настройки.",
    "koi8_r": "Это русский текст. Прочитайте настройки.",
    "cp1253": "Αυτό είναι ένα ελληνικό κείμενο.",
}


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_latin_1(text):
    assert guess_codec(text.encode("latin-1")) == "latin-1"
    assert guess_codec(f"“{text}” – 5 €".encode("cp1252")) == "cp1252"


@pytest.mark.parametrize("codec", OTHERS)
def test_other_scripts_are_recognised_with_the_extra(codec):
    pytest.importorskip("cchardet")
    data = ("# settings\nname = value\n" * 50 + OTHERS[codec]).encode(codec)
    assert data.decode(guess_codec(data)).endswith(OTHERS[codec])


@pytest.mark.parametrize("codec", OTHERS)
def test_without_the_extra_no_byte_is_lost_either(codec, monkeypatch):
    monkeypatch.setattr(legacy, "find_spec", lambda name: None)
    data = OTHERS[codec].encode(codec)
    found = guess_codec(data)
    assert found in ("latin-1", "cp1252") and data.decode(found).encode(found) == data
