#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What doc_blocks.py takes for a command, and when a line of the list is stale."""
import unittest

from doc_blocks import Block, SkipList, blocks_of, commands_of, read_skips

PAGE = """# A page

```sh
infer -m a.xml   # a comment
tool --colour '#3' \\
    -x  # another

```

```cmake
find_package(x)
```

```sh
second
```
"""


class Blocks(unittest.TestCase):
    def test_are_numbered_by_language(self):
        found = blocks_of("p.md", PAGE, {"sh"})
        self.assertEqual([(b.page, b.language, b.number) for b in found], [("p.md", "sh", 1), ("p.md", "sh", 2)])
        self.assertEqual(found[1].text, "second\n")

    def test_commands_have_no_comments(self):
        self.assertEqual(commands_of(blocks_of("p.md", PAGE, {"sh"})[0].text), ["infer -m a.xml", "tool --colour '#3' -x"])


class Skips(unittest.TestCase):
    def setUp(self):
        self.skips = SkipList(read_skips("# comment\np.md | sh 1 | infer | is slow\np.md | sh 2 | * | needs root\n"))

    def test_are_for_a_command_or_a_block(self):
        first, second = Block("p.md", 1, "sh", ""), Block("p.md", 2, "sh", "")
        self.assertEqual(self.skips.reason(first, "infer -m a.xml"), "is slow")
        self.assertIsNone(self.skips.reason(first, "explain"))
        self.assertIsNone(self.skips.reason(first))
        self.assertEqual(self.skips.reason(second, "anything"), "needs root")

    def test_that_no_command_needs_are_stale(self):
        self.skips.reason(Block("p.md", 2, "sh", ""), "x")
        self.assertEqual([skip.start for skip in self.skips.stale()], ["infer"])

    def test_have_a_reason(self):
        with self.assertRaises(ValueError):
            read_skips("p.md | sh 1 | * | \n")


if __name__ == "__main__":
    unittest.main()
