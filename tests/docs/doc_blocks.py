# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the pages, and the list of what is not run."""
import collections
import re

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

Block = collections.namedtuple("Block", "page number language text")
# `start`: how the command begins; "*": the whole block. `number`: of the block, from 1 in its page and language.
Skip = collections.namedtuple("Skip", "page language number start reason")


def blocks_of(page, text, languages):
    """Blocks of these languages, numbered from 1 for each language."""
    count = collections.Counter()
    found = []
    for match in BLOCK.finditer(text):
        language = match.group(1)
        count[language] += 1
        if language in languages:
            found.append(Block(page, count[language], language, match.group(2)))
    return found


def commands_of(text):
    """Commands of a shell block: comments and continued lines are taken out."""
    commands = []
    for line in text.replace("\\\n", " ").splitlines():
        command = re.sub(r"(^|\s)#.*$", "", line).strip()
        if command:
            commands.append(re.sub(r"\s+", " ", command))
    return commands


def read_skips(text):
    """Lines `page | language number | start of the command, or * | reason`."""
    skips = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) != 4 or not parts[3]:
            raise ValueError(f"not 'page | language number | start | reason': {line}")
        language, number = parts[1].split()
        skips.append(Skip(parts[0], language, int(number), parts[2], parts[3]))
    return skips


class SkipList:
    """What is skipped, and which lines of the list were of use."""

    def __init__(self, skips):
        self.skips = skips
        self.used = set()

    def reason(self, block, command=None):
        """Why a command, or without one the whole block, is not run; None: it is."""
        for skip in self.skips:
            if skip[:3] != (block.page, block.language, block.number):
                continue
            if skip.start == "*" or (command is not None and command.startswith(skip.start)):
                self.used.add(skip)
                return skip.reason
        return None

    def stale(self):
        return [skip for skip in self.skips if skip not in self.used]
