"""Translations of ATen operators into prims, one file per kind of operator; importing this fills the table."""

from . import assign, elementwise, indexing, nn, products, random, reduction, shape
from .registry import TABLE, Entry, NotApplicable, register

__all__ = [
    "TABLE", "Entry", "NotApplicable", "assign", "elementwise", "indexing", "nn", "products", "random", "reduction", "register",
    "shape",
]
