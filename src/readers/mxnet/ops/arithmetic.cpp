// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums, differences, products, of tensors and with a number.
#include "readers/mxnet/operator_table.hpp"

namespace fuseq::mxnet_reader::arithmetic_operators {
namespace {

using Outputs = std::vector<Output>;

struct Operation {
    std::string_view type;
    const char* made;
    bool reversed = false;
};

constexpr Operation kTensors[] = {
    {"elemwise_add", "Add"},
    {"elemwise_sub", "Subtract"},
    {"elemwise_mul", "Multiply"},
    {"elemwise_div", "Divide"},
    {"broadcast_add", "Add"},
    {"broadcast_sub", "Subtract"},
    {"broadcast_mul", "Multiply"},
    {"broadcast_div", "Divide"},
    {"broadcast_maximum", "Maximum"},
    {"broadcast_minimum", "Minimum"},
    {"_Plus", "Add"},
    {"_plus", "Add"},
    {"_Minus", "Subtract"},
    {"_Mul", "Multiply"},
    {"_Div", "Divide"},
};
constexpr Operation kScalars[] = {
    {"_plus_scalar", "Add"},
    {"_minus_scalar", "Subtract"},
    {"_rminus_scalar", "Subtract", true},
    {"_mul_scalar", "Multiply"},
    {"_div_scalar", "Divide"},
    {"_rdiv_scalar", "Divide", true},
    {"_power_scalar", "Power"},
};

template <std::size_t N>
const Operation& find(const Operator& op, const Operation (&list)[N]) {
    for (const Operation& one : list) {
        if (one.type == op.type()) {
            return one;
        }
    }
    op.fail("is in no list of operations");
}

Outputs tensors(Operator& op) {
    op.require_inputs(2);
    return {op.add(find(op, kTensors).made, {op.input(0), op.input(1)})};
}

Outputs with_scalar(Operator& op) {
    const Operation& operation = find(op, kScalars);
    const Output x = op.input(0);
    const Output number = op.scalar(op.attributes.real("scalar", 1), x);
    return {operation.reversed ? op.add(operation.made, {number, x})
                               : op.add(operation.made, {x, number})};
}

Outputs sum_of_all(Operator& op) {
    Output result = op.input(0);
    for (std::size_t i = 1; i < op.input_count(); ++i) {
        result = op.add("Add", {result, op.input(i)});
    }
    return {result};
}

const OperatorRow kRows[] = {
    {"ElementWiseSum", sum_of_all},
    {"_Div", tensors},
    {"_Minus", tensors},
    {"_Mul", tensors},
    {"_Plus", tensors},
    {"_div_scalar", with_scalar},
    {"_minus_scalar", with_scalar},
    {"_mul_scalar", with_scalar},
    {"_plus", tensors},
    {"_plus_scalar", with_scalar},
    {"_power_scalar", with_scalar},
    {"_rdiv_scalar", with_scalar},
    {"_rminus_scalar", with_scalar},
    {"add_n", sum_of_all},
    {"broadcast_add", tensors},
    {"broadcast_div", tensors},
    {"broadcast_maximum", tensors},
    {"broadcast_minimum", tensors},
    {"broadcast_mul", tensors},
    {"broadcast_sub", tensors},
    {"elemwise_add", tensors},
    {"elemwise_div", tensors},
    {"elemwise_mul", tensors},
    {"elemwise_sub", tensors},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::arithmetic_operators
