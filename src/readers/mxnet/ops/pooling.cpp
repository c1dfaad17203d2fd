// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings, of real numbers and quantized.
#include "readers/mxnet/operator_table.hpp"
#include "readers/mxnet/ops/window.hpp"

namespace fuseq::mxnet_reader::pooling_operators {
namespace {

using Outputs = std::vector<Output>;

struct Pool {
    bool average = false;
    bool global = false;
    Window window;
    std::string rounding = "floor";
    bool exclude_pad = false;
};

Pool read_pool(const Operator& op) {
    Pool pool;
    const std::string type = op.attributes.text("pool_type", "max");
    op.require(type == "max" || type == "avg", "pool_type is ", type, ", expected max or avg");
    const std::string layout = op.attributes.text("layout", "NCHW");
    op.require(layout == "NCHW" || layout == "NCW" || layout == "NCDHW", "layout is ", layout,
               ", channels must be second");
    pool.average = type == "avg";
    pool.global = op.attributes.flag("global_pool", false);
    const std::string convention = op.attributes.text("pooling_convention", "valid");
    op.require(convention == "valid" || convention == "full", "pooling_convention is ", convention,
               ", expected valid or full");
    pool.rounding = convention == "full" ? "ceil" : "floor";
    pool.exclude_pad = !op.attributes.flag("count_include_pad", true);
    if (!pool.global) {
        pool.window = read_window(op.attributes, op.place());
    }
    return pool;
}

ModelAttributes attributes_of(const Pool& pool) {
    return {{"strides", pool.window.strides}, {"pads_begin", pool.window.pads},
            {"pads_end", pool.window.pads},   {"auto_pad", "explicit"},
            {"kernel", pool.window.kernel},   {"rounding_type", pool.rounding}};
}

Outputs pooling(Operator& op) {
    const Pool pool = read_pool(op);
    const Output x = op.input(0);
    if (pool.global) {
        std::vector<std::int64_t> axes;
        for (std::size_t d = 2; d < op.rank(x); ++d) {
            axes.push_back(static_cast<std::int64_t>(d));
        }
        return {op.add(pool.average ? "ReduceMean" : "ReduceMax", {x, op.int_list(axes)},
                       {{"keep_dims", true}})};
    }
    ModelAttributes attributes = attributes_of(pool);
    if (pool.average) {
        attributes.push_back({"exclude-pad", pool.exclude_pad});
    } else {
        attributes.push_back({"dilations", pool.window.dilations});
    }
    return {op.add(pool.average ? "AvgPool" : "MaxPool", {x}, attributes)};
}

// The result has the range of the source.
Outputs quantized_pooling(Operator& op) {
    op.require_inputs(3);
    Pool pool = read_pool(op);
    const Output x = op.input(0);
    const Grid grid = op.grid(0, 1, 2);
    if (pool.global) {
        const PartialShape& shape = x.partial_shape();
        op.require(shape.is_static() && shape.rank() > 2,
                   "global_pool: the sizes of the source are not known, they are ",
                   to_string(shape));
        for (std::size_t d = 2; d < shape.rank(); ++d) {
            pool.window.kernel.push_back(shape[d].get_length());
        }
        pool.window.strides.assign(shape.rank() - 2, 1);
        pool.window.pads.assign(shape.rank() - 2, 0);
    }
    ModelAttributes attributes = grids({grid}, grid, x.type());
    for (const auto& one : attributes_of(pool)) {
        attributes.push_back(one);
    }
    if (pool.average) {
        attributes.push_back({"exclude_pad", pool.exclude_pad});
    }
    const Output result =
        op.add(pool.average ? "QuantizedAveragePool" : "QuantizedMaxPool", {x}, attributes);
    return {result, op.input(1), op.input(2)};
}

const OperatorRow kRows[] = {
    {"Pooling", pooling, "max and avg; conventions valid and full"},
    {"_contrib_quantized_pooling", quantized_pooling, "likewise"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::pooling_operators
