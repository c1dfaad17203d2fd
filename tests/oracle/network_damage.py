# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random mistakes in the .xml and the constants of a network."""
import re

import numpy as np

NUMBERS = ("0", "1", "2", "3", "-1", "-2", "5", "7", "16", "255", "300")
FAR_NUMBERS = ("4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
               "1e30", "-1e30", "1e-30", "nan", "inf", "-inf", "0.5", "")
WORDS = ("banana", "", " ", "same_upper", "valid", "true", "false", "1,1", "1,1,1,1,1,1,1,1,1", "-1,-1", ",")
TYPES = ("f32", "f16", "i8", "u8", "i32", "i64", "boolean", "f64", "bf16", "u1", "i4", "nonsense")


def change_match(dice, text, pattern, change):
    """One match of the pattern, replaced by what `change` makes of it."""
    matches = list(re.finditer(pattern, text, re.DOTALL))
    if not matches:
        return text
    match = dice.pick(matches)
    return text[:match.start()] + change(match) + text[match.end():]


def number(dice):
    return dice.pick(FAR_NUMBERS if dice.chance(0.25) else NUMBERS)


def in_data(dice, text, pattern, change):
    """change_match within the attributes of one operation, constants and others alike."""
    start = dice.pick(("<data (?!element_type)", "<data "))
    return change_match(dice, text, start + "[^>]*/>", lambda m: change_match(dice, m[0], pattern, change))


def change_number(dice, text):
    """One of the numbers of an attribute."""
    def change(match):
        values = match[2].split(",")
        at = dice.number(0, len(values) - 1)
        values[at] = number(dice)
        if dice.chance(0.15):
            values.append(number(dice))
        return f'{match[1]}"{",".join(values)}"'
    return in_data(dice, text, r'([\w-]+=)"(-?\d[^"]*)"', change)


def change_attribute(dice, text):
    """Another value of any kind, or none at all."""
    def change(match):
        if dice.chance(0.3):
            return ""
        return f' {match[1]}="{dice.pick(WORDS)}"'
    return in_data(dice, text, r' ([\w-]+)="[^"]*"', change)


def change_type(dice, text):
    if dice.chance(0.5):
        return change_match(dice, text, r'precision="\w+"',
                            lambda _: f'precision="{dice.pick(("FP32", "FP16", "I8", "U8", "I64", "NO"))}"')
    return change_match(dice, text, r'(element_type|destination_type)="\w+"',
                        lambda m: f'{m[1]}="{dice.pick(TYPES)}"')


def change_dimension(dice, text):
    return change_match(dice, text, "<dim>[^<]*</dim>", lambda _: f"<dim>{number(dice)}</dim>")


def drop_dimension(dice, text):
    return change_match(dice, text, "<dim>[^<]*</dim>", lambda m: dice.pick(("", m[0] + m[0])))


def drop_element(dice, text):
    pattern = dice.pick((r"<edge [^>]*/>", r"<port [^>]*>.*?</port>", r"<data [^>]*/>", r"<input>.*?</input>",
                         r"<output>.*?</output>", r"<layer [^>]*>.*?</layer>"))
    return change_match(dice, text, pattern, lambda m: "" if dice.chance(0.7) else m[0] + m[0])


def change_edge(dice, text):
    """An edge from or to somewhere else; cycles among them."""
    ids = re.findall(r'<layer id="(\d+)"', text)
    return change_match(dice, text, r'(<edge .*?)((?:from|to)-layer)="\d+"',
                        lambda m: f'{m[1]}{m[2]}="{dice.pick(ids) if ids else 0}"')


def change_operation(dice, text):
    """The type of one layer for that of another, or another opset."""
    types = re.findall(r'<layer [^>]*type="(\w+)"', text) or ["Add"]
    if dice.chance(0.7):
        return change_match(dice, text, r'(<layer [^>]*type)="\w+"', lambda m: f'{m[1]}="{dice.pick(types)}"')
    return change_match(dice, text, r'version="opset\d+"', lambda _: f'version="opset{dice.number(0, 14)}"')


KINDS = (change_number,) * 6 + (change_attribute,) * 2 + (
    change_type, change_dimension, drop_dimension, drop_element, change_edge, change_operation)


def forget_sizes(text):
    """Declared sizes of results become open, so that a mistake is not found by them."""
    layers = re.split(r"(?=<layer )", text)
    return "".join(layer if re.search('type="(Parameter|Const)"', layer)
                   else re.sub("<dim>[^<]*</dim>", "<dim>-1</dim>", layer) for layer in layers)


def damaged(dice, text):
    """The text of an .xml with one to three mistakes."""
    if dice.chance(0.8):
        text = forget_sizes(text)
    for _ in range(dice.pick((1, 1, 1, 2, 3))):
        text = dice.pick(KINDS)(dice, text)
    return text


def damage_constant(dice, net):
    """Another number in one of the network's constants, in the blob only."""
    constants = [layer for layer in net.layers if layer.type == "Const"]
    # Shapes, axes and limits rather than weights.
    small = [layer for layer in constants if layer.attributes["size"] <= 256]
    if not small:
        return
    data = dice.pick(small).attributes
    kind = np.dtype({"f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "i8": "i1", "u8": "u1"}[
        data["element_type"]])
    values = np.frombuffer(net.blob, kind, data["size"] // kind.itemsize, data["offset"]).copy()
    while True:
        text = number(dice)
        try:
            with np.errstate(over="ignore"):
                values[dice.number(0, values.size - 1)] = kind.type(text) if kind.kind == "f" else int(text)
            break
        except (ValueError, OverflowError):
            continue
    net.blob[data["offset"]:data["offset"] + data["size"]] = values.tobytes()
