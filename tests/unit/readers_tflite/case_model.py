#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A TFLite model as JSON, by the names of the schema."""
import numpy as np

TYPES = {"f4": "FLOAT32", "i4": "INT32", "u1": "UINT8", "i8": "INT64", "b1": "BOOL", "i2": "INT16", "i1": "INT8",
         "f2": "FLOAT16"}
NAMES = """ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM
MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS
SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND
TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT
LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL
LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW
ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV
REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS
SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG
ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
BATCH_MATMUL PLACEHOLDER CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND
HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS
RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1
UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR
RIGHT_SHIFT""".split()


class Graph:
    """One subgraph: tensors, operators."""

    def __init__(self, model):
        self.model, self.tensors, self.ops, self.inputs, self.outputs = model, [], [], [], []

    def tensor(self, shape, dtype, grid=None, data=None, variable=False):
        made = {"shape": [int(s) for s in shape], "type": TYPES[np.dtype(dtype).str[1:]],
                "name": "t%d" % len(self.tensors), "buffer": 0}
        if grid is not None:
            scales = [float(np.float32(s)) for s in np.atleast_1d(grid[0])]
            zeros = [int(z) for z in np.broadcast_to(grid[1], len(scales))]
            made["quantization"] = {"scale": scales, "zero_point": zeros,
                                    "quantized_dimension": grid[2] if len(grid) > 2 else 0}
        if variable:
            made["is_variable"] = True
        if data is not None:
            made["buffer"] = len(self.model.buffers)
            self.model.buffers.append({"data": list(np.ascontiguousarray(data, dtype).tobytes())})
        self.tensors.append(made)
        return len(self.tensors) - 1

    def input(self, like, grid=None):
        like = np.asarray(like)
        self.inputs.append(self.tensor(like.shape, like.dtype, grid))
        return self.inputs[-1]

    def const(self, value, grid=None):
        value = np.asarray(value)
        return self.tensor(value.shape, value.dtype, grid, value)

    def op(self, name, inputs, outputs, options=None, version=1, **more):
        """`options`: (kind, values)."""
        custom = name not in NAMES
        number = NAMES.index("CUSTOM" if custom else name)
        code = {"deprecated_builtin_code": min(number, 127), "builtin_code": number, "version": version}
        if custom:
            code["custom_code"] = name
        self.model.codes.append(code)
        made = {"opcode_index": len(self.model.codes) - 1, "inputs": inputs, "outputs": outputs}
        if options:
            made["builtin_options_type"], made["builtin_options"] = options
        made.update(more)
        self.ops.append(made)

    def json(self):
        return {"tensors": self.tensors, "inputs": self.inputs, "outputs": self.outputs, "operators": self.ops}


class ModelJson:
    def __init__(self):
        self.buffers, self.codes, self.graphs = [{}], [], []

    def graph(self):
        self.graphs.append(Graph(self))
        return self.graphs[-1]

    def json(self):
        return {"version": 3, "operator_codes": self.codes, "subgraphs": [g.json() for g in self.graphs],
                "buffers": self.buffers}


def case(name, op, inputs, outputs, options=None, version=1, runs=None, **more):
    """One operator. inputs: arrays; (array, grid); ("const", array[, grid]); ("state", shape, dtype[, grid]); None.
    outputs: (shape, dtype[, grid])."""
    model = ModelJson()
    graph = model.graph()
    indices, arrays = [], []
    for one in inputs:
        if one is None:
            indices.append(-1)
        elif isinstance(one, tuple) and isinstance(one[0], str) and one[0] == "const":
            indices.append(graph.const(*one[1:]))
        elif isinstance(one, tuple) and isinstance(one[0], str):
            indices.append(graph.tensor(one[1], one[2], one[3] if len(one) > 3 else None, variable=True))
        else:
            value, grid = one if isinstance(one, tuple) else (one, None)
            indices.append(graph.input(value, grid))
            arrays.append(np.asarray(value))
    results = [graph.tensor(*o) for o in outputs]
    extra = {k: more.pop(k) for k in ("custom_options",) if k in more}
    if "intermediates" in more:
        extra["intermediates"] = [graph.tensor(*o) for o in more.pop("intermediates")]
    graph.op(op, indices, results, options, version, **extra)
    graph.outputs = results
    return dict(name=name, model=model.json(), runs=runs if runs is not None else [arrays], **more)
