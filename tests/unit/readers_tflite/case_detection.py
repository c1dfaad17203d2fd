#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""TFLite_Detection_PostProcess, the custom operator that SSD models end with."""
import struct

import numpy as np

from case_model import case

F = np.float32
CLOSE = 1e-6  # of boxes: exp() of two libraries


def flex_map(values):
    """A FlexBuffer that holds a map, all widths 4 bytes. values: bool, int and float by name."""
    names, data = sorted(values), b""
    starts = []
    for name in names:
        starts.append(len(data))
        data += name.encode() + b"\0"
    data += bytes(-len(data) % 4) + struct.pack("<I", len(names))
    keys = len(data)
    for start in starts:
        data += struct.pack("<I", len(data) - start)
    data += struct.pack("<III", len(data) - keys, 4, len(names))
    at, types = len(data), b""
    for name in names:
        value = values[name]
        kind = 26 if isinstance(value, bool) else 1 if isinstance(value, int) else 3
        data += struct.pack("<f" if kind == 3 else "<i", value)
        types += bytes([kind << 2 | 2])
    data += types + bytes(-len(types) % 4)
    return data + struct.pack("<IBB", len(data) - at, 9 << 2 | 2, 4)


def arrays(seed, boxes, classes, places):
    """Encodings, scores and anchors; `places`: few places make boxes that overlap."""
    rng = np.random.default_rng(seed)
    encodings = rng.normal(size=(1, boxes, 4)).astype(F)
    scores = rng.uniform(0, 1, (1, boxes, classes)).astype(F)
    centers = rng.uniform(0.2, 0.8, (places, 2))[rng.integers(0, places, boxes)]
    anchors = np.concatenate([centers, rng.uniform(0.1, 0.3, (boxes, 2))], axis=1).astype(F)
    return encodings, scores, anchors


def detection(name, inputs, options, tolerance=CLOSE):
    places = options["max_detections"] * options["max_classes_per_detection"]
    given = {"nms_iou_threshold": 0.5, "nms_score_threshold": 0.2, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0,
             "w_scale": 5.0}
    given.update(options)
    outputs = [((1, places, 4), F), ((1, places), F), ((1, places), F), ((1,), F)]
    return case(name, "TFLite_Detection_PostProcess", inputs, outputs, custom_options=list(flex_map(given)),
                tolerance=tolerance)


def cases():
    encodings, scores, anchors = arrays(1, 40, 5, 12)
    floats = [encodings, scores, ("const", anchors)]
    for regular in (False, True):
        tag = "_regular" if regular else ""
        for classes in (4, 5):
            yield detection("detection%s_%d_classes" % (tag, classes), floats,
                            {"max_detections": 6, "max_classes_per_detection": 1, "num_classes": classes,
                             "use_regular_nms": regular, "detections_per_class": 3})
        # Scores of a grid of eight steps: many are equal.
        equal = (np.round(scores * 8) / 8).astype(F)
        yield detection("detection%s_equal_scores" % tag, [encodings, equal, ("const", anchors)],
                        {"max_detections": 7, "max_classes_per_detection": 1, "num_classes": 4, "use_regular_nms": regular,
                         "nms_iou_threshold": 0.3})
    yield detection("detection_three_classes_of_a_box", floats,
                    {"max_detections": 5, "max_classes_per_detection": 3, "num_classes": 4, "y_scale": 7.0, "w_scale": 3.0})
    # The other form leaves what no detection fills as it was in memory.
    yield detection("detection_regular_few", floats,
                    {"max_detections": 10, "max_classes_per_detection": 1, "num_classes": 5, "use_regular_nms": True,
                     "nms_score_threshold": 0.97})
    yield detection("detection_one", floats, {"max_detections": 1, "max_classes_per_detection": 1, "num_classes": 5,
                                              "use_regular_nms": True})
    wide = np.concatenate([encodings, np.ones((1, 40, 2), F)], axis=2)
    yield detection("detection_with_keypoints", [wide, scores, ("const", anchors)],
                    {"max_detections": 6, "max_classes_per_detection": 1, "num_classes": 4})
    whole = [np.clip(np.round(encodings * 30 + 120), 0, 255).astype(np.uint8), np.round(scores * 255).astype(np.uint8),
             np.round(anchors * 250).astype(np.uint8)]
    grids = [(F(1 / 30), 120), (F(1 / 256), 0), (F(1 / 250), 0)]
    yield detection("detection_u8", [(whole[0], grids[0]), (whole[1], grids[1]), ("const", whole[2], grids[2])],
                    {"max_detections": 6, "max_classes_per_detection": 1, "num_classes": 4})
