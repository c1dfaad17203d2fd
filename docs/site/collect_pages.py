#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of docs to a folder that mkdocs reads; the README is its index.md.

    docs/site/collect_pages.py build/site/pages

Links from page to page stay links. A link to a file of the source tree, which is no page, becomes its name.
"""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
PAGES_ELSEWHERE = {ROOT / "README.md": "index.md", ROOT / "CONTRIBUTING.md": "contributing.md",
                   ROOT / "CHANGELOG.md": "changelog.md", DOCS / "README.md": "pages.md",
                   DOCS / "decisions/README.md": "decisions/index.md"}


def place_of(target):
    """Where a file of the project is in the site, or None."""
    if target in PAGES_ELSEWHERE:
        return DOCS / PAGES_ELSEWHERE[target]
    return target if target.is_relative_to(DOCS) and target.suffix in (".md", ".svg", ".png") else None


def with_links(text, source, page):
    """The text of `source` with links as they are from `page`."""
    def replaced(match):
        image, words, path, anchor = match.groups()
        if re.match(r"[a-z]+:", path):
            return match.group(0)
        target = (source.parent / path).resolve()
        if not target.exists():
            sys.exit(f"error: {source.relative_to(ROOT)}: no file {path}")
        place = place_of(target)
        if place is None:
            return words if "`" in words else f"`{target.relative_to(ROOT)}`"
        return f"{image}[{words}]({os.path.relpath(place, page.parent)}{anchor or ''})"

    return LINK.sub(replaced, text)


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    pages = {page: page for page in DOCS.rglob("*.md")}
    pages.update({source: DOCS / name for source, name in PAGES_ELSEWHERE.items()})  # moves two of docs
    for source, page in pages.items():
        copy = out / page.relative_to(DOCS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(with_links(source.read_text(encoding="utf-8"), source, page), encoding="utf-8")
    shutil.copytree(DOCS / "images", out / "images", dirs_exist_ok=True)


if __name__ == "__main__":
    main()
