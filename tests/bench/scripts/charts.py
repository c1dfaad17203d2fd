#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the charts of docs/performance.md from the tables that stand in it.

usage: charts.py [--check]

Of each section the first table counts. --check writes nothing and says whether the charts are those of
the tables. Run it after a table has changed.
"""
import argparse
import pathlib
import re
import sys
from xml.sax.saxutils import escape

import measure

PAGE = measure.ROOT / "docs/performance.md"
IMAGES = measure.ROOT / "docs/images"
PEERS = "Generated networks against ONNX Runtime"
REAL_MODELS = "Real models"

LEFT, RIGHT = 330, 40  # of the bars
WIDTH = 800
BAR, GAP = 10, 9
COLOURS = ("#1565c0", "#b0bec5")


def section_of(text, heading):
    section = text.split(f"\n## {heading}\n", 1)
    if len(section) != 2:
        raise measure.Missing(f"{PAGE.name} has no section '{heading}'")
    return section[1].split("\n## ", 1)[0]


def title_of(text, heading):
    """With the machine and the day of the section's first table."""
    machine = re.search(r"^(.*), commit ", section_of(text, heading), re.MULTILINE)
    what = "Share of the int8 peak, one thread"
    return f"{what}; {machine.group(1)}" if machine else what


def first_table(text, heading):
    """Rows of the first table below a heading, as dictionaries of its columns."""
    table = []
    for line in section_of(text, heading).splitlines():
        if line.startswith("| "):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
        elif table:
            break
    if len(table) < 3:
        raise measure.Missing(f"section '{heading}' of {PAGE.name} has no table")
    return [dict(zip(table[0], row)) for row in table[2:]]


def percent(cell):
    """'82 %' -> 82; an empty cell -> None."""
    match = re.match(r"([\d.]+) %$", cell)
    return float(match.group(1)) if match else None


def text(x, y, words, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(words)}</text>'


def bar_chart(title, names, rows):
    """An SVG. names: of the two sides; rows: (label, percent or None, percent or None, note)."""
    scale = (WIDTH - LEFT - RIGHT) / 100
    top = 52
    step = 2 * BAR + GAP
    height = top + step * len(rows) + 26
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
             'font-family="sans-serif" font-size="12">',
             f"<title>{escape(title)}</title>",
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             text(20, 18, title, font_size="14")]
    for number, name in enumerate(names):
        x = LEFT + 160 * number
        parts.append(f'<rect x="{x}" y="28" width="12" height="{BAR}" fill="{COLOURS[number]}"/>')
        parts.append(text(x + 18, 37, name))
    for mark in range(0, 101, 20):
        x = LEFT + mark * scale
        parts.append(f'<line x1="{x:g}" y1="{top - 6}" x2="{x:g}" y2="{height - 22}" stroke="#e0e0e0"/>')
        parts.append(text(x, height - 8, f"{mark} %", text_anchor="middle", fill="#555"))
    for number, (label, *values, note) in enumerate(rows):
        y = top + step * number
        parts.append(text(LEFT - 8, y + BAR + 4, label, text_anchor="end"))
        for side, value in enumerate(values):
            if value is not None:
                parts.append(f'<rect x="{LEFT}" y="{y + side * BAR}" width="{value * scale:g}" '
                             f'height="{BAR}" fill="{COLOURS[side]}"/>')
        end = LEFT + max(value or 0 for value in values) * scale
        parts.append(text(end + 6, y + BAR + 4, note, fill="#333"))
    return "\n".join([*parts, "</svg>", ""])


def peers(page):
    rows = [(row["network"], percent(row["of peak, Fuseq"]), percent(row["ONNX Runtime"]),
             f"{row['ratio 1T']} x")
            for row in first_table(page, PEERS)]
    return bar_chart(title_of(page, PEERS), ("Fuseq", "ONNX Runtime 1.30"), rows)


def real_models(page):
    rows = [(row["model"], percent(row["of peak"]), percent(row["OpenVINO"]),
             f"{row['times']} x" if row["times"] else "")
            for row in first_table(page, REAL_MODELS)]
    return bar_chart(title_of(page, REAL_MODELS), ("Fuseq", "OpenVINO 2021.4, on Zen 4"), rows)


CHARTS = {"peers.svg": peers, "real_models.svg": real_models}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    stale = []
    for name, draw in CHARTS.items():
        path = IMAGES / name
        chart = draw(page)
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != chart:
                stale.append(name)
        else:
            path.write_text(chart, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: not those of the tables in {PAGE.name}; "
              f"run {pathlib.Path(__file__).name}")
    return 1 if stale else 0


if __name__ == "__main__":
    measure.run_script(main)
