# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The class of a property's name."""


class Property(str):
    """A name that can be called: Property("X")() is "X", Property("X")(1) is ("X", 1)."""

    def __call__(self, value=None):
        return str(self) if value is None else (str(self), value)
