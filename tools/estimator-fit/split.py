"""Which documents fit the tables and which test them, and the chunks that are cut out of both."""

import hashlib
import random
from collections import defaultdict

FIT_SHARE = 0.6
SAME_DOCUMENTS = {"ja_prose": "ja", "zh_prose": "zh", "json_indented": "json_dense"}
SHORTEST, LONGEST = 500, 8000  # characters of a chunk


def order(name: str) -> bytes:
    return hashlib.blake2b(name.encode()).digest()


def split(documents):
    """Gives {document: split}. Sources are kept whole; a kind with one source is split by document.

    Kinds that are made of the same documents are one group: such a document is on one side only.
    """
    groups = defaultdict(list)
    for document in documents:
        groups[SAME_DOCUMENTS.get(document.kind, document.kind)].append(document)
    sides = {}
    for group, members in groups.items():
        by_source = defaultdict(list)
        for document in members:
            by_source[document.source].append(document)
        if len(by_source) == 1:
            by_source = {document.id: [document] for document in members}
        fit = sum(document.side == "fit" for document in members)
        test = sum(document.side == "test" for document in members)
        # The sources with most documents first, each to the side that lacks most: both get their share.
        for source in sorted(by_source, key=lambda source: (-len(by_source[source]), order(f"{group} {source}"))):
            if by_source[source][0].side:
                sides |= {document: document.side for document in by_source[source]}
                continue
            to_fit = fit * (1 - FIT_SHARE) <= test * FIT_SHARE
            fit, test = (fit + len(by_source[source]), test) if to_fit else (fit, test + len(by_source[source]))
            sides |= {document: "fit" if to_fit else "test" for document in by_source[source]}
    return sides


def long_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if len(line) >= 40]


def unseen(text: str, seen: set[str]) -> bool:
    """Two packages can hold the same page: a test text is dropped when the fit has much of it."""
    lines = long_lines(text)
    return sum(len(line) for line in lines if line in seen) <= 0.1 * len(text)


def chunks(documents, most: int, wanted=lambda text: True):
    """At most `most` chunks that are `wanted`, taken from one document after the other so that all are heard."""
    piles = []
    for document in sorted(documents, key=lambda document: order(f"{document.kind} {document.id}")):
        rng, at, pile = random.Random(f"chunks {document.kind} {document.id}"), 0, []
        while len(document.text) - at >= SHORTEST:
            size = min(int(SHORTEST * (LONGEST / SHORTEST) ** rng.random()), len(document.text) - at)
            if wanted(text := document.text[at : at + size]):
                pile.append((document, text))
            at += size
        rng.shuffle(pile)
        piles.append(pile)
    taken = []
    while len(taken) < most and any(piles):
        for pile in piles:
            if pile and len(taken) < most:
                taken.append(pile.pop())
    return taken
