#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the real models at several instruction set levels and counts what differs from the oracle.

    isa_levels.py --infer BIN --shared DIR [--level L]... [--model M]... [--rows FILE]
    isa_levels.py --page --rows FILE

A level is a value of FUSEQ_MAX_ISA that the machine has (tests/isa/at_level.sh). For each model and level: every
output must be as near to the golden one as check_model.py wants, and every FakeQuantize result must
pass the oracle's check_layers.py. Over all models of a level, elements that are off by one step and
are not ties may be 0.0001 of all at most. --rows keeps what was found (JSON lines, one a model and
level; a later line replaces an earlier one); --page prints docs/instruction_sets.md from it. Exit
status 77 when there are no real models beside the project.
"""
import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import check_model

LEVELS = ["avx512_amx", "avx512_vnni", "avx512", "avx2_vnni", "avx2", "sse41"]
MAX_OFF = 0.0001

COUNTS = re.compile(r"layers (\d+), elements (\d+), equal [\d.]+ %, off-by-one (\d+), worse (\d+) "
                    r"\(of the off-by-one, (\d+) are ties\)")


def measure(args, model, level):
    """One row: what the oracle counted, and the outputs with their verdicts."""
    os.environ["FUSEQ_MAX_ISA"] = level
    row = {"model": model, "level": level, "layers": 0, "elements": 0, "ties": 0, "not_ties": 0,
           "worse": 0, "outputs": [], "good": False}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if check_model.run_infer(args.infer, args.shared, model, "CPU", folder) != 0:
            return row
        outputs = list(check_model.compare_outputs(args.shared, model, folder / "out"))
        passed, text = check_model.check_layers(args.shared, model, folder)
        row["outputs"] = [[name, good, verdict] for name, good, verdict in outputs]
        row["good"] = passed and all(good for _, good, _ in outputs)
        if not passed:
            print(text, end="")
        counts = COUNTS.search(text)
        if counts:
            layers, elements, off, worse, ties = map(int, counts.groups())
            row.update(layers=layers, elements=elements, ties=ties, not_ties=off - ties, worse=worse)
    return row


def text_of(row):
    outputs = "; ".join(f"{'' if good else 'BAD '}{name} {verdict}" for name, good, verdict in row["outputs"])
    return (f"{'ok ' if row['good'] else 'BAD'} {row['level']} {row['model']}: {row['elements']} elements, "
            f"off by one {row['ties']} ties and {row['not_ties']} others, worse {row['worse']} | {outputs}")


def too_many_off(rows):
    """Levels whose models together have more elements off by one than they may."""
    bad = []
    for level in dict.fromkeys(row["level"] for row in rows):
        mine = [row for row in rows if row["level"] == level]
        elements = sum(row["elements"] for row in mine)
        off = sum(row["not_ties"] for row in mine)
        good = elements > 0 and off <= MAX_OFF * elements
        print(f"{'ok ' if good else 'BAD'} {level}: {len(mine)} models, {elements} elements, {off} off by one "
              f"and no tie: {off / max(elements, 1):.2e}, at most {MAX_OFF:.0e}")
        bad += [] if good else [level]
    return bad


def sqnr_text(row):
    """What is worst about the outputs, short enough for a column."""
    ratios = [float(m[1]) for _, _, verdict in row["outputs"] if (m := re.match(r"(-?[\d.]+) dB", verdict))]
    boxes = [verdict.removeprefix("boxes ") for _, _, verdict in row["outputs"] if verdict.startswith("boxes")]
    worst = [f"{min(ratios):.1f} dB"] if ratios else []
    return ", ".join(worst + [f"boxes {b}" for b in boxes])


HEAD = """# The same integers on every instruction set

Made by `tests/real_models/isa_levels.py` from runs on several machines; do not edit. `ctest -L isa_models`
repeats them. Level: `FUSEQ_MAX_ISA` ([isa_levels](isa_levels.md)).

- Elements: of all FakeQuantize results that were in memory, each checked by the oracle's
  `check_layers.py` from its own inputs in float64.
- sse41 is slow: a few models.
- Ties: elements off by one whose exact value is half-way between two steps, to within 0.001.
- Other: off by one and not a tie; 0.0001 of all elements at most.
- Worse: off by two steps or more; none.
- Outputs: the worst signal-to-noise ratio of the model's outputs against the golden ones, and boxes
  that have a partner.
"""


def page(rows):
    lines = [HEAD]
    for level in [l for l in LEVELS if any(row["level"] == l for row in rows)]:
        mine = sorted((row for row in rows if row["level"] == level), key=lambda row: row["model"])
        lines += [f"## {level}", "", "| model | elements | ties | other | worse | outputs |",
                  "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {r['model']} | {r['elements']} | {r['ties']} | {r['not_ties']} | {r['worse']} | "
                  f"{sqnr_text(r)} |" for r in mine]
        total = {key: sum(r[key] for r in mine) for key in ("elements", "ties", "not_ties", "worse")}
        share = total["not_ties"] / max(total["elements"], 1)
        lines += [f"| all | {total['elements']} | {total['ties']} | {total['not_ties']} ({share:.1e}) | "
                  f"{total['worse']} | |", ""]
    return "\n".join(lines).rstrip()


def load_rows(path):
    rows = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        rows[row["level"], row["model"]] = row
    return list(rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--infer", type=Path)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--level", action="append", choices=LEVELS, help="default: avx2")
    parser.add_argument("--model", action="append")
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        print(page(load_rows(args.rows)))
        return 0
    if not args.infer or not args.shared:
        parser.error("--infer and --shared are needed")
    if not (args.shared / "models").is_dir():
        print(f"skipped: there are no real models in {args.shared}")
        return check_model.SKIPPED
    models = args.model or sorted(p.name for p in (args.shared / "models").iterdir() if p.is_dir())
    rows = []
    for level in args.level or ["avx2"]:
        for model in models:
            rows.append(measure(args, model, level))
            print(text_of(rows[-1]), flush=True)
            if args.rows:
                with args.rows.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    bad = too_many_off(rows)
    return int(bool(bad) or not all(row["good"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
