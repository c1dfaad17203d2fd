#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Classifies texts, several at a time. The tokenizer stands outside: each line of standard input holds the token ids
of one text, and the best class of each is printed, in the order of the lines.

    echo "101 2023 2003 102" | PYTHONPATH=build/release/python python3 samples/python/text_classification.py bert.xml
"""
import sys

import numpy as np

import fuseq as ov


def values_for(port, ids):
    """Exporters call the inputs input_ids, attention_mask and token_type_ids, or much alike."""
    name = port.get_any_name()
    values = [1] * len(ids) if "mask" in name else [0] * len(ids) if "type" in name else ids
    if port.partial_shape.is_static:  # a model of fixed length gets padding, which the mask hides
        length = port.shape[-1]
        if len(ids) > length:
            raise ValueError(f"a text of {len(ids)} tokens, the model takes {length}")
        values = values + [0] * (length - len(ids))
    return np.array([values], port.element_type.to_dtype())


def main(model_path, device="CPU"):
    compiled = ov.Core().compile_model(model_path, device, {"PERFORMANCE_HINT": "THROUGHPUT"})
    classes = {}

    def finished(request, line):
        logits = request.get_output_tensor(0).data
        classes[line] = logits.reshape(-1, logits.shape[-1])[0].argmax()  # [1,C], or the first token of [1,T,C]

    queue = ov.AsyncInferQueue(compiled)
    queue.set_callback(finished)
    lines = [line.split() for line in sys.stdin]
    for number, words in enumerate(lines):
        if not words or not all(word.isdigit() for word in words):
            raise ValueError(f"expected token ids separated by spaces, got '{' '.join(words)}'")
        ids = [int(word) for word in words]
        queue.start_async({port: values_for(port, ids) for port in compiled.inputs}, number)
    queue.wait_all()
    for number in range(len(lines)):
        print(classes[number])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: text_classification.py MODEL [DEVICE] < TOKEN_IDS")
    try:
        main(*sys.argv[1:])
    except (ov.Error, ValueError) as error:
        sys.exit(f"error: {error}")
