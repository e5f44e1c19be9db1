"""Shows progress on the terminal: with tqdm if it is installed, otherwise as lines on stderr."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any


class Progress:
    """A progress bar of `total` parts with a text. Use it as a context manager."""

    def __init__(self, title: str, total: float | None) -> None:
        self._bar: Any = None
        self._title = title
        self._total = total
        if importlib.util.find_spec("tqdm") is not None:
            from tqdm.auto import tqdm

            shape = "{l_bar}{bar}| {elapsed}{postfix}"
            self._bar = tqdm(desc=title, total=total, bar_format=shape if total else None)

    def update(self, done: float, text: str) -> None:
        if self._bar is not None:
            self._bar.n = done if self._total is None else min(done, self._total)
            self._bar.set_postfix_str(text)
            return
        share = f" {done / self._total:.0%}" if self._total else ""
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{self._title}:{share} {text}", end=end, file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif sys.stderr.isatty():
            print(file=sys.stderr)
