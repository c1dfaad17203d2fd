// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The composer as the plan uses it: simplify, emit, and at last attributes of oneDNN. The only
// file of this folder that sees oneDNN.
//
//   DnnlPostOpsComposer composer({ops, ElementType::u8}, anchor);
//   if (composer.emission().possible) {
//       ComposedAttributes made = composer.compose(dst_desc, 1, engine);
//       ... primitive_desc(desc, made.attr, engine); add made.bias to the bias; bind made.constants
//       and, for made.tensors, the extra inputs; composer.rest() is left for the chain kernel.
//   }
// Objects are immutable after construction and may be shared by threads.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "cpu/post_ops/emit.hpp"
#include "cpu/post_ops/simplify.hpp"

namespace fuseq::post_ops {

struct ComposedAttributes {
    // An argument whose memory is made here and owned by this object.
    struct Constant {
        int argument = 0;  // DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1
        dnnl::memory memory;
    };
    // An argument for which the caller binds extra input `input`, in the layout `desc`: that of
    // dst with the type of the input.
    struct Tensor {
        int argument = 0;
        std::size_t input = 0;
        dnnl::memory::desc desc;
    };
    dnnl::primitive_attr attr;
    std::vector<Constant> constants;
    std::vector<Tensor> tensors;
    // Extra inputs that must lie in the dst buffer when the primitive runs (at most one).
    std::vector<std::size_t> in_dst;
};

// `dst` is the descriptor of the result as the primitive writes it: plain strides, any order (not
// `any`); its data type is not looked at. `channel_axis`: the dimension of dst that per-channel
// values belong to (1 for convolutions, the last for a matmul). Throws Error when emission and dst
// do not fit together.
ComposedAttributes compose_attributes(const Emission& emission,
                                      const dnnl::memory::desc& dst,
                                      int channel_axis,
                                      const dnnl::engine& engine);

class DnnlPostOpsComposer {
public:
    DnnlPostOpsComposer(Chain chain, const Anchor& anchor, const SimplifyOptions& options = {});

    const Chain& chain() const { return simplified_.chain; }
    const std::vector<LawNote>& notes() const { return simplified_.notes; }
    const Emission& emission() const { return emission_; }
    // What the anchor leaves to the chain kernel; no operations and the anchor's dst_type when
    // emission().complete.
    Chain rest() const { return remainder_of(simplified_.chain, emission_); }
    ComposedAttributes compose(const dnnl::memory::desc& dst,
                               int channel_axis,
                               const dnnl::engine& engine) const {
        return compose_attributes(emission_, dst, channel_axis, engine);
    }

private:
    Simplified simplified_;
    Emission emission_;
};

}  // namespace fuseq::post_ops
