"""Real data that every machine with the environment has: handwritten digits, and Python's own source text."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


@dataclass
class Data:
    """Training batches by step number, and one batch held out."""

    batch: object  # step -> (inputs, targets)
    held_out: tuple[Tensor, Tensor]
    what: str


def digits(flat: bool, batch_size: int) -> Data:
    """scikit-learn's 1,797 images of 8×8 pixels, one in five held out."""
    from sklearn.datasets import load_digits

    source = load_digits()
    images = torch.tensor(source.data, dtype=torch.float32) / 16.0
    images = images if flat else images.view(-1, 1, 8, 8)
    labels = torch.tensor(source.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    test, train = order[: len(order) // 5], order[len(order) // 5 :]

    def batch(step: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(len(train), (batch_size,), generator=torch.Generator().manual_seed(1000 + step))
        return images[train[chosen]], labels[train[chosen]]

    return Data(batch, (images[test], labels[test]), f"{len(labels):,} handwritten digits of scikit-learn")


def python_source(context: int, batch_size: int, limit: int = 3_000_000) -> tuple[Data, int]:
    """The text of the installed standard library's top-level modules, character by character -> (data, vocabulary)."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    text = ""
    for path in sorted(folder.glob("*.py")):
        text += path.read_text(errors="ignore")
        if len(text) >= limit:
            break
    alphabet = ["\n"] + [chr(c) for c in range(32, 127)]
    index = {c: i for i, c in enumerate(alphabet)}
    codes = torch.tensor([index[c] for c in text[:limit] if c in index])
    train, test = codes[: len(codes) * 9 // 10], codes[len(codes) * 9 // 10 :]

    def windows(source: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(source) - context - 1, (count,), generator=torch.Generator().manual_seed(seed))
        rows = torch.stack([source[s : s + context + 1] for s in starts])
        return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()

    what = f"{len(codes):,} characters of Python's standard library"
    return Data(lambda step: windows(train, batch_size, 1000 + step), windows(test, 2 * batch_size, 7), what), len(alphabet)
