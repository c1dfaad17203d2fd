#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Does memory grow while a model runs? Watches benchmark_app over many inferences.

usage: memory_growth.py MODEL.xml... [--inferences 10000] [--api sync|async] [--threads 1] [--out FILE]

Resident memory is read from /proc while the inferences run. `settled` is the most of the first fifth of
the time, `end` the most of the last; more than ALLOWED between them is growth, and exit status 1.
"""
import argparse
import pathlib
import re
import subprocess
import time

import measure

ALLOWED = 256 * 1024  # bytes; benchmark_app itself keeps 16 bytes an inference
SAMPLE_SECONDS = 0.02
RSS = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


def resident(pid):
    """Bytes, or None when the process is gone."""
    try:
        found = RSS.search(pathlib.Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(found.group(1)) * 1024 if found else None


def watch(command):
    """Runs a command; its exit status and what was resident, in time order."""
    samples = []
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        while process.poll() is None:
            bytes_now = resident(process.pid)
            if bytes_now is not None:
                samples.append(bytes_now)
            time.sleep(SAMPLE_SECONDS)
        if process.returncode != 0:
            raise measure.Missing(f"benchmark_app failed: {process.stderr.read().strip()[-300:]}")
    return samples


def settled_and_end(samples):
    """The start (reading, compiling, first inferences) is left out: what counts is from 20 % on."""
    if len(samples) < 20:
        raise measure.Missing(f"only {len(samples)} samples: more --inferences")
    fifth = len(samples) // 5
    return max(samples[fifth:2 * fifth]), max(samples[-fifth:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--inferences", type=int, default=10000)
    parser.add_argument("--api", choices=("sync", "async"), default="sync")
    parser.add_argument("--threads", type=int, default=1)
    measure.add_common_options(parser)
    options = parser.parse_args()
    tools = measure.Tools(options)
    rows, grown = [], []
    for model in options.models:
        settled, end = settled_and_end(watch([
            *options.prefix, tools.path("benchmark_app"), "-m", model, "-d", "CPU", "-api",
            options.api, "-nthreads", options.threads, "-niter", options.inferences]))
        rows.append([model.stem, options.inferences, f"{settled / 2**20:.2f}", f"{end / 2**20:.2f}",
                     f"{(end - settled) / 1024:.0f}"])
        if end - settled > ALLOWED:
            grown.append(model.stem)
    measure.finish(options, measure.machine() + "\n\n" + measure.table(
        ["model", "inferences", "settled, MB", "end, MB", "growth, kB"], rows))
    if grown:
        raise measure.Missing("memory grows: " + ", ".join(grown))
    return 0


if __name__ == "__main__":
    measure.run_script(main)
