// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/flatten.hpp"

namespace fuseq::onnx_reader {

Output flatten(Operator& op, const Output& x, std::size_t axis) {
    const PartialShape& shape = x.partial_shape();
    if (shape.is_static()) {
        std::int64_t before = 1;
        std::int64_t after = 1;
        for (std::size_t d = 0; d < shape.rank(); ++d) {
            (d < axis ? before : after) *= shape[d].get_length();
        }
        return op.add("Reshape", {x, op.int_list({before, after})}, {{"special_zero", false}});
    }
    if (axis <= 1) {
        // A 0 keeps the dimension.
        return op.reshape(x, {axis == 0 ? 1 : 0, -1});
    }
    const Output sizes = op.shape_of(x);
    const Output leading =
        op.add("Slice", {sizes, op.int_list({0}), op.int_list({static_cast<std::int64_t>(axis)}),
                         op.int_list({1})});
    const Output before = op.add("ReduceProd", {leading, op.int_list({0})}, {{"keep_dims", true}});
    const Output target =
        op.add("Concat", {before, op.int_list({-1})}, {{"axis", std::int64_t{0}}});
    return op.add("Reshape", {x, target}, {{"special_zero", false}});
}

}  // namespace fuseq::onnx_reader
