"""Files appear whole or not at all, since others may read them while we work."""

import os
from pathlib import Path


def write_atomically(file: Path, text: str):
    part = file.with_suffix(file.suffix + ".part")
    part.write_text(text, encoding="utf-8", newline="")
    os.replace(part, file)
