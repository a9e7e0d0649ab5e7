"""Plain text out of the files that packages hold."""

import gettext
import gzip
import html
import re
from pathlib import Path

SUFFIXES = {".mo", ".page", ".html", ".htm", ".txt", ".gz"}


def raw(file: Path) -> str:
    data = gzip.open(file).read() if file.suffix == ".gz" else file.read_bytes()
    return data.decode("utf-8", "ignore").replace("\r\n", "\n").replace("\x00", "")


def markup(text: str) -> str:
    text = re.sub(r"(?s)<(script|style|head|info|pre|nav)\b.*?</\1>|<!--.*?-->", "", text)
    text = re.sub(r"(?i)\s*<(p|div|li|h\d|tr|dt|dd|title|section|br)\b[^>]*>\s*", "\n\n", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"\n\s*\n\s*", "\n\n", re.sub(r"[ \t]+", " ", re.sub(r"(?<!\n)\n(?!\n)", " ", text))).strip()


def manual(text: str) -> str:
    lines = [re.sub(r'^\.(?:[A-Z]{1,2}|\\")\s*"?|"$', "", line) for line in text.split("\n") if not re.match(r"[.']\\\"|\.(TH|so|de|ie|el|if)\b", line)]
    text = re.sub(r"\\f(\[\w*\]|\(..|.)|\\[&|^/,]|\\s[-+]?\d", "", "\n".join(lines))
    return re.sub(r"\\(-|\[\w+\]|\(..|e)", lambda m: {"-": "-", "e": "\\"}.get(m[1], ""), text)


def catalogue(file: Path) -> str:
    """The messages of one gettext catalogue that were really translated."""
    with open(file, "rb") as opened:
        messages = gettext.GNUTranslations(opened)._catalog
    found = []
    for original, message in messages.items():
        original = original[0] if isinstance(original, tuple) else original
        if original and len(message) > 10 and message != original:
            found.append(re.sub(r"(?<=\w)_(?=\w)|(?<![\w])_(?=\w)", "", message).replace("\x04", " "))
    return "\n".join(found)


def text(file: Path) -> str:
    """Empty when the file is not what its name says."""
    try:
        if file.suffix == ".mo":
            return catalogue(file)
        content = raw(file)
        if "/man/" in str(file):
            return manual(content)
        if content[:400].lstrip().startswith("<"):
            return markup(content)
        return content
    except (OSError, EOFError, ValueError, IndexError):
        return ""


def dense(content: str, letters: str, share: float) -> str:
    """The lines in which `letters` (a class of a regular expression) are at least `share` of all but spaces."""
    kept = []
    for line in content.split("\n"):
        solid = re.sub(r"\s", "", line)
        if len(solid) > 10 and len(re.findall(letters, solid)) >= share * len(solid):
            kept.append(line)
    return "\n".join(kept)


def untranslated(line: str) -> bool:
    """An English sentence that a translator left."""
    words = re.findall(r"\b(the|and|you|with|which|this|from|are)\b", line)
    return len(words) >= 2 and sum(c.isalpha() and not c.isascii() for c in line) < 0.02 * len(line)


def without_english(content: str) -> str:
    return "\n".join(line for line in content.split("\n") if not untranslated(line))
