"""Fits the tables of the weighted estimator, and writes them.

    python tools/estimator-fit/fit.py [folder of the corpus]

What a text costs is taken for a sum over the states that the automaton goes through. The weights of
the states are fitted to the counts of the real tokenizers, family by family:

- **Least squares of the relative error**, with no weight below nothing. Each kind of text counts as
  much as any other, whatever there is of it.
- **Ridge.** A state is drawn towards the place before it in its run, all states towards what the
  families have in common. So states that few texts go through have a weight that makes sense.
- **Floors.** No probe may be estimated at less than half of its true count: no run of one character,
  no jumble of them, no letters in an order that no language has. So probes have a floor of 0.53, and
  texts one of 0.54. What is below its floor is fitted to that too, harder and harder,
  until nothing is. Letters that no text has, or not as many in a row, cost half a token a byte,
  which is enough for any of them. The widest table has a floor of 0.9 for the texts of the fit.

Only documents of the split "fit" are used. Figures are those of the split "test": other documents.
But some choices were made by these figures: TEXT_FLOOR by p95, EXTRA_WEIGHT and TRANSLATIONS_WEIGHT by
Russian held out of the fit, EMOJI by emoji held out, ODD and PLAIN by probes of both splits.
"""

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "crates/contextfit-core/src/estimate/weighted/tables"
REPORT = ROOT / "tools/estimator-fit/report.json"

FAMILIES = ["o200k", "cl100k", "llama3", "qwen", "gemma", "deepseek", "mistral", "claude"]
KINDS = [
    "ar", "base64", "csv_nums", "emoji", "en_prose", "fr_de_es", "hi", "ja", "ja_prose",
    "json_dense", "ko", "logs", "markdown", "py_code", "ru", "rust_code", "th", "urls",
    "uuid_hex", "zh", "zh_prose",
]
TABLES_OF = [*FAMILIES, "widest"]
UNITS = 27_720

WIDEST_FLOOR = 0.9
RUN_FLOOR = 0.53
TEXT_FLOOR = 0.54
# Letters that no text has, or not as many in a row: the last places of the runs that count bytes, and
# the states that each letter after many goes through. They cost LONG_FLOOR a byte: no tokenizer
# makes more of it than a token.
LONG = {"Greek": 2, "Cyrillic": 2, "CyrillicMore": 2, "Armenian": 2, "ArmenianCapital": 2, "Hebrew": 2,
        "Arabic": 2, "ArabicMore": 2, "Georgian": 3, "Hangul": 3}
SIGN_SCRIPTS = """Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai
Lao Tibetan""".split()
ODD = """
LatinMore 4
CyrillicOther 2
CyrillicD1 16, Cyrillic 32
ArmenianD6 15, Armenian 30
ArmenianCapital 3, ArmenianCapital 4
GreekMore 1
GeorgianMore 1
OddLetter 1
Mongolian 1
LeadE1 1, Transcription 1, Tail 1
LeadEF 1, WideLetter 1, Tail 1
HangulEA 7, Hangul 20, Hangul 21
HangulEA 7, HangulRare 7, Hangul 21
LeadE0 8, Thai 8, RareLetter 8
LeadE1 8, Khmer 8, VowelLetter 8
LeadE1 12, Khmer 12, Mark 5
LeadF0 1, Emoji 1, EmojiOf 9
""".strip().split("\n")
ODD += [f"LeadE0 8, {script} 8, {letter} 8" for script in SIGN_SCRIPTS
        for letter in ("Letter", "VowelLetter")]
ODD += [f"LeadE0 12, {script} 12, Mark 5" for script in SIGN_SCRIPTS]
# Some of these are taken apart into two letters.
TWO_LETTERS = [f"LeadE0 12, {script} 12, OddLetter 5" for script in SIGN_SCRIPTS]
ODD += [f"LeadE1 8, {script} 8, Letter 8" for script in ("Myanmar", "Khmer", "Ethiopic")]
LENGTH = {"LatinMore": 2, "CyrillicOther": 2, "CyrillicD1": 2, "ArmenianD6": 2, "ArmenianCapital": 2,
          "LeadF0": 4}
# Every emoji is a token or more.
EMOJI = [f"LeadF0 1, Emoji 1, EmojiOf {kind}, Tail 1" for kind in (2, 3, 4, 5, 6, 7)]
ODD += EMOJI
LENGTH |= dict.fromkeys(EMOJI, 2)
# Letters that are two tokens at most.
LENGTH |= {"LeadE1 1, Transcription 1, Tail 1": 2, "LeadEF 1, WideLetter 1, Tail 1": 2}
# Characters that are a token or less, each alone: half a token at least.
PLAIN = """
LatinMore 2, Accent 2
LatinMore 3, Accent 2
LeadE1 1, Vietnamese 1, Vietnamese 2
Cyrillic 1, CyrillicOther 1
CyrillicD1 1, CyrillicOther 1
Sign 1, Tail 1
LeadE2 1, Typographic 1, Tail 1
LeadE2 1, Symbol 1, Tail 1
LeadE3 1, CjkMark 1, Tail 1
LeadEF 1, Wide 1, Tail 1
Han 7, Han 8, Han 9
HanE4 3, Han 8, Han 9
HanE7 3, Han 8, Han 9
HanE8 3, Han 8, Han 9
HanE9 3, Han 8, Han 9
HanE7 3, Traditional 3, Han 9
HanE8 3, Traditional 3, Han 9
HanE9 3, Traditional 3, Han 9
HanE7 3, Simplified 3, Han 9
HanE8 3, Simplified 3, Han 9
HanE9 3, Simplified 3, Han 9
Vowel 8, Consonant 8
""".strip().split("\n")
LONG_FLOOR = 0.51
FLOOR_ROUNDS = 25
# What a kind of text counts that the goals aren't about: little, but more where it is all there is
# of its script.
EXTRA_WEIGHT = 0.02
SCRIPT_WEIGHT = 0.3
TRANSLATIONS_WEIGHT = 2.0
SCRIPTS = "am bn_as bo_dz el gu he hy ka km kn lo ml my or pa si ta te".split()
PROBE_WEIGHT = 0.0003
# Probes that could as well be text.
LIKE_TEXT = """base64 base64url_lines base64_zeros base64_repetitive base64_counting digits digits_decimal
digits_spaced hex hex_upper letters_and_digits letters_mixed letters_upper emoji_all emoji_random
emoji_joined emoji_skin_tones emoji_flags box_line""".split()
LIKE_TEXT_WEIGHT = 0.1
TO_NEIGHBOUR = 3e-4
TO_COMMON = 3e-3
ROBUST_ROUNDS = 4
ROBUST = 0.06


class Texts:
    """Texts of one file: what they are, what they cost, and the states they go through."""

    def __init__(self, path):
        lines = [json.loads(line) for line in path.open(encoding="utf-8")]
        visits = subprocess.run(
            ["cargo", "run", "-q", "--release", "-p", "contextfit-benches", "--bin", "visits",
             "--", path],
            cwd=ROOT, check=True, capture_output=True, encoding="utf-8",
        ).stdout.splitlines()
        self.states = visits[0].split(",")
        self.visits = np.array([line.split(",") for line in visits[1:]], dtype=float)
        self.kind = np.array([line["kind"] for line in lines])
        self.test = np.array([line.get("split", "fit") == "test" for line in lines])
        self.name = [line["doc"].split("/")[-1] for line in lines]
        self.tokens = {family: np.array([count(line, family) for line in lines], dtype=float)
                       for family in FAMILIES}
        self.tokens["widest"] = np.array([widest(line) for line in lines], dtype=float)


def count(line, family):
    """The true count. Gemma's family has two tokenizers that hardly differ: their mean."""
    if family == "gemma" and line.get("gemini"):
        return (line["gemma"] + line["gemini"]) / 2
    return line[family]


def widest(line):
    """The greatest count of any tokenizer."""
    return max(line.get(name, 0) for name in [*FAMILIES, "gemini"])


def kind_weights(kinds):
    """The same for each kind of the goals, and less for each other kind."""
    names, index, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    weights = dict.fromkeys(KINDS, 1.0) | dict.fromkeys(SCRIPTS, SCRIPT_WEIGHT)
    weights["translations"] = TRANSLATIONS_WEIGHT
    of_kind = np.array([weights.get(name, EXTRA_WEIGHT) for name in names])
    return (of_kind / counts)[index]


def neighbours(states):
    """Pairs of a state and the one before it in its run; of three-byte runs, a character before."""
    places = {}
    for state, name in enumerate(states):
        run, place = name.split()
        places[run, int(place)] = state
    step = {"Georgian": 3, "Kana": 3, "Han": 3, "Hangul": 3, "Box": 3,
            "Greek": 2, "Cyrillic": 2, "CyrillicMore": 2, "Armenian": 2, "ArmenianCapital": 2,
            "Hebrew": 2, "Arabic": 2, "ArabicMore": 2}
    apart = {"Quote", "Open", "Close", "Point", "Comma", "Colon", "Slash", "Backslash", "Dash",
             "Underscore", "Line", "Operator", "EmojiOf", "LatinMore"}
    return [(state, places[run, place - step.get(run, 1)])
            for (run, place), state in places.items()
            if run not in apart and (run, place - step.get(run, 1)) in places]


class Fit:
    """The fits of one choice of texts."""

    def __init__(self, texts, chosen, probes):
        self.states = texts.states
        self.visits = texts.visits[chosen]
        self.weights = kind_weights(texts.kind[chosen])
        self.probe_visits = probes.visits[~probes.test]
        is_like_text = np.isin(probes.name, LIKE_TEXT)[~probes.test]
        self.probe_weights = np.where(is_like_text, LIKE_TEXT_WEIGHT, PROBE_WEIGHT)
        self.of_goals = np.isin(texts.kind[chosen], KINDS)
        self.probe_floors = np.full(len(self.probe_visits), RUN_FLOOR)

    def family(self, tokens, probe_tokens, common=None, goals_floor=0.0):
        """The weights of the states for these true counts."""
        rows = [(self.visits / tokens[:, None], np.ones(len(tokens)), self.weights),
                (self.probe_visits / probe_tokens[:, None], np.ones(len(probe_tokens)),
                 self.probe_weights)]
        x = np.concatenate([x for x, _, _ in rows])
        weight = np.concatenate([w for _, _, w in rows])
        soft = np.ones(len(x))
        floors = np.concatenate([np.maximum(TEXT_FLOOR, goals_floor * self.of_goals), self.probe_floors,
                                 np.full(len(self.longest()), LONG_FLOOR)])
        for _ in range(ROBUST_ROUNDS):
            weights = self.least(x, weight * soft, floors, common)
            soft = ROBUST / np.maximum(np.abs(x @ weights - 1), ROBUST)
        return weights

    def longest(self):
        """The states of each letter that no text has, by byte."""
        letters = []
        for script, length in LONG.items():
            places = [place for place, name in enumerate(self.states) if name.split()[0] == script]
            letters.append((places[-length:], length))
        letters += [(self.numbers(names), LENGTH.get(names, LENGTH.get(names.split()[0], 3))) for names in ODD]
        letters += [(self.numbers(names), 6) for names in TWO_LETTERS]
        letters += [(self.numbers(names), 1) for names in PLAIN]
        rows = np.zeros((len(letters), len(self.states)))
        for row, (places, length) in zip(rows, letters):
            np.add.at(row, places, 1 / length)
        return rows

    def numbers(self, names):
        return [self.states.index(name) for name in names.split(", ")]

    def least(self, x, weight, floors, common):
        size = x.shape[1]
        gram = x.T @ (x * weight[:, None])
        target = x.T @ weight
        # How much a state is drawn follows from how much it is of texts, at most.
        scale = np.trace(gram) / size
        for state, before in neighbours(self.states):
            pull = TO_NEIGHBOUR * scale
            gram[state, state] += pull
            gram[before, before] += pull
            gram[state, before] -= pull
            gram[before, state] -= pull
        pull = TO_COMMON * scale
        gram += np.diag(np.full(size, pull))
        # At first a byte is guessed to be a fifth of a token, where it tells anything.
        tells = np.array([not state.startswith(("Lead", "Tail")) for state in self.states])
        target += pull * (0.2 * tells if common is None else common)
        return raised(gram, target, np.concatenate([x, self.longest()]), floors)


def raised(gram, target, x, floors):
    """Solves, and again with what is below its floor, until nothing is."""
    force = np.zeros(len(x))
    used = np.ones(len(gram), dtype=bool)
    for _ in range(FLOOR_ROUNDS):
        pulled = force > 0
        pull = x[pulled] * force[pulled, None]
        weights, used = solve(gram + x[pulled].T @ pull, target + pull.T @ (floors[pulled] + 0.01), used)
        ratio = x @ weights
        below = ratio < floors
        if not below.any():
            break
        force = np.where(below, np.maximum(2 * force, 0.001), force)
        force = np.where(ratio > floors + 0.05, force / 2, force)
    return weights


def solve(gram, target, used):
    """The least squares of a Gram matrix with no weight below nothing, by block pivoting.

    `used` are the weights that are guessed to be more than nothing.
    """
    used = used.copy()
    fewest, chances = len(gram) + 1, 3
    while True:
        weights = np.zeros(len(gram))
        weights[used] = np.linalg.solve(gram[np.ix_(used, used)], target[used])
        wrong = np.where(used, weights < -1e-9, gram @ weights - target < -1e-9)
        count = wrong.sum()
        if count == 0:
            return weights, used
        if count < fewest:
            fewest, chances = count, 3
        elif chances > 0:
            chances -= 1
        else:
            # One at a time: slow, and certain to end.
            wrong[: np.flatnonzero(wrong)[-1]] = False
        used ^= wrong


def fit_all(texts, chosen, probes, families=FAMILIES):
    """The weights of every family: first what they have in common, then each."""
    fit = Fit(texts, chosen, probes)
    mean = np.mean([texts.tokens[family] for family in FAMILIES], axis=0)[chosen]
    probe_mean = np.mean([probes.tokens[family] for family in FAMILIES], axis=0)[~probes.test]
    common = fit.family(mean, probe_mean)
    return {family: fit.family(texts.tokens[family][chosen], probes.tokens[family][~probes.test],
                               common, WIDEST_FLOOR if family == "widest" else 0.0)
            for family in families}


def errors(weights, texts, chosen, family):
    tokens = texts.tokens[family][chosen]
    return (texts.visits[chosen] @ weights - tokens) / tokens


def quantile(values, weights, q):
    order = np.argsort(values)
    below = np.cumsum(weights[order]) / weights.sum()
    return values[order][min(np.searchsorted(below, q), len(values) - 1)]


def figures(error, weights=None):
    weights = np.ones(len(error)) if weights is None else weights
    size = np.abs(error)
    return {"mean": round(100 * float(np.average(size, weights=weights)), 2),
            "p95": round(100 * float(quantile(size, weights, 0.95)), 2),
            "bias": round(100 * float(np.average(error, weights=weights)), 2),
            "least": round(100 * float(error.min()), 1),
            "most": round(100 * float(error.max()), 1)}


def headroom(error, weights, share):
    """Percent to add so that this share of texts isn't underestimated."""
    return max(0, int(np.ceil(100 * (quantile(1 / (1 + error), weights, share) - 1))))


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/estimator-corpus")
    texts = Texts(folder / "chunks.jsonl")
    probes = Texts(folder / "probes.jsonl")
    weights = fit_all(texts, ~texts.test, probes, TABLES_OF)
    tested = texts.test & np.isin(texts.kind, KINDS)
    of_kind = kind_weights(texts.kind[tested])
    report = {}
    for family in TABLES_OF:
        error = errors(weights[family], texts, tested, family)
        kinds = {kind: figures(errors(weights[family], texts, chosen, family))
                 for kind in np.unique(texts.kind)
                 if (chosen := texts.test & (texts.kind == kind)).any()}
        report[family] = {"all": figures(error, of_kind),
                          "headroom": [headroom(error, of_kind, share) for share in (0.95, 0.99)],
                          "kinds": kinds}
        print(family, report[family]["all"], report[family]["headroom"])
        error = errors(weights[family], probes, probes.test, family)
        names = np.array(probes.name)[probes.test]
        worst = [f"{names[i]} {100 * error[i]:+.0f}" for i in np.argsort(error)[[0, 1, 2, -2, -1]]]
        print("   probes:", ", ".join(worst))
    for kind in report["o200k"]["kinds"]:
        print(f"{kind:17}", *(f"{report[f]['kinds'][kind]['mean']:6.1f}" for f in report), flush=True)
    for family in TABLES_OF:
        write_table(family, texts.states, weights[family])
    write_headroom(report)
    write_accuracy(report)
    if "--quick" not in sys.argv:
        with ProcessPoolExecutor(initializer=share, initargs=(texts, probes)) as pool:
            for kind, of_families in zip(KINDS, pool.map(held_out, KINDS)):
                for family, of_family in of_families.items():
                    report[family].setdefault("held_out", {})[kind] = of_family
                means = (f"{of_family['mean']:6.1f}" for of_family in of_families.values())
                print(f"held out {kind:12}", *means, flush=True)
        REPORT.write_text(json.dumps(report, indent=1) + "\n")


shared = []


def share(*all):
    """For processes that fit without a kind: they all use the same texts."""
    shared.extend(all)


def held_out(kind):
    """What weights that were fitted without a kind make of it, all of it."""
    texts, probes = shared
    chosen = texts.kind == kind
    weights = fit_all(texts, ~texts.test & ~chosen, probes)
    return {family: figures(errors(weights[family], texts, chosen, family)) for family in FAMILIES}


HEAD = "// Written by tools/estimator-fit/fit.py.\n\n"


def write_table(family, states, weights):
    """A line for each run: its weights by place."""
    runs = {}
    for name, weight in zip(states, weights):
        runs.setdefault(name.split()[0], []).append(str(round(weight * UNITS)))
    lines = [f"    (Run::{run}, &[{', '.join(of_run)}]),\n" for run, of_run in runs.items()]
    write(family, "use crate::estimate::weighted::run::Run;\n"
          "use crate::estimate::weighted::weights::Weights;\n\n"
          "pub(super) static WEIGHTS: Weights = Weights::new(&[\n" + "".join(lines) + "]);\n")


def write_headroom(report):
    arms = "".join(f"        Family::{variant} => [{h[0]}, {h[1]}],\n"
                   for variant, family in VARIANTS.items() for h in [report[family]["headroom"]])
    write("headroom", "use crate::estimate::Family;\n\n"
          "/// Percent to add so that 95 % and 99 % of texts aren't underestimated.\n"
          "pub(super) const fn headroom(family: Family) -> [u32; 2] {\n"
          "    match family {\n" + arms + "    }\n}\n")
    rows = [[f"for {share} % of texts", *(str(report[family]["headroom"][i]) for family in TABLES_OF)]
            for i, share in enumerate((95, 99))]
    page = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    (TABLES / "headroom.md").write_text(page)


def write_accuracy(report):
    """The mean error of each kind, in percent of the true count, for the documentation."""
    rows = [[kind, *(f"{report[family]['kinds'][kind]['mean']:.1f}" for family in TABLES_OF)] for kind in KINDS]
    page = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    (TABLES / "accuracy.md").write_text(page)


VARIANTS = {"O200k": "o200k", "Cl100k": "cl100k", "Llama3": "llama3", "Qwen": "qwen",
            "Gemma": "gemma", "DeepSeek": "deepseek", "Mistral": "mistral", "Claude": "claude",
            "Widest": "widest"}


def write(name, code):
    path = TABLES / f"{name}.rs"
    path.write_text(HEAD + code)
    subprocess.run(["rustfmt", "--edition", "2024", path], check=True)


if __name__ == "__main__":
    main()
