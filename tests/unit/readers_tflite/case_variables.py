#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Variables with names: three runs each, every one goes on where the last ended."""
import numpy as np

from case_model import ModelJson

F = np.float32


def handle(graph, name, container=""):
    graph.tensors.append({"shape": [], "type": "RESOURCE", "name": "t%d" % len(graph.tensors), "buffer": 0})
    graph.op("VAR_HANDLE", [], [len(graph.tensors) - 1], ("VarHandleOptions", {"container": container, "shared_name": name}))
    return len(graph.tensors) - 1


def read(graph, variable, shape, dtype, grid=None):
    result = graph.tensor(shape, dtype, grid)
    graph.op("READ_VARIABLE", [variable], [result], ("ReadVariableOptions", {}))
    return result


def assign(graph, variable, value):
    graph.op("ASSIGN_VARIABLE", [variable, value], [], ("AssignVariableOptions", {}))


def initialized(initial):
    """A model whose first operator sets variables: {name: (value, grid)}."""
    model = ModelJson()
    main, once = model.graph(), model.graph()
    main.op("CALL_ONCE", [], [], ("CallOnceOptions", {"init_subgraph_index": 1}))
    for name, (value, grid) in initial.items():
        assign(once, handle(once, name), once.const(value, grid))
    return model, main


def values(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(F)


def sum_of_all():
    """total += x; the new total and the old one are results."""
    runs = [[values(i, 2, 3)] for i in range(3)]
    model, main = initialized({"total": (values(9, 2, 3), None)})
    x, result = main.input(runs[0][0]), main.tensor((2, 3), F)
    total = handle(main, "total")
    before = read(main, total, (2, 3), F)
    main.op("ADD", [before, x], [result], ("AddOptions", {}))
    assign(main, total, result)
    main.outputs = [result, before, read(main, total, (2, 3), F)]
    return dict(name="variable_total", model=model.json(), runs=runs)


def last_rows(dtype, grid):
    """A streaming convolution's memory: the last rows of the input, then the new ones."""
    rng = np.random.default_rng(3)

    def made(*shape):
        return values(int(rng.integers(99)), *shape) if dtype == F else rng.integers(-99, 99, shape).astype(dtype)
    runs = [[made(1, 2, 4)] for _ in range(3)]
    model, main = initialized({"rows": (made(1, 3, 4), grid), "unused": (values(1, 2), None)})
    x, rows = main.input(runs[0][0], grid), handle(main, "rows")
    both, kept = main.tensor((1, 5, 4), dtype, grid), main.tensor((1, 3, 4), dtype, grid)
    main.op("CONCATENATION", [read(main, rows, (1, 3, 4), dtype, grid), x], [both], ("ConcatenationOptions", {"axis": 1}))
    main.op("SLICE", [both, main.const(np.array([0, 2, 0], np.int32)), main.const(np.array([1, 3, 4], np.int32))], [kept],
            ("SliceOptions", {}))
    assign(main, rows, kept)
    main.outputs = [both]
    return dict(name="variable_rows_" + np.dtype(dtype).name, model=model.json(), runs=runs)


def two_variables():
    """They change places in every inference; a container belongs to the name."""
    runs = [[values(i, 2)] for i in range(3)]
    model, main = initialized({"a": (values(5, 2), None)})
    once = model.graphs[1]
    assign(once, handle(once, "a", "box"), once.const(values(6, 2)))
    first, second, result = handle(main, "a"), handle(main, "a", "box"), main.tensor((2,), F)
    x, one, two = main.input(runs[0][0]), read(main, first, (2,), F), read(main, second, (2,), F)
    main.op("SUB", [one, x], [result], ("SubOptions", {}))
    assign(main, first, two)
    assign(main, second, result)
    main.outputs = [result]
    return dict(name="variable_exchange", model=model.json(), runs=runs)


def assigned_first():
    """Nothing is kept of a variable that is assigned before it is read."""
    runs = [[values(i, 2)] for i in range(2)]
    model = ModelJson()
    main = model.graph()
    x, result, variable = main.input(runs[0][0]), main.tensor((2,), F), handle(main, "v")
    assign(main, variable, x)
    main.op("ADD", [read(main, variable, (2,), F), x], [result], ("AddOptions", {}))
    main.outputs = [result]
    return dict(name="variable_assigned_first", model=model.json(), runs=runs)


def cases():
    yield sum_of_all()
    yield last_rows(F, None)
    yield last_rows(np.int8, (0.1, 3))
    yield two_variables()
    yield assigned_first()
