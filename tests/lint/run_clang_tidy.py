#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy (.clang-tidy) over the project's sources, within a time limit.

usage: run_clang_tidy.py [--build build/release] [--minutes 20] [--jobs 2] [FILE...]

Without FILEs: first what changed in the last commits and in the working tree, then the rest in an
order that the commit decides, so that what one run has no time for, later runs reach. Exit status 1
when there is a finding. Files that were not reached are counted, not findings; a whole pass takes some
11 minutes of two cores.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src/", "transformations/", "samples/")
GENERATED = "/src/cpu/kernels/instances/"  # in the build folder; the only readers of some headers
FINDING = re.compile(r"^(/\S+:\d+:\d+: )?(error|warning): ")
RECENT_COMMITS = 10
# Options of the build that clang does not know.
GCC_ONLY = ("-fno-gnu-unique", "-fno-reorder-blocks-and-partition")


def git(*arguments):
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.split() if run.returncode == 0 else []


def compile_commands(build):
    """What the build runs, without the options that only gcc knows."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    for command in commands:
        words = command["command"].split(" ")
        command["command"] = " ".join(word for word in words if word not in GCC_ONLY)
    return commands


def own_sources(commands):
    """Sources that the build compiles, relative to ROOT."""
    paths = {pathlib.Path(c["directory"], c["file"]).resolve() for c in commands}
    inside = {p.relative_to(ROOT).as_posix() for p in paths if p.is_relative_to(ROOT)}
    return {p for p in inside if p.startswith(FOLDERS) or GENERATED in p}


def recently_changed():
    changed = set(git("diff", "--name-only", "HEAD"))
    for commits in range(RECENT_COMMITS, 0, -1):
        recent = git("diff", "--name-only", f"HEAD~{commits}", "HEAD")
        if recent:
            return changed | set(recent)
    return changed


def in_order(files, changed):
    head = "".join(git("rev-parse", "HEAD"))
    first = sorted(files & changed)
    rest = sorted(files - changed)
    random.Random(head).shuffle(rest)
    return first + rest


def tidy(database, path):
    command = ["clang-tidy", "--quiet", "-p", str(database), str(ROOT / path),
               "--extra-arg=-w"]  # warnings of the compiler are gcc's business
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in run.stdout.splitlines() if FINDING.match(line)]
    if run.returncode != 0 and not lines:
        lines = [f"error: clang-tidy failed on {path}: {run.stderr.strip()[-300:]}"]
    return lines


def check_all(files, database, options):
    """Findings, printed as they come, and the number of files that there was time for."""
    end = time.monotonic() + 60 * options.minutes
    findings, checked = set(), 0

    def check(path):
        return tidy(database, path) if time.monotonic() < end else None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines in pool.map(check, files):
            if lines is not None:
                checked += 1
                for line in lines:
                    if line not in findings:  # headers are seen by many sources
                        findings.add(line)
                        print(line, flush=True)
    return findings, checked


def parse(arguments):
    parser = argparse.ArgumentParser(description="clang-tidy within a time limit")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    commands = compile_commands(options.build.resolve())
    if any("/Unity/" in command["file"] for command in commands):
        sys.exit(f"run_clang_tidy.py: {options.build} compiles sources together; --build another folder, of "
                 "cmake --preset release -B DIR -DFUSEQ_QUICK_BUILD=OFF")
    files = options.files or in_order(own_sources(commands), recently_changed())
    with tempfile.TemporaryDirectory() as database:
        (pathlib.Path(database) / "compile_commands.json").write_text(json.dumps(commands),
                                                                      encoding="utf-8")
        findings, checked = check_all(files, database, options)
    late = len(files) - checked
    print(f"clang-tidy: {checked} files checked, {len(findings)} findings"
          + (f", {late} files not reached in {options.minutes:g} minutes" if late else ""))
    return 1 if findings or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
