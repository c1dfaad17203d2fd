# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""fuseq_run_networks, started anew when it has crashed or hung; and the options of its users."""
import argparse
import multiprocessing
import multiprocessing.pool
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


class Runner:
    def __init__(self, binary, timeout, memory=0):
        """timeout: seconds for one network; memory: bytes that the program may have, 0: no limit."""
        self.binary, self.timeout, self.memory, self.process = binary, timeout, memory, None

    def _start(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.memory:
                resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
        self.process = subprocess.Popen([self.binary], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, preexec_fn=limit)

    def run(self, folder, ways):
        """ways: name -> device and properties. Empty, or how the program ended."""
        if self.process is None:
            self._start()
        line = "\t".join([str(folder)] + [f"{name}={way}" for name, way in ways.items()])
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        with multiprocessing.pool.ThreadPool(1) as pool:
            try:
                answer = pool.apply_async(self.process.stdout.readline).get(self.timeout)
                failure = "" if answer.strip() == str(folder) else "crashed"
            except multiprocessing.TimeoutError:
                self.process.kill()
                failure = f"no answer after {self.timeout} s"
        if not failure:
            return ""
        status, self.process = self.process.wait(), None
        last = [way for way in ways if (folder / way).is_dir()]
        return f"{failure}, status {status}, in {last[-1] if last else 'the beginning'}"


def failure_of(place):
    """(kind, text) of what a way of running a network said instead of results."""
    for kind in ("error", "exception"):
        if (place / kind).exists():
            return kind, (place / kind).read_text()
    return "", ""


def range_of(text):
    first, _, last = text.partition("..")
    return int(first), int(last or first)


def options(description, seeds):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runner", type=Path, required=True, help="fuseq_run_networks")
    parser.add_argument("--shared", type=Path, required=True, help="the folder with the oracle")
    parser.add_argument("--seeds", type=range_of, default=seeds,
                        help=f"A..B or A (default {seeds[0]}..{seeds[1]})")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the networks and tensors, which stay there")
    return parser.parse_args()


def missing(shared):
    """Why the test cannot run."""
    try:
        import numpy  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        return "there is no numpy"
    return "" if (shared / "oracle" / "ir_numpy").is_dir() else f"there is no oracle in {shared / 'oracle'}"


def _check(work):
    check, seed, scratch, keep = work
    folder = Path(scratch) / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        findings = check(seed, folder)
    except Exception as error:  # pylint: disable=broad-except
        findings = [f"the test itself: {type(error).__name__}: {error}"]
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return seed, findings


def check_seeds(args, start, check, what):
    """check(seed, folder) -> findings, in processes that began with start(args). The exit status."""
    if why := missing(args.shared):
        print(f"skipped: {why}")
        return SKIPPED
    for library in ("OMP", "OPENBLAS"):    # numpy's threads, in the processes to come
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    first, last = args.seeds
    failures = 0
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as scratch, context.Pool(args.jobs, start, (args,)) as pool:
        work = [(check, seed, args.keep or scratch, bool(args.keep)) for seed in range(first, last + 1)]
        for seed, findings in pool.imap(_check, work):
            failures += bool(findings)
            for text in findings:
                print(f"BAD seed {seed}: {text}", flush=True)
    print(f"{last - first + 1} {what} (seeds {first}..{last}), {failures} bad")
    return int(failures != 0)


def import_oracle(shared):
    sys.path.insert(0, str(shared / "oracle"))
    import ir_numpy  # noqa: E402
    return ir_numpy
