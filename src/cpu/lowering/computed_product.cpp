// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/computed_product.hpp"

#include <algorithm>
#include <utility>

#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/steps/conv_geometry.hpp"

namespace fuseq::cpu {
namespace {

// Sums leave the tiles of AMX through memory: with fewer products that takes longer than tiles save.
constexpr std::size_t kMinTileRows = 16;
constexpr std::size_t kMinProductDepth = 64;

kernels::GemmForm form_of(const ComputedProduct& product) {
    using kernels::GemmForm;
    if (product.b.type != ElementType::i8 || product.b.zero_point != 0) {
        return GemmForm::kPairs;
    }
    switch (gemm_form()) {
        case GemmForm::kVnni512: {
            const bool tiles = machine_traits().amx_int8 && product.rows() >= kMinTileRows &&
                               product.depth >= kMinProductDepth;
            return tiles ? GemmForm::kAmx : GemmForm::kVnni512;
        }
        case GemmForm::kVnni256: return GemmForm::kVnni256;
        default: return GemmForm::kPairs;
    }
}

}  // namespace

std::vector<std::size_t> strides_of(const dnnl::memory::desc& desc) {
    const auto& data = desc.data;
    std::vector<std::size_t> strides;
    for (int d = 0; d < data.ndims; ++d) {
        const bool one = data.dims[d] == 1 && d + 2 < data.ndims;
        strides.push_back(one ? 0 : static_cast<std::size_t>(data.format_desc.blocking.strides[d]));
    }
    return strides;
}

std::optional<OwnComposition> compose_product(const StepBuilder& builder,
                                              const Group& group,
                                              std::string& refused) {
    const Shape dims = group.anchor->port(0).shape.to_shape();
    auto composition = compose_own(builder, group, post_ops::AnchorKind::kMatMul, dims.back(),
                                   Layout::kPlain, composer_of(group), refused);
    const bool fits = group.binary_sources.size() <= ComputedProduct::kMaxSources &&
                      std::all_of(group.binary_sources.begin(), group.binary_sources.end(),
                                  [&](const Output& source) { return source.shape() == dims; });
    if (composition && !fits) {
        refused = "reads tensors of other shapes";
        return std::nullopt;
    }
    return composition;
}

ComputedProduct computed_product(StepBuilder& builder,
                                 const Group& group,
                                 const OwnComposition& composition,
                                 const ProductPlaces& places) {
    const Node& node = *group.anchor;
    ComputedProduct product;
    product.dims = node.port(0).shape.to_shape();
    product.depth = node.input(0).shape().back();
    product.a = {places.a, node.input(0).type(), *single_zero_point(node, 2), places.a_strides};
    product.b = {places.b, node.input(1).type(), *single_zero_point(node, 3), places.b_strides};
    product.dst = {places.dst, composition.anchor.dst_type, 0, places.dst_strides};
    product.scale = composition.epilogue->scale;
    product.bias = composition.epilogue->bias;
    product.ops = composition.epilogue->program.ops;
    product.sources = source_tensors(builder, group, composition.epilogue->program, Layout::kPlain);
    product.form = form_of(product);
    return product;
}

std::shared_ptr<const ComputedProduct> computed_product_beside(StepBuilder& builder,
                                                               const Group& group,
                                                               const ProductPlaces& places) {
    const Node& node = *group.anchor;
    const std::size_t rank = node.port(0).shape.to_shape().size();
    const bool takes = single_zero_point(node, 2) && single_zero_point(node, 3) &&
                       node.input(0).shape().size() >= 2 && node.input(1).shape().size() >= 2 &&
                       node.input(0).shape().back() <= kernels::DataProduct::kMaxDepth &&
                       places.a_strides[rank - 1] == 1 && places.dst_strides[rank - 1] == 1 &&
                       (places.b_strides[rank - 1] == 1 || places.b_strides[rank - 2] == 1);
    std::string refused;
    const auto composition = takes ? compose_product(builder, group, refused) : std::nullopt;
    // Activations of integers are the kernel's own approximations.
    const auto activates = [](const kernels::GemmOp& op) {
        return op.kind == kernels::GemmOp::Kind::kEltwise;
    };
    if (!composition || std::any_of(composition->epilogue->program.ops.begin(),
                                    composition->epilogue->program.ops.end(), activates)) {
        return nullptr;
    }
    return std::make_shared<const ComputedProduct>(
        computed_product(builder, group, *composition, places));
}

}  // namespace fuseq::cpu
