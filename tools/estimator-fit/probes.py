"""Synthetic runs: what no document holds for long, and an estimator must not underrate."""

import base64
import random
import re
import string
import unicodedata
from collections import defaultdict
from pathlib import Path

LENGTH = {"fit": 2000, "test": 1000}
LETTERS = 2000  # letters of one script at most: random text over 90 000 Han characters says little
OTHER_SCRIPTS = {"Common", "Inherited", "Zzzz", "Unknown"}


def cut(text: str, length: int) -> str:
    return (text * (length // len(text) + 1))[:length]


def letters_by_script(unicode_data: Path) -> dict[str, list[str]]:
    found = defaultdict(list)
    for line in (unicode_data / "Scripts.txt").read_text().splitlines():
        line = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+) # L", line)
        if line and line[3] not in OTHER_SCRIPTS:
            first, last = int(line[1], 16), int(line[2] or line[1], 16)
            found[line[3]] += map(chr, range(first, last + 1))
    return {script: letters[:LETTERS] for script, letters in found.items()}


def marks(first: int, last: int) -> list[str]:
    return [chr(c) for c in range(first, last + 1) if unicodedata.category(chr(c))[0] == "M"]


def legacy_characters(encoding: str, rows: range) -> list[str]:
    """The common characters of a language: the rows that its old two-byte standard gave them."""
    found = []
    for row in rows:
        for cell in range(1, 95):
            try:
                found.append(bytes([0xA0 + row, 0xA0 + cell]).decode(encoding))
            except UnicodeDecodeError:
                pass
    return found


def words(rng, letters, length, shortest=2, longest=9) -> str:
    text = ""
    while len(text) < length:
        text += "".join(rng.choices(letters, k=rng.randint(shortest, longest))) + " "
    return text[:length]


def runs(rng, length, variant) -> dict[str, str]:
    """Every probe of one split. `variant` picks another sample character in each split."""
    pick = lambda *options: options[variant % len(options)]
    some = lambda alphabet: "".join(rng.choices(alphabet, k=length))
    lower, upper, digits = string.ascii_lowercase, string.ascii_uppercase, string.digits
    emoji = "😀😂🥲🚀✨🔥🎉👍🧠💡🐍🦀🍕🎸🏆🌍💾🔒📈🙏🤖👀💯🎯"
    family = "👩‍💻👨‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀👩🏿‍🔬❤️‍🔥"
    flags = ["".join(chr(0x1F1E6 + ord(c) - 65) for c in code) for code in "JP DE FR US BR IN CN KR GB EG ET TH".split()]
    probe = {
        "spaces": " " * length,
        "newlines": "\n" * length,
        "tabs": "\t" * length,
        "crlf": cut("\r\n", length),
        "carriage_returns": "\r" * length,
        "whitespace_mixed": some(" \n\t\r"),
        "whitespace_lines": cut("    \n", length),
        "whitespace_indented": cut("\n        \n\t\t", length),
        "no_break_spaces": "\u00a0" * length,
        "ideographic_spaces": "\u3000" * length,
        "zero_width_spaces": "\u200b" * length,
        "one_digit": pick("0", "7") * length,
        "digits": some(digits),
        "digits_spaced": cut(" ".join(some(digits)), length),
        "digits_decimal": "".join(f"{rng.random():.3f}," for _ in range(length))[:length],
        "digits_arabic": some("٠١٢٣٤٥٦٧٨٩"),
        "digits_devanagari": some("०१२३४५६७८९"),
        "digits_fullwidth": some([chr(c) for c in range(0xFF10, 0xFF1A)]),
        "punctuation": some(string.punctuation),
        "letters_lower": some(lower),
        "letters_upper": some(upper),
        "letters_mixed": some(lower + upper),
        "letters_and_digits": some(lower + upper + digits),
        "letters_words": words(rng, lower, length),
        "letters_single": cut(" ".join(some(lower)), length),
        "letters_accented": some("àâäéèêëïîôöùûüçñßøåæœ"),
        "letters_fullwidth": some("".join(chr(0xFF21 + i) for i in range(26))),
        "letters_mathematical": some([chr(c) for c in range(0x1D400, 0x1D434)]),
        "hex": some(digits + "abcdef"),
        "hex_upper": some(digits + "ABCDEF"),
        "base64": base64.b64encode(rng.randbytes(length)).decode()[:length],
        "base64url_lines": "\n".join(base64.urlsafe_b64encode(rng.randbytes(57)).decode() for _ in range(length))[:length],
        "base64_zeros": "A" * length,
        "base64_repetitive": cut(base64.b64encode(bytes(pick((0, 1), (7, 0, 0))) * 60).decode(), length),
        "base64_counting": base64.b64encode(b"".join(i.to_bytes(pick(2, 4)) for i in range(length))).decode()[:length],
        "cjk_one": pick("中", "語") * length,
        "cjk_common": some(legacy_characters("gb2312", range(16, 56))),
        "cjk_traditional": some(legacy_characters("big5", range(4, 60)) or "語"),
        "cjk_uncommon": some([chr(c) for c in range(0x3400, 0x4DB0)]),
        "cjk_rare": some([chr(c) for c in range(0x20000, 0x2A6D0)]),
        "kana_one": pick("あ", "ン") * length,
        "kana_hiragana": some([chr(c) for c in range(0x3042, 0x3094)]),
        "kana_katakana": some([chr(c) for c in range(0x30A2, 0x30F5)]),
        "kana_halfwidth": some([chr(c) for c in range(0xFF66, 0xFF9E)]),
        "hangul_one": pick("가", "한") * length,
        "hangul_common": some(legacy_characters("euc_kr", range(16, 41))),
        "hangul_all": some([chr(c) for c in range(0xAC00, 0xD7A4)]),
        "hangul_jamo": some([chr(c) for c in range(0x1100, 0x1113)]),
        "punctuation_cjk": some("，。、：；（）「」『』！？《》"),
        "emoji_one": pick("😀", "🚀") * length,
        "emoji_random": some(emoji),
        "emoji_all": some([chr(c) for c in range(0x1F300, 0x1F650)]),
        "emoji_joined": cut(family, length),
        "emoji_skin_tones": "".join(rng.choice("👍👋🙏✋") + chr(rng.randint(0x1F3FB, 0x1F3FF)) for _ in range(length))[:length],
        "emoji_flags": "".join(rng.choices(flags, k=length))[:length],
        "dingbats": some([chr(c) for c in range(0x2701, 0x27BF)]),
        "box_drawing": some([chr(c) for c in range(0x2500, 0x2580)]),
        "box_line": pick("─", "═") * length,
        "block_elements": some([chr(c) for c in range(0x2580, 0x25A0)]),
        "braille": some([chr(c) for c in range(0x2801, 0x2900)]),
        "mathematical": some([chr(c) for c in range(0x2200, 0x2300)]),
        "arrows": some([chr(c) for c in range(0x2190, 0x2200)]),
        "currency": some("€£¥₹₽₩₪₫₴₦"),
        "general_punctuation": some("–—‘’“”…•†‡‰′″‹›«»·"),
        "superscripts": some("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ₀₁₂₃₄"),
        "control_characters": some([chr(c) for c in (*range(1, 9), *range(14, 32), 127)]),
        "c1_controls": some([chr(c) for c in range(0x80, 0xA0)]),
        "private_use": some([chr(c) for c in range(0xE000, 0xF8FF)]),
        "private_use_high": some([chr(c) for c in range(0xF0000, 0xFFFFD)]),
        "replacement_character": "\ufffd" * length,
        "combining_marks": "".join(rng.choice(lower) + "".join(rng.choices(marks(0x300, 0x36F), k=4)) for _ in range(length))[:length],
        "combining_only": some(marks(0x300, 0x36F)),
        "any_character": some([chr(c) for c in (*range(32, 0xD800), *range(0xE000, 0x20000)) if unicodedata.category(chr(c)) != "Cn"]),
    }
    for mark in string.punctuation:
        probe[f"run_of_{unicodedata.name(mark).lower().replace(' ', '_')}"] = mark * length
    for letter in pick("aezAQ", "bnxMZ"):
        probe[f"run_of_letter_{letter}"] = letter * length
    return probe


def probes(unicode_data: Path):
    """Yields (split, name, text)."""
    scripts = letters_by_script(unicode_data)
    for variant, (split, length) in enumerate(LENGTH.items()):
        rng = random.Random(f"probes {split}")
        for name, text in runs(rng, length, variant).items():
            yield split, name, text
        for script, letters in sorted(scripts.items()):
            yield split, f"script_{script}_random", "".join(rng.choices(letters, k=length))
            yield split, f"script_{script}_words", words(rng, letters, length)
            yield split, f"script_{script}_one", rng.choice(letters) * length
