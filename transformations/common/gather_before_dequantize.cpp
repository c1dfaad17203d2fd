// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Picks rows of an 8-bit table (an embedding) before they are dequantized, so that the table stays
// 8 bits wide in memory and no row is computed that nobody asked for.
//
//   Law:     picking and arithmetic element by element change places:
//            gather((q - z) * s, i) = (gather(q, i) - gather(z, i)) * gather(s, i); a z or s that
//            does not vary along the axis is the same for all rows. An index outside the table
//            reads 0: a z is picked too, then, where s is not and z is not 0.
//   Before:  Const i8|u8 -> Convert -> [Subtract(z)] -> [Multiply(s)] -> Gather(i)
//   After:   Const i8|u8 -> Gather(i) -> Convert -> [Subtract(z')] -> [Multiply(s')]
//   Refuses: batch dimensions, an axis or a rank of indices that is not known, values that enlarge
//            the table. Other readers of the dequantized table keep it.
//   Source:  the definition of Gather; NNCF's compressed embeddings.
#include "transformations/common/gather_before_dequantize.hpp"

#include <algorithm>
#include <optional>

#include "ops/axes.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "ops/gather.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace gather_before_dequantize_pass {
namespace {

constexpr std::string_view kName = "gather_before_dequantize";

struct Table {
    Output stored;  // the Const
    Tensor zero_point;
    Tensor scale;
    std::vector<const Node*> nodes;  // of the dequantization
};

// The constant operand of a binary operation, in f32, and the other one.
std::optional<std::pair<Tensor, Output>> with_constant(const Node& node, bool any_order) {
    for (const std::size_t i : {1, 0}) {
        if (i == 0 && !any_order) {
            break;
        }
        // Either operand may be constant: the one without the table is short.
        const Output& other = node.input(1 - i);
        if (!is_one_of(*other.node, {"Convert", "Subtract"}) ||
            other.partial_shape() != node.port().shape) {
            continue;
        }
        if (auto value = evaluate_constant(node.input(i))) {
            return std::pair{value->to(ElementType::f32), other};
        }
    }
    return std::nullopt;
}

std::optional<Table> match_table(const Output& data) {
    Table table;
    Output at = data;
    for (const char* type : {"Multiply", "Subtract"}) {
        if (!at.node->is(type) || at.type() != ElementType::f32) {
            continue;
        }
        auto found = with_constant(*at.node, at.node->is("Multiply"));
        if (!found) {
            return std::nullopt;
        }
        (at.node->is("Multiply") ? table.scale : table.zero_point) = found->first;
        table.nodes.push_back(at.node);
        at = found->second;
    }
    if (!at.node->is("Convert") || at.type() != ElementType::f32) {
        return std::nullopt;
    }
    table.nodes.push_back(at.node);
    table.stored = at.node->input(0);
    const ElementType type = table.stored.type();
    const bool bytes = type == ElementType::i8 || type == ElementType::u8;
    return bytes && table.stored.node->is_constant() ? std::optional(table) : std::nullopt;
}

struct Place {
    std::size_t axis;
    std::size_t rank;          // of the table
    std::size_t indices_rank;  // dimensions that stand for the axis after the Gather
};

std::optional<Place> place_of(const Node& gather) {
    if (gather.spec().version != 1 && gather.attrs<GatherAttrs>().batch_dims != 0) {
        return std::nullopt;
    }
    const Tensor* axis = known_constant(gather.input(2));
    const PartialShape& indices = gather.input(1).partial_shape();
    if (axis == nullptr || axis->get_size() != 1 || !indices.rank_is_static()) {
        return std::nullopt;
    }
    const std::size_t rank = gather.input(0).partial_shape().rank();
    return Place{wrapped_axis(to_ints(*axis)[0], rank), rank, indices.rank()};
}

// The shape of a constant with as many dimensions as the table.
Shape full_shape(const Tensor& values, std::size_t rank) {
    Shape shape(rank, 1);
    const Shape& own = values.get_shape();
    std::copy(own.begin(), own.end(), shape.end() - static_cast<std::ptrdiff_t>(own.size()));
    return shape;
}

Tensor with_shape(const Tensor& values, const Shape& shape) {
    return Tensor::of(shape, to_floats(values));
}

bool varies(const Tensor& values, const Place& place) {
    return values && full_shape(values, place.rank)[place.axis] != 1;
}

bool is_zero(const Tensor& values) {
    const std::vector<float> list = to_floats(values);
    return std::all_of(list.begin(), list.end(), [](float value) { return value == 0; });
}

class Rewriter {
public:
    Rewriter(Node& gather, const Table& table, const Place& place)
        : gather_(gather), table_(table), place_(place) {}

    void run() {
        const bool shifts = table_.zero_point && !is_zero(table_.zero_point);
        const std::string name = gather_.name();
        Output rows = gathered(table_.stored, "/rows");
        ConvertAttrs to_real;
        to_real.destination_type = ElementType::f32;
        rows = finish(gather_.model().add(
            "Convert", 1, shifts || table_.scale ? name + "/convert" : name, {rows}, to_real));
        if (shifts) {
            const bool pick = !varies(table_.scale, place_);
            rows = binary("Subtract", table_.scale ? name + "/subtract" : name, rows,
                          pick ? spread(table_.zero_point) : table_.zero_point, "/zero_point");
        }
        if (table_.scale) {
            rows = binary("Multiply", name, rows, table_.scale, "/scale");
        }
        redirect(gather_.output(), rows);
    }

private:
    Output finish(Node* node) {
        node->origins = origins_of(gather_);
        for (const Node* part : table_.nodes) {
            add_origins(*node, *part);
        }
        return node->output();
    }

    Output gathered(const Output& data, const char* name) {
        return finish(
            copy_node(gather_, gather_.name() + name, {data, gather_.input(1), gather_.input(2)}));
    }

    // One value a row of the table.
    Tensor spread(const Tensor& values) const {
        Shape shape = full_shape(values, place_.rank);
        if (shape[place_.axis] != 1) {
            return values;
        }
        const std::vector<float> from = to_floats(values);
        const std::size_t rows = table_.stored.shape()[place_.axis];
        std::size_t inner = 1;
        for (std::size_t d = place_.axis + 1; d < shape.size(); ++d) {
            inner *= shape[d];
        }
        shape[place_.axis] = rows;
        std::vector<float> to(shape_size(shape));
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = from[i / (rows * inner) * inner + i % inner];
        }
        return Tensor::of(shape, to);
    }

    // With values that are picked too, or stay the same for all rows.
    Output binary(const char* type,
                  const std::string& name,
                  const Output& rows,
                  const Tensor& values,
                  const char* suffix) {
        Model& model = gather_.model();
        const std::string base = gather_.name() + suffix;
        Shape shape = full_shape(values, place_.rank);
        Output operand;
        if (shape[place_.axis] != 1) {
            operand =
                gathered(make_constant(model, base + "/table", with_shape(values, shape)), suffix);
        } else {
            const auto at = shape.begin() + static_cast<std::ptrdiff_t>(place_.axis);
            shape.insert(shape.erase(at), place_.indices_rank, 1);
            operand = make_constant(model, base, with_shape(values, shape));
        }
        return finish(model.add(type, 1, name, {rows, operand}, BinaryAttrs{}));
    }

    Node& gather_;
    const Table& table_;
    const Place& place_;
};

bool rewrite(Node& gather) {
    if (gather.port().type != ElementType::f32 || gather.input_node(0)->is_constant()) {
        return false;
    }
    const auto table = match_table(gather.input(0));
    if (!table || table->stored.partial_shape() != gather.input(0).partial_shape()) {
        return false;
    }
    const auto place = place_of(gather);
    if (!place) {
        return false;
    }
    Rewriter(gather, *table, *place).run();
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Gather", context, kName, rewrite);
}

}  // namespace
}  // namespace gather_before_dequantize_pass

bool gather_before_dequantize(Model& model, PassContext& context) {
    return gather_before_dequantize_pass::run(model, context);
}

}  // namespace fuseq
