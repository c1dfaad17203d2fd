#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks README.md and docs/ against the tree.

usage: check_docs.py [ROOT]

- links to files and headings lead somewhere, and paths in `backquotes` exist;
- every property of Fuseq's own stands in docs/debugging.md, every law in docs/post_ops.md, and none
  that does not exist;
- the program in README.md is the one in samples/hello_infer;
- the samples that README.md lists are there and have at most 120 lines.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
QUOTED_PATH = re.compile(r"`((?:src|include|transformations|tests|samples|docs)/[\w./-]*\w)`")
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PROPERTY = re.compile(r'"(FUSEQ_[A-Z_]+)"')
PROPERTY_ROW = re.compile(r"^\| (`FUSEQ_[^|]*) \|", re.MULTILINE)
SAMPLE_LINES = 120
LAW = re.compile(r'\{"(\w+)", \w+\}')
LAW_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def anchor(heading):
    """As GitHub makes them."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return text.replace(" ", "-")


def read(path):
    return path.read_text(encoding="utf-8")


def check_links(root, page):
    text = CODE_BLOCK.sub("", read(page))
    for target in LINK.findall(text):
        if "://" in target:
            continue
        file, _, heading = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists():
            yield f"link to {target}: no such file"
        elif heading and heading not in [anchor(h) for h in HEADING.findall(read(path))]:
            yield f"link to {target}: no such heading"
    for name in QUOTED_PATH.findall(text):
        stem = root / name
        if not stem.exists() and not any(stem.parent.glob(stem.name + ".*")):
            yield f"`{name}`: no such file"


def same_names(what, code, rows):
    for name in sorted(code - rows):
        yield f"{what} {name} is missing"
    for name in sorted(rows - code):
        yield f"{what} {name} does not exist"


def check_properties(root):
    files = [root / "include/fuseq/any.hpp", *sorted((root / "src").rglob("*.cpp")),
             *sorted((root / "src").rglob("*.hpp"))]
    code = {name for file in files for name in PROPERTY.findall(read(file))}
    rows = PROPERTY_ROW.findall(read(root / "docs/debugging.md"))
    rows = {name for row in rows for name in re.findall(r"`(FUSEQ_[A-Z_]+)`", row)}
    return same_names("property", code, rows)


def check_laws(root):
    code = set(LAW.findall(read(root / "src/cpu/post_ops/laws/laws.cpp")))
    section = read(root / "docs/post_ops.md").split("## Laws")[1].split("\n## ")[0]
    return same_names("law", code, set(LAW_ROW.findall(section)))


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def check_program(root):
    sample = read(root / "samples/hello_infer/main.cpp").split("// [README]\n")[1]
    readme = read(root / "README.md")
    start = readme.index("int main(")
    shown = readme[start:readme.index("\n}\n```", start)].split("{\n", 1)[1]
    if lines_of(sample) != lines_of(shown):
        yield "the program differs from samples/hello_infer/main.cpp"


def check_samples(root):
    table = read(root / "README.md").split("| sample | shows |\n")[1].split("\n\n")[0]
    names = [name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]
    for name in names:
        sources = sorted((root / "samples" / name).glob("*.*"))
        if not sources:
            yield f"sample {name} is missing"
        for source in sources:
            lines = len(read(source).splitlines())
            if lines > SAMPLE_LINES:
                yield f"sample {source.relative_to(root)} has {lines} lines, at most {SAMPLE_LINES}"
    for folder in sorted((root / "samples").iterdir()):
        programs = read(root / "samples/programs.cmake")
        if re.search(rf"\b{folder.name}\b", programs) and (folder / "main.cpp").exists() and \
                folder.name not in names and folder.name != "generate_model":
            yield f"sample {folder.name} is not in the table"


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    pages = [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]
    findings = [f"{page.relative_to(root)}: {text}" for page in pages
                for text in check_links(root, page)]
    findings += [f"docs/debugging.md: {text}" for text in check_properties(root)]
    findings += [f"docs/post_ops.md: {text}" for text in check_laws(root)]
    findings += [f"README.md: {text}" for text in check_program(root)]
    findings += [f"README.md: {text}" for text in check_samples(root)]
    for finding in findings:
        print(finding)
    if not findings:
        print(f"docs: {len(pages)} pages, all names and links hold")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
