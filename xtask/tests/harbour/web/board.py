"""The board of arrivals."""

import json
from dataclasses import dataclass


@dataclass
class Arrival:
    """A ship that is expected."""

    ship: str
    hour: int


def load(text: str) -> list[Arrival]:
    """Reads arrivals from JSON."""
    return [Arrival(**entry) for entry in json.loads(text)]


def render(arrivals: list[Arrival]) -> str:
    """One line for each arrival, the earliest first."""
    return "\n".join(f"{a.hour:02}:00 {a.ship}" for a in sorted(arrivals, key=lambda a: a.hour))
