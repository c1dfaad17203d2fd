#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random quantized networks in every way that Fuseq can run them, against the numpy oracle.

    random_networks.py --runner BIN --shared DIR [--seeds A..B] [--jobs N] [--keep DIR]

Each seed is one network; network_comparison.py says what must agree. Where fused tile groups, the
number of threads or the openness of shapes differ, the bytes of the outputs are the same, but for
float convolutions and products of oneDNN. Exit status 77 without the oracle (DIR/oracle) or numpy.
"""
import sys

import network_runner as runner

KEEP = "FUSEQ_KEEP_INTERMEDIATES=YES"
ONE, TWO = "INFERENCE_NUM_THREADS=1", "INFERENCE_NUM_THREADS=2"
# Name -> device and properties. The first is what the others are held against, byte by byte.
SAME_BYTES = {
    "plain": f"CPU,{ONE}",
    "no_tile_groups": f"CPU,{ONE},FUSEQ_TILE_GROUPS=NO",
    "two_threads": f"CPU,{TWO},{KEEP}",
    "two_threads_no_tile_groups": f"CPU,{TWO},FUSEQ_TILE_GROUPS=NO",
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
TIMEOUT = 300


def check_way(network, folder, way, inputs):
    place = folder / way
    kind, text = runner.failure_of(place)
    if kind:
        return [f"{way}: {kind}: {text}"]
    findings = []
    with_tensors = KEEP in WAYS[way]
    if way in SAME_BYTES and way != "plain" and (folder / "plain" / "out").is_dir():
        different = comparison.different_bytes(folder / "plain", place)
        excused = way.startswith("two_threads") and comparison.has_float_product(place)
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
    failure = program.run(folder, WAYS)
    if failure:
        return [failure]
    network = comparison.load_network(ir_numpy, folder)
    return [text for way in WAYS for text in check_way(network, folder, way, net.inputs)]


def start(args):
    """The modules that need numpy and the oracle, in every process."""
    global comparison, ir_numpy, program, random_network
    ir_numpy = runner.import_oracle(args.shared)
    import network_comparison as comparison  # noqa: E402
    from random_network import random_network  # noqa: E402
    program = runner.Runner(args.runner, TIMEOUT)


def main():
    args = runner.options(__doc__, (1, 60))
    return runner.check_seeds(args, start, check_seed, f"random networks in {len(WAYS)} ways")


if __name__ == "__main__":
    sys.exit(main())
