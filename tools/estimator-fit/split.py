"""Which documents fit the tables and which test them, and the chunks that are cut out of both."""

import hashlib
import random
import re
from collections import defaultdict
from itertools import zip_longest

FIT_SHARE = 0.6
SAME_DOCUMENTS = {"ja_prose": "ja", "zh_prose": "zh", "json_indented": "json_dense"}
# Kinds of so few sources that whole ones cannot be spread over both sides.
BY_DOCUMENT = {"c_code", "css_minified", "csv_words", "diff", "go_code", "java_code", "lo", "restructured_text", "sql", "ts_code"}
SHORTEST, LONGEST = 500, 8000  # characters of a chunk
MOST_OF_SOURCE = 4  # chunks of one source in one kind and side


def order(name: str) -> bytes:
    return hashlib.blake2b(name.encode()).digest()


def split(documents):
    """Gives {document: split}. Sources are kept whole, where a kind has enough of them.

    The side hangs on a name alone, so what is added later moves nothing that was there.
    Kinds that are made of the same documents are one group: such a document is on one side only.
    """
    sides = {}
    for document in documents:
        group = SAME_DOCUMENTS.get(document.kind, document.kind)
        name = document.id if group in BY_DOCUMENT else document.source
        share = int.from_bytes(order(f"split {group} {name}")[:8]) / 2**64
        sides[document] = document.side or ("fit" if share < FIT_SHARE else "test")
    return sides


def long_lines(text: str) -> list[str]:
    """Lines that say something: the rules of a table do not."""
    return [line for line in text.split("\n") if len(line) >= 40 and re.search(r"\w", line)]


def unseen(text: str, seen: set[str]) -> bool:
    """Two packages can hold the same page: a test text is dropped when the fit has much of it."""
    lines = long_lines(text)
    return sum(len(line) for line in lines if line in seen) <= 0.1 * len(text)


def pile(document, wanted):
    rng, at, texts = random.Random(f"chunks {document.kind} {document.id}"), 0, []
    while len(document.text) - at >= SHORTEST:
        size = min(int(SHORTEST * (LONGEST / SHORTEST) ** rng.random()), len(document.text) - at)
        if wanted(text := document.text[at : at + size]):
            texts.append((document, text))
        at += size
    rng.shuffle(texts)
    return texts


def in_turn(piles: list[list]) -> list:
    """The first of each, then the second of each, and so on."""
    return [item for row in zip_longest(*piles) for item in row if item is not None]


def chunks(documents, most: int, wanted=lambda text: True):
    """At most `most` chunks that are `wanted`: languages take turns, in each its sources, in each its documents."""
    piles = defaultdict(lambda: defaultdict(list))
    for document in sorted(documents, key=lambda document: order(f"{document.kind} {document.id}")):
        if texts := pile(document, wanted):
            piles[document.language][document.source].append(texts)
    sources = sum(map(len, piles.values()))
    # Where sources are few, each may give more than elsewhere.
    cap = max(MOST_OF_SOURCE, -(-most // max(1, sources)))
    return in_turn([in_turn([in_turn(texts)[:cap] for texts in by_source.values()]) for by_source in piles.values()])[:most]
