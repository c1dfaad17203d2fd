// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of 8 or 4 bits, of which rows are picked or summed up, stay so.
//
//   Law:     CompressedEmbedding is what an embedding operation, or Gather on axis 0, gives of
//            code * scale + offset; (code - zero_point) * scale has offset = -zero_point * scale.
//   Before:  Const i8|u8|i4|u4 [V, W] -> Convert -> [Subtract(z)] -> Multiply(s) -> [Add(o) or
//            Subtract(o)] -> EmbeddingBag*, EmbeddingSegmentsSum or Gather
//   After:   CompressedEmbedding(Const codes, Const scale [V], Const offset [V], ...)
//   Refuses: scales, zero points or offsets that are not one a row, or one of all (row_scale), or no
//            finite numbers (row_range); of Gather another axis and batch dimensions (row_axis).
//            A Gather of bytes with one scale for all rows and no offset is one of
//            gather_before_dequantize.
//   Source:  the definitions of the operations; Glow's SparseLengthsWeightedSum of fused rows.
#include "transformations/common/keep_row_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "ops/axes.hpp"
#include "ops/embedding/compressed_embedding.hpp"
#include "ops/gather.hpp"
#include "transformations/support/code_chain.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace keep_row_tables_pass {
namespace {

constexpr std::string_view kName = "keep_row_tables";

std::optional<CodeChain> match_rows(const Output& data) {
    auto chain = match_code_chain(data);
    if (!chain || !is_row_code(chain->codes.type())) {
        return std::nullopt;
    }
    const Shape shape = chain->codes.shape();
    // The shape of the codes is that of the table, or an operand has more dimensions or rows.
    const bool table = shape.size() == 2 && shape_size(shape) != 0 && data.partial_shape() == shape;
    return table ? chain : std::nullopt;
}

// One value a row. Nothing: they are others.
std::optional<std::vector<double>> row_values(const Tensor& values, std::size_t rows, double none) {
    if (!values) {
        return std::vector<double>(rows, none);
    }
    const std::vector<float> list = to_floats(values);
    if (list.size() == 1) {
        return std::vector<double>(rows, list[0]);
    }
    if (values.get_shape() != Shape{rows, 1}) {
        return std::nullopt;
    }
    return std::vector<double>(list.begin(), list.end());
}

struct Grids {
    std::vector<float> scales;
    std::vector<float> offsets;
};

struct Refusal {
    std::string code;
    std::string text;
};

std::optional<Refusal> find_grids(const CodeChain& chain, Grids& grids) {
    const std::size_t rows = chain.codes.shape()[0];
    const auto scales = row_values(chain.scale, rows, 1);
    const auto zero_points = row_values(chain.zero_point, rows, 0);
    const auto offsets = row_values(chain.offset, rows, 0);
    if (!scales || !zero_points || !offsets) {
        return Refusal{"row_scale", fmt::format("a scale, zero point or offset of the table of "
                                                "shape {} is not one a row",
                                                to_string(chain.codes.shape()))};
    }
    for (std::size_t r = 0; r < rows; ++r) {
        grids.scales.push_back(static_cast<float>((*scales)[r]));
        grids.offsets.push_back(
            static_cast<float>((*offsets)[r] - (*zero_points)[r] * (*scales)[r]));
        if (!std::isfinite(grids.scales[r]) || !std::isfinite(grids.offsets[r])) {
            return Refusal{"row_range", fmt::format("row {} has a scale of {} and an offset of {}",
                                                    r, grids.scales[r], grids.offsets[r])};
        }
    }
    return std::nullopt;
}

CompressedEmbeddingAttrs attributes_of(const Node& node) {
    CompressedEmbeddingAttrs attributes;
    if (node.is("Gather")) {
        return attributes;
    }
    if (is_one_of(node, {"EmbeddingBagOffsets", "EmbeddingBagPacked"})) {
        attributes.reduction = node.attrs<EmbeddingBagAttrs>().reduction;
    }
    if (is_one_of(node, {"EmbeddingBagOffsets", "EmbeddingBagOffsetsSum"})) {
        attributes.form = RowsForm::kOffsets;
    } else if (is_one_of(node, {"EmbeddingBagPacked", "EmbeddingBagPackedSum"})) {
        attributes.form = RowsForm::kPacked;
    } else {
        attributes.form = RowsForm::kSegments;
    }
    return attributes;
}

std::optional<Refusal> check_gather(const Node& gather) {
    const Tensor* axis = known_constant(gather.input(2));
    const bool batched = gather.spec().version != 1 && gather.attrs<GatherAttrs>().batch_dims != 0;
    if (batched || axis == nullptr || axis->get_size() != 1 ||
        wrapped_axis(to_ints(*axis)[0], 2) != 0) {
        return Refusal{"row_axis", "picks something else than rows of the table"};
    }
    return std::nullopt;
}

// Whether the values of a row need more than the codes and one scale of all.
bool has_rows(const CodeChain& chain) {
    return !is_8_bit(chain.codes.type()) || chain.offset || chain.scale.get_size() != 1;
}

void rewrite(Node& node, const CodeChain& chain, const Grids& grids) {
    Model& model = node.model();
    const std::size_t rows = grids.scales.size();
    const std::string& name = node.name();
    std::vector<Output> inputs{
        chain.codes, make_constant(model, name + "/scale", Tensor::of(Shape{rows}, grids.scales)),
        make_constant(model, name + "/offset", Tensor::of(Shape{rows}, grids.offsets))};
    const std::size_t end = node.is("Gather") ? 2 : node.input_count();
    for (std::size_t i = 1; i < end; ++i) {
        inputs.push_back(node.has_input(i) ? node.input(i) : Output());
    }
    Node* picked =
        model.add("CompressedEmbedding", 1, name, std::move(inputs), attributes_of(node));
    picked->origins = origins_of(node);
    for (const Node* part : chain.nodes) {
        add_origins(*picked, *part);
    }
    picked->rt_info = node.rt_info;
    redirect(node.output(), picked->output());
}

bool keep(Node& node, PassContext& context) {
    if (node.port().type != ElementType::f32) {
        return false;
    }
    const auto chain = match_rows(node.input(0));
    if (!chain || (node.is("Gather") && !has_rows(*chain))) {
        return false;
    }
    Grids grids;
    auto refusal = node.is("Gather") ? check_gather(node) : std::nullopt;
    if (!refusal) {
        refusal = find_grids(*chain, grids);
    }
    if (refusal) {
        context.refused(kName, node, refusal->code, refusal->text);
        return false;
    }
    rewrite(node, *chain, grids);
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (const char* type : {"Gather", "EmbeddingBagOffsetsSum", "EmbeddingBagPackedSum",
                             "EmbeddingBagOffsets", "EmbeddingBagPacked", "EmbeddingSegmentsSum"}) {
        changed = rewrite_each(model, type, context, kName,
                               [&](Node& node) { return keep(node, context); }) ||
                  changed;
    }
    return changed;
}

}  // namespace
}  // namespace keep_row_tables_pass

bool keep_row_tables(Model& model, PassContext& context) {
    return keep_row_tables_pass::run(model, context);
}

}  // namespace fuseq
