#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Which instance of which kernel takes how much of the time of a network, by `perf record`.

usage: kernel_shares.py MODEL... [--levels avx2,avx512_vnni] [--seconds 1.5] [--delay 1] [--min-share 2]
                        [--find TEXT] [--out FILE]

A row is a function of the kernels at one level of instructions, with its largest share of any network's time
and the number of networks that it runs in. A variant whose largest share is below 2 % cannot gain 2 % of a
network: it goes, unless another reason is written down (docs/performance/log/variants.md). Shares hardly
depend on other work on the machine, so that it need not be quiet. --min-share leaves out rows below that share.
Needs `perf` (Debian: linux-perf) and symbols: a build that is not stripped.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import measure

LINE = re.compile(r"\s*([\d.]+)%\s+(\S+)\s+\[.\]\s+(.*\S)")
# What is done once a model, and is seen where compiling outlasts --delay.
ONCE = re.compile(r"search_float_sum|[Pp]ack|find_requantizing|Search::|is_plain")


def short_name(symbol):
    for part in ("fuseq::", "kernels::", "(anonymous namespace)::"):
        symbol = symbol.replace(part, "")
    return re.sub(r"(\d)ul\b", r"\1", symbol)


def shares(report):
    """Percent of the time of an inference by function of the kernels; of perf's report."""
    rows = [match.groups() for match in map(LINE.match, report.splitlines()) if match]
    counted = [(float(percent), library, symbol) for percent, library, symbol in rows
               if not ONCE.search(symbol)
               and ("kernels::" in symbol or "dnnl" in library or library.startswith("[JIT]"))]
    total = sum(percent for percent, _, _ in counted)
    found = {}
    for percent, _, symbol in counted:
        if "kernels::" in symbol:
            name = short_name(symbol)
            found[name] = found.get(name, 0) + 100 * percent / total
    return found


def largest(by_network, min_share, find):
    """Rows of one level: function, largest share, its network, number of networks."""
    rows = {}
    for network, found in by_network.items():
        for name, share in found.items():
            rows.setdefault(name, []).append((share, network))
    table = [(name, *max(of), len(of)) for name, of in rows.items() if find in name]
    return sorted((row for row in table if row[1] >= min_share), key=lambda row: -row[1])


def profile(program, model, level, options):
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "perf.data"
        environment = {**os.environ, "FUSEQ_MAX_ISA": level}
        run = ["perf", "record", "-F", "1999", "-D", str(int(1000 * options.delay)), "-o", data, program,
               "-m", model, "-nthreads", "1", "-api", "sync", "-t", str(options.delay + options.seconds)]
        subprocess.run([*options.prefix, *run], env=environment, check=True, capture_output=True)
        return measure.run(["perf", "report", "-i", data, "--stdio", "--no-children", "--percent-limit",
                            "0.1", "-F", "overhead,dso,symbol"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=["avx512_vnni"])
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds until samples are taken")
    parser.add_argument("--min-share", type=float, default=0.0)
    parser.add_argument("--find", default="")
    measure.add_common_options(parser)
    options = parser.parse_args()
    program = measure.Tools(options).path("benchmark_app")
    rows = []
    for level in options.levels:
        found = {}
        for model in options.models:
            print(f"{level} {model}", file=sys.stderr)
            found[model.stem] = shares(profile(program, model, level, options))
        rows += [[level, f"`{name}`", f"{share:.1f}", network, count]
                 for name, share, network, count in largest(found, options.min_share, options.find)]
    text = measure.table(["level", "function", "largest share, %", "network", "networks"], rows)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    measure.run_script(main)
