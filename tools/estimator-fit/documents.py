"""One document: the unit that is in the fit or in the test, never in both."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    kind: str
    source: str  # the package it came from, or the generator that made it
    name: str
    text: str
    language: str = ""  # of a source that holds many
    side: str = ""  # "fit" or "test" when its maker decides, otherwise the split does

    @property
    def id(self) -> str:
        return f"{self.source}/{self.name}"
