# SPDX-License-Identifier: MIT
"""Counts, in C."""

from sample._count import count

__all__ = ["count"]
