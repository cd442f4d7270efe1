"""Small models for the examples: plain PyTorch, no dropout, so that two runs with the same seed can be compared."""

from .convnet import ConvNet
from .gpt import GPT
from .mlp import MLP
from .vit import ViT

__all__ = ["MLP", "ConvNet", "ViT", "GPT"]
