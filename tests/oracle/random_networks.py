#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random quantized networks in every way that Fuseq can run them, against the numpy oracle.

    random_networks.py --runner BIN --shared DIR [--seeds A..B] [--jobs N] [--keep DIR]

BIN is fuseq_run_networks. Each seed is one network; network_comparison.py says what must agree.
Where walks of steps or the number of threads differ, the bytes of the outputs are the same, but
for float convolutions of oneDNN. Exit status 77 without the oracle (DIR/oracle) or numpy.
"""
import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

for library in ("OMP", "OPENBLAS"):     # numpy's threads, before it is loaded
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

SKIPPED = 77
KEEP = "FUSEQ_KEEP_INTERMEDIATES=YES"
ONE, TWO = "INFERENCE_NUM_THREADS=1", "INFERENCE_NUM_THREADS=2"
# Name -> device and properties. The first is what the others are held against, byte by byte.
SAME_BYTES = {
    "plain": f"CPU,{ONE}",
    "no_walks": f"CPU,{ONE},FUSEQ_ROW_WALKS=NO",
    "two_threads": f"CPU,{TWO},{KEEP}",
    "two_threads_no_walks": f"CPU,{TWO},FUSEQ_ROW_WALKS=NO",
    "kept": f"CPU,{ONE},{KEEP}",
    "open_shapes": f"CPU,{ONE},MODEL=open.xml",
    "poisoned": f"CPU,{ONE},FUSEQ_POISON_MEMORY=255",
}
OTHERS = {
    "unfused": f"CPU,{ONE},{KEEP},FUSEQ_FUSION=NO",
    "float": f"CPU,{ONE},{KEEP},FUSEQ_LOW_PRECISION=NO",
    "onednn": f"CPU,{ONE},{KEEP},FUSEQ_OWN_GEMM=NO",
    "reference": f"REFERENCE,{KEEP}",
}
WAYS = SAME_BYTES | OTHERS
TIMEOUT = 120


class Runner:
    """The program that runs networks; a new one after it has crashed or hung."""

    def __init__(self, binary):
        self.binary, self.process = binary, None

    def run(self, folder, ways):
        """Empty, or how the program ended."""
        if self.process is None:
            self.process = subprocess.Popen([self.binary], stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE)
        line = "\t".join([str(folder)] + [f"{name}={way}" for name, way in ways.items()])
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        with multiprocessing.pool.ThreadPool(1) as pool:
            try:
                answer = pool.apply_async(self.process.stdout.readline).get(TIMEOUT)
            except multiprocessing.TimeoutError:
                answer = ""
                self.process.kill()
                self.process.wait()
                self.process = None
                return f"no answer after {TIMEOUT} s"
        if answer.strip() == str(folder):
            return ""
        status, self.process = self.process.wait(), None
        return f"the program ended with status {status}"


def check_way(network, folder, way, inputs):
    place = folder / way
    for failure in ("error", "exception"):
        if (place / failure).exists():
            return [f"{way}: {failure}: {(place / failure).read_text()}"]
    findings = []
    with_tensors = KEEP in WAYS[way]
    if way in SAME_BYTES and way != "plain" and (folder / "plain" / "out").is_dir():
        different = comparison.different_bytes(folder / "plain", place)
        excused = way.startswith("two_threads") and comparison.has_float_convolution(place)
        if different and not excused:
            findings.append(f"{way}: other bytes than plain: {', '.join(different)}")
        with_tensors &= way == "kept" or bool(different)
    if with_tensors:
        findings += [f"{way}: {text}" for text in comparison.against_oracle(network, place, inputs)]
    return findings


def check_seed(seed, folder):
    """What is wrong with the network of one seed, a sentence each."""
    net = random_network(ir_numpy.registry.OPS, seed)
    net.write(folder)
    failure = check_seed.runner.run(folder, WAYS)
    if failure:
        done = [way for way in WAYS if (folder / way).is_dir()]
        return [f"{failure}, in {done[-1] if done else 'the beginning'}"]
    network = comparison.load_network(ir_numpy, folder)
    return [text for way in WAYS for text in check_way(network, folder, way, net.inputs)]


def check_seed_in(arguments):
    seed, scratch, keep = arguments
    folder = Path(scratch) / str(seed)
    try:
        findings = check_seed(seed, folder)
    except Exception as error:  # pylint: disable=broad-except
        findings = [f"the test itself: {type(error).__name__}: {error}"]
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return seed, findings


def start(binary, shared):
    """The modules that need numpy and the oracle, in every process."""
    global comparison, ir_numpy, random_network
    sys.path.insert(0, str(shared / "oracle"))
    import ir_numpy  # noqa: E402
    import network_comparison as comparison  # noqa: E402
    from random_network import random_network  # noqa: E402
    check_seed.runner = Runner(binary)


def check_seeds(args, scratch):
    failures = 0
    first, last = args.seeds
    with multiprocessing.Pool(args.jobs, start, (args.runner, args.shared)) as pool:
        work = [(seed, scratch, bool(args.keep)) for seed in range(first, last + 1)]
        for seed, findings in pool.imap(check_seed_in, work):
            failures += bool(findings)
            for text in findings:
                print(f"BAD seed {seed}: {text}", flush=True)
    print(f"{last - first + 1} random networks (seeds {first}..{last}) in {len(WAYS)} ways, {failures} bad")
    return int(failures != 0)


def seeds(text):
    first, _, last = text.partition("..")
    return int(first), int(last or first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runner", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--seeds", type=seeds, default=(1, 40), help="A..B or A (default 1..40)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the networks and tensors, which stay there")
    args = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: there is no numpy")
        return SKIPPED
    if not (args.shared / "oracle" / "ir_numpy").is_dir():
        print(f"skipped: there is no oracle in {args.shared / 'oracle'}")
        return SKIPPED
    if args.keep:
        return check_seeds(args, args.keep)
    with tempfile.TemporaryDirectory() as scratch:
        return check_seeds(args, scratch)


if __name__ == "__main__":
    sys.exit(main())
