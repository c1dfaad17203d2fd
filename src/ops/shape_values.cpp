// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/shape_values.hpp"

#include "fuseq/model.hpp"

namespace fuseq {

std::optional<std::size_t> list_length(const InferContext& context, std::size_t i) {
    if (!context.has_input(i)) {
        return std::nullopt;
    }
    const PartialShape& shape = context.shape(i);
    if (!shape.is_static() || shape.rank() > 1) {
        return std::nullopt;
    }
    // A list of axes or sizes is as long as a rank; longer ones are not to be believed.
    constexpr std::int64_t kLongestList = 1024;
    if (shape.rank() == 1 && shape[0].get_length() > kLongestList) {
        return std::nullopt;
    }
    return shape.rank() == 0 ? 1 : static_cast<std::size_t>(shape[0].get_length());
}

std::optional<std::vector<Dimension>> shape_values(const InferContext& context, std::size_t i) {
    if (!list_length(context, i) || !is_integral(context.type(i))) {
        return std::nullopt;
    }
    return context.dims(i);
}

void set_shape_values(InferContext& context, std::size_t i, std::vector<Dimension> dims) {
    const OutputPort& port = context.node().port(i);
    if (!is_integral(port.type) || !port.shape.is_static() || port.shape.rank() > 1 ||
        shape_size(port.shape.to_shape()) != dims.size()) {
        return;
    }
    context.set_output_dims(i, std::move(dims));
}

void require_int_list(const InferContext& context, std::size_t i, std::string_view what) {
    context.require(is_integral(context.type(i)), what, " is ", to_string(context.type(i)),
                    ", expected an integer type");
    const PartialShape& shape = context.shape(i);
    context.require(!shape.rank_is_static() || shape.rank() <= 1, what, " has shape ",
                    to_string(shape), ", expected a list");
}

}  // namespace fuseq
