// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/emit.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cpu/post_ops/emission_builder.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

Emission emit_to(const Chain& chain, const Anchor& anchor, ElementType dst_type) {
    EmissionBuilder builder(anchor, dst_type);
    std::size_t consumed = 0;
    std::vector<std::string> refused;
    for (const BasicOp& op : chain.ops) {
        std::string reason = builder.append(op, consumed + 1 == chain.ops.size());
        if (!reason.empty()) {
            refused.push_back(to_text(op) + ": " + reason);
            break;
        }
        ++consumed;
    }
    Emission out = builder.emission();
    out.consumed = consumed;
    out.complete = consumed == chain.ops.size() && dst_type == chain.dst_type;
    out.refused = std::move(refused);
    return out;
}

// The anchor alone, storing in its own type; nothing of the chain is mapped.
Emission bare(const Anchor& anchor, const Capabilities& can) {
    Emission out;
    out.possible = !can.dst_types.empty();
    const bool keeps_type =
        anchor.kind == AnchorKind::kMaxPool || anchor.kind == AnchorKind::kReorder;
    if (keeps_type) {
        out.dst_type = anchor.src_type;
    } else {
        // An average or a sum of integers is not one: only f32 holds it.
        out.possible = can.stores(ElementType::f32);
        out.dst_type = ElementType::f32;
    }
    return out;
}

}  // namespace

Emission emit(const Chain& chain, const Anchor& anchor) {
    const std::size_t channels = channels_of(chain.ops);
    if (channels != 1 && channels != anchor.oc) {
        throw Error("compile", fmt::format("a chain has values for {} channels, the {} has {}",
                                           channels, to_string(anchor.kind), anchor.oc));
    }
    const Capabilities can = capabilities_of(anchor);
    std::vector<std::string> refused;
    if (can.stores(chain.dst_type)) {
        Emission whole = emit_to(chain, anchor, chain.dst_type);
        if (whole.complete) {
            return whole;
        }
        refused = std::move(whole.refused);
    } else {
        refused.push_back(fmt::format("{} of {} does not store {}", to_string(anchor.kind),
                                      to_string(anchor.src_type), to_string(chain.dst_type)));
    }
    // A part: its value is stored as f32, so that nothing is lost between the two.
    Emission part = can.stores(ElementType::f32) && anchor.kind != AnchorKind::kReorder
                        ? emit_to(chain, anchor, ElementType::f32)
                        : bare(anchor, can);
    part.complete = part.complete && part.dst_type == chain.dst_type;
    for (std::string& reason : refused) {
        if (std::find(part.refused.begin(), part.refused.end(), reason) == part.refused.end()) {
            part.refused.push_back(std::move(reason));
        }
    }
    return part;
}

std::string fault_of(std::string_view implementation,
                     const Anchor& anchor,
                     const Emission& emission) {
    if (is_reference_implementation(implementation)) {
        return fmt::format("oneDNN has only {} for it", implementation);
    }
    const bool wrong =
        std::any_of(emission.post_ops.begin(), emission.post_ops.end(), [&](const PostOp& op) {
            const auto* constant = std::get_if<ConstantPostOp>(&op);
            return std::holds_alternative<TensorPostOp>(op) ||
                   (constant != nullptr && !constant->values.per_tensor() &&
                    (anchor.spatial_dims > 2 || implementation.starts_with("x64:gemm_s8")));
        });
    if (anchor.kind == AnchorKind::kConvolution && wrong &&
        implementation.starts_with("x64:gemm")) {
        return fmt::format("{} reads the tensor of a binary post-op wrongly", implementation);
    }
    return {};
}

Chain remainder_of(const Chain& chain, const Emission& emission) {
    const auto first = chain.ops.begin() + static_cast<std::ptrdiff_t>(emission.consumed);
    return {.ops = {first, chain.ops.end()}, .dst_type = chain.dst_type};
}

}  // namespace fuseq::post_ops
