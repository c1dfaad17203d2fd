#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A plan has no more steps at a lower level of instructions than at the machine's highest.

    same_steps.py --explain BIN --levels BIN [--generate BIN] [--shared DIR --seeds A..B] [MODEL.xml...]

--levels: the program fuseq_isa_levels. Models: those given, transformers of generate_model, and random quantized
networks, one a seed, of tests/oracle, which need numpy and DIR/oracle. AMX has a form of its own for layers that
have one anyway: the highest level is avx512_vnni. Fewer steps are no mistake: some forms exist at lower levels only.
Exit status: 0; 1 with the models and both lists of steps; 77 where the machine has one level.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
AMX = "avx512_amx"
TRANSFORMERS = ("bert", "gpt", "swin", "vit")


def steps_of(explain, model, level):
    """(kind, implementation) of each step."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("DNN_MAX_CPU_ISA")}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        subprocess.run([explain, "-m", model, "-json", out], check=True, stdout=subprocess.DEVNULL,
                       env=environment | {"FUSEQ_MAX_ISA": level})
        report = json.loads(out.read_text())
    if report["isa"] != level:
        raise RuntimeError(f"explain ran at {report['isa']}, not at {level}")
    return [(step["kind"], step["implementation"]) for step in report["steps"]]


def comparison(steps, highest):
    """steps: level -> list of steps. A sentence for each level that has more of them than `highest`."""
    findings = []
    for level, there in steps.items():
        if len(there) > len(steps[highest]):
            more = collections.Counter(there) - collections.Counter(steps[highest])
            less = collections.Counter(steps[highest]) - collections.Counter(there)
            words = [", ".join(f"{kind} {name}" for kind, name in sorted(part.elements())) for part in (more, less)]
            findings.append(f"{level} has {len(there)} steps, {highest} has {len(steps[highest])}: "
                            f"{words[0]}; in place of {words[1]}")
    return findings


def generated(program, folder):
    for kind in TRANSFORMERS:
        subprocess.run([program, "-o", folder / kind, kind], check=True, stdout=subprocess.DEVNULL)
        yield from sorted((folder / kind).glob("*.xml"))


def random_networks(shared, seeds, folder):
    """The files of random networks; none, with a message, where the oracle or numpy is missing."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root / "oracle"), str(shared / "oracle")]
    try:
        import ir_numpy
        from random_network import random_network
    except ImportError as error:
        print(f"without random networks: {error}")
        return
    first, last = map(int, seeds.split(".."))
    for seed in range(first, last + 1):
        place = folder / f"seed{seed}"
        random_network(ir_numpy.registry.OPS, seed).write(place)
        yield place / "model.xml"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explain", required=True, type=Path)
    parser.add_argument("--levels", required=True, type=Path)
    parser.add_argument("--generate", type=Path)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--seeds", default="1..10")
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.xml")
    options = parser.parse_args()
    levels = subprocess.run([options.levels], check=True, capture_output=True, text=True).stdout.split()
    levels = [level for level in levels if level != AMX]
    if len(levels) < 2:
        print(f"skipped: this machine has {', '.join(levels)}", file=sys.stderr)
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        models = list(options.models)
        models += generated(options.generate, Path(folder)) if options.generate else []
        models += random_networks(options.shared, options.seeds, Path(folder)) if options.shared else []
        for model in models:
            steps = {level: steps_of(options.explain, model, level) for level in levels}
            findings = comparison(steps, levels[-1])
            failed += bool(findings)
            for text in findings:
                print(f"{model.parent.name}/{model.name}: {text}")
    print(f"{len(models)} models at {', '.join(levels)}: {failed} have more steps at a lower level")
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
