"""Writes the chunks and the probes with their true counts.

    python corpus.py OUT    (OUT/fetch holds the unpacked packages: see fetch.py)
"""

import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from count import Counter
from files import write_atomically
from generated import generated
from probes import probes
from sources import Packages, written
from split import chunks, long_lines, split, unseen

# The kinds that the accuracy of an estimator is stated for; all others widen the fit and the floors.
KINDS = """ar base64 csv_nums emoji en_prose fr_de_es hi ja ja_prose json_dense ko
logs markdown py_code ru rust_code th urls uuid_hex zh zh_prose""".split()
WIDE = {"other_latin", "other_scripts"}  # a language in each document
# Chunks of a kind. Translations are of twenty languages.
MOST = {"main": {"fit": 60, "test": 40}, "other": {"fit": 30, "test": 20}, "translations": {"fit": 160, "test": 120}}


def all_documents(packages: Packages):
    people = list(written(packages))
    words = sorted({word for document in people if document.kind == "en_prose" for word in re.findall(r"\b[A-Za-z]{2,12}\b", document.text)})
    suffixes = {".so", ".mo", ".png", ".jpg", ".woff2", ".a"}
    binaries = [file.read_bytes() for _, files in packages.of("deb", "pypi", "npm", suffixes=suffixes) for file in files[:20]]
    binaries = [content for content in binaries if len(content) > 20_000]
    unique = {}
    for document in [*people, *generated(words, binaries)]:
        unique.setdefault((document.kind, document.text), document)  # one text under two names would be on both sides
    return list(unique.values())


def size_of(kind: str) -> str:
    return "main" if kind in KINDS or kind in WIDE else kind if kind in MOST else "other"


def rows(packages: Packages):
    documents = all_documents(packages)
    sides = split(documents)
    by_kind = defaultdict(lambda: {"fit": [], "test": []})
    for document, side in sides.items():
        by_kind[document.kind][side].append(document)
    seen = {line for document, side in sides.items() if side == "fit" for line in long_lines(document.text)}
    wanted = {"fit": lambda text: True, "test": lambda text: unseen(text, seen)}
    for kind, both in sorted(by_kind.items()):
        for side, members in both.items():
            for document, text in chunks(members, MOST[size_of(kind)][side], wanted[side]):
                yield {"kind": kind, "doc": document.id, "split": side, "text": text}


def counted(counter: Counter, lines, name: str):
    start, size, done = time.time(), 0, []
    for row in lines:
        size += len(row["text"].encode())
        done.append(row | counter.count(row["text"]))
        if len(done) % 500 == 0:
            counter.save()
            print(f"{name}: {len(done)} texts, {size / 1e6:.1f} MB, {time.time() - start:.0f} s", flush=True)
    counter.save()
    return done


def as_lines(items) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def report(done) -> str:
    table = defaultdict(lambda: {"fit": [set(), set(), 0], "test": [set(), set(), 0]})
    for row in done:
        documents, sources, _ = cell = table[row["kind"]][row["split"]]
        documents.add(row["doc"])
        sources.add(row["doc"][: row["doc"].index("/", 1 + row["doc"].find("/") if row["doc"][0] == "@" else 0)])
        cell[2] += 1
    lines = ["kind fit:sources/documents/chunks test:sources/documents/chunks"]
    for kind, both in sorted(table.items()):
        lines.append(" ".join([kind, *("/".join(map(str, (len(s), len(d), n))) for d, s, n in both.values())]))
    return "\n".join(lines) + "\n"


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "target/estimator-corpus")
    packages = Packages(out / "fetch")
    counter = Counter(out / "fetch", out / "counts.json")
    done = counted(counter, rows(packages), "chunks")
    write_atomically(out / "chunks.jsonl", as_lines(done))
    write_atomically(out / "report.txt", report(done))
    unicode_data = out / "fetch/deb/unicode-data/usr/share/unicode"
    runs = ({"kind": "probe", "doc": name, "split": side, "text": text} for side, name, text in probes(unicode_data))
    write_atomically(out / "probes.jsonl", as_lines(counted(counter, runs, "probes")))


if __name__ == "__main__":
    main()
