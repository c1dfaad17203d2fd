#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random networks with mistakes in them: refused with one clear error, or run right.

    damaged_networks.py --runner BIN --shared DIR [--seeds A..B] [--jobs N] [--keep DIR]

Both devices refuse a network or both run it. Its results are the oracle's, or where the oracle
reads the mistake in another way, or not at all, those of the device REFERENCE. Every seed is one
network with MISTAKES different mistakes. Exit status 77 without the oracle (DIR/oracle) or numpy.
"""
import signal
import sys

import network_runner as runner

MISTAKES = 8
KEEP = "FUSEQ_KEEP_INTERMEDIATES=YES"
WAYS = {"cpu": f"CPU,INFERENCE_NUM_THREADS=1,{KEEP}", "reference": f"REFERENCE,{KEEP}"}
TIMEOUT = 300
ORACLE_SECONDS = 10
MEMORY = 8 << 30
LONGEST_MESSAGE = 4000
MAX_VALUE = 1e6


def check_message(way, kind, text):
    if kind != "error":
        return [f"{way}: an exception that is no fuseq::Error: {text}"]
    if not text.strip() or len(text) > LONGEST_MESSAGE or any(ord(c) < 32 and c not in "\n\t" for c in text):
        return [f"{way}: an error without a clear message: {text[:200]!r}"]
    return []


def too_slow(*_):
    raise TimeoutError


def oracle_findings(folder, way, inputs):
    """None where the oracle does not run the network."""
    signal.signal(signal.SIGPROF, too_slow)
    signal.setitimer(signal.ITIMER_PROF, ORACLE_SECONDS)    # of this process, not of the clock
    try:
        network = comparison.load_network(ir_numpy, folder)
        return comparison.against_oracle(network, folder / way, inputs)
    except Exception:  # pylint: disable=broad-except
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limits(network, layer):
    """input_low and input_high of a FakeQuantize that has constants there."""
    for producer in network.producers(layer)[1:3]:
        while producer.type == "Convert":
            producer = network.producers(producer)[0]
        yield network.constant(producer) if producer.type == "Const" else 0.0


def is_extreme(folder):
    """Whether f32 cannot compute with the numbers in it: then only shapes are compared. A
    FakeQuantize whose input_high is below its input_low jumps from one end to the other."""
    tensors = [*comparison.load(folder / "reference" / "out").values(),
               *comparison.load(folder / "reference" / "fq").values()]
    network = comparison.load_network(ir_numpy, folder)
    tensors += [network.constant(layer) for layer in network.of_type("Const")]
    if not all((abs(tensor.astype(float)) <= MAX_VALUE).all() for tensor in tensors):
        return True
    lows_and_highs = (tuple(limits(network, layer)) for layer in network.of_type("FakeQuantize"))
    return any((low >= high).any() for low, high in lows_and_highs)


def check_results(folder, inputs):
    """Of two devices that both ran it."""
    a, b = (comparison.load(folder / way / "out") for way in WAYS)
    kinds = [[(name, value.shape, str(value.dtype)) for name, value in found.items()] for found in (a, b)]
    if kinds[0] != kinds[1]:
        return [f"outputs {kinds[0]} and {kinds[1]}"]
    if is_extreme(folder):
        return []
    findings = oracle_findings(folder, "cpu", inputs)
    if findings == []:
        return []
    if findings is not None and oracle_findings(folder, "reference", inputs) == []:
        return [f"cpu: {text}" for text in findings]
    # The oracle does not have it: the devices against each other, up to a few ties.
    return [f"output {name}: {text}" for name in a
            if (text := comparison.rough_difference(b[name], a[name]))]


def check_mistake(folder, inputs):
    failure = program.run(folder, WAYS)
    if failure:
        return [failure]
    said = {way: runner.failure_of(folder / way) for way in WAYS}
    findings = [text for way, (kind, words) in said.items() if kind
                for text in check_message(way, kind, words)]
    if not findings and bool(said["cpu"][0]) != bool(said["reference"][0]):
        findings = [f"only {way} refuses it: {words}" for way, (kind, words) in said.items() if kind]
    if findings or said["cpu"][0]:
        return findings
    return check_results(folder, inputs)


def check_seed(seed, folder):
    findings = []
    for mistake in range(MISTAKES):
        place = folder / str(mistake)
        net = random_network(ir_numpy.registry.OPS, seed)
        dice = Dice([seed, mistake])
        in_constants = dice.chance(0.4)
        if in_constants:
            damage.damage_constant(dice, net)
        net.write(place)
        text = (place / "model.xml").read_text()
        if not in_constants or dice.chance(0.2):
            text = damage.damaged(dice, text)
        elif dice.chance(0.8):
            text = damage.forget_sizes(text)
        (place / "model.xml").write_text(text)
        findings += [f"mistake {mistake}: {text}" for text in check_mistake(place, net.inputs)]
    return findings


def start(args):
    """The modules that need numpy and the oracle, in every process."""
    global comparison, damage, Dice, ir_numpy, program, random_network
    ir_numpy = runner.import_oracle(args.shared)
    import network_comparison as comparison  # noqa: E402
    from network_builder import Dice  # noqa: E402
    import network_damage as damage  # noqa: E402
    from random_network import random_network  # noqa: E402
    program = runner.Runner(args.runner, TIMEOUT, MEMORY)


def main():
    args = runner.options(__doc__, (1, 40))
    return runner.check_seeds(args, start, check_seed, f"networks with {MISTAKES} mistakes each")


if __name__ == "__main__":
    sys.exit(main())
