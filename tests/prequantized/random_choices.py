# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What random networks of both formats choose with."""
import numpy as np


class Choices:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def between(self, low, high):
        return int(self.rng.integers(low, high))

    def pick(self, choices):
        return choices[self.between(0, len(choices))]

    def maybe(self, share=0.5):
        return self.rng.random() < share
