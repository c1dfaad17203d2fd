#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a model goes: bare primitives, own kernels, reorders, gaps between steps.

usage: breakdown.py MODEL.xml... [--threads 1] [--rounds 9] [--steps 10] [--out FILE]

Columns, in microseconds, medians of bench_plan: `bare` is oneDNN's primitive of the same shape without
bias, post-ops and scales; `alone` is run again and again, `in sequence` among the others of the model, so
that weights come from where they come in a real run. A part without a bare primitive has none to compare
with. `gaps` is the time of a whole inference that no step accounts for. With --steps, the steps that lose
most against their bare primitive follow.
"""
import argparse
import pathlib

import measure

ANCHORS = ("convolution", "deconvolution", "matmul")
COLUMNS = ("bare_alone_us", "alone_us", "bare_us", "plan_us")
HEAD = ["part", "steps", "bare, alone", "step, alone", "bare, in sequence", "step, in the plan"]


def part(step):
    own = step["implementation"].startswith("fuseq:")
    if step["kind"] in ANCHORS:
        return "anchors on own kernels" if own else "anchors on oneDNN"
    if step["kind"] == "reorder":
        return "reorders"
    if step["implementation"].startswith("ref"):
        return "reference kernels"
    return "other own kernels" if own else "other oneDNN primitives"


PARTS = ("anchors on oneDNN", "anchors on own kernels", "other own kernels", "other oneDNN primitives",
         "reorders", "reference kernels")


def sums(steps):
    """Sum of each column, None where no step has it."""
    result = []
    for column in COLUMNS:
        values = [step[column] for step in steps if column in step]
        result.append(sum(values) if values else None)
    return result


def part_rows(report):
    rows = []
    for name in PARTS:
        steps = [step for step in report["steps"] if part(step) == name]
        if steps:
            rows.append([name, len(steps), *sums(steps)])
    total = sums(report["steps"])
    rows.append(["sum", len(report["steps"]), *total])
    rows.append(["gaps", "", None, None, None, report["infer_us"] - total[3]])
    rows.append(["whole inference", "", None, None, None, report["infer_us"]])
    return [[cell if isinstance(cell, (str, int)) else measure.number(cell, 4) for cell in row]
            for row in rows]


def ratios(report):
    """Whole inference over the sum of the bare primitives, in sequence and alone."""
    total = sums(report["steps"])
    return tuple(report["infer_us"] / total[i] if total[i] else None for i in (2, 0))


def losers(report, most):
    steps = [step for step in report["steps"] if "bare_us" in step]
    steps.sort(key=lambda step: step["bare_us"] - step["plan_us"])
    return [[step["name"], step["implementation"], step["bare_implementation"],
             measure.number(step["bare_us"]), measure.number(step["plan_us"]),
             f"`{step['post_ops']}`" if step["post_ops"] else ""] for step in steps[:most]]


def breakdown(report, most):
    in_sequence, alone = ratios(report)
    text = [f"**{report['name']}**, {report['threads']} thread(s)",
            measure.table(HEAD, part_rows(report))]
    if in_sequence:
        text.append(f"Whole / sum of bare primitives: {in_sequence:.2f} in sequence, "
                    f"{alone:.2f} against each alone.")
    if most:
        text.append(measure.table(["step", "implementation", "bare", "bare, us", "step, us",
                                   "post-ops"], losers(report, most)))
    return "\n\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=0, help="how many of the worst steps to show")
    measure.add_common_options(parser)
    options = parser.parse_args()
    tools = measure.Tools(options)
    reports = []
    for model in options.models:
        report = tools.plan(model, options.threads, options.rounds)
        reports.append({**report, "name": model.stem})
    text = [measure.machine() + f", oneDNN {reports[0]['onednn']}."]
    if len(reports) > 1:
        rows = [[r["name"], *(measure.number(v / 1000) if v else "" for v in sums(r["steps"])),
                 measure.number(r["infer_us"] / 1000), *(f"{v:.2f}" if v else "" for v in ratios(r))]
                for r in reports]
        text.append(measure.table(["model, ms", *HEAD[2:], "whole inference", "whole / bare in sequence",
                                   "whole / bare alone"], rows))
    text += [breakdown(report, options.steps) for report in reports]
    return measure.finish(options, "\n\n".join(text))


if __name__ == "__main__":
    measure.run_script(main)
