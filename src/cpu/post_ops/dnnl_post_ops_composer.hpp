// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The one way from a chain of basic operations to what is executed: lowered by lower.hpp,
// simplified by laws, then one of two products. The only file of this folder that sees oneDNN.
//
//   DnnlPostOpsComposer composer({ops, ElementType::u8}, laws);
//
// 1. Attributes of a oneDNN primitive, for the longest prefix that maps well:
//   const Mapped mapped = composer.map(anchor);
//   if (mapped.emission.possible) {
//       ComposedAttributes made = compose_attributes(mapped.emission, dst_desc, 1, engine);
//       ... primitive_desc(desc, made.attr, engine); add made.bias to the bias; bind made.constants
//       and, for made.tensors, the binary sources; mapped.remainder is left for a fused eltwise.
//   }
// 2. A program for the epilogue of a kernel of Fuseq: composer.epilogue(mapped) for kernels that
//    stand in for oneDNN on integer accumulators, composer.program() for kernels that do what the
//    chain says, operation by operation; or its head in a fixed form, chain_head.hpp. Whether it
//    takes them is what each kernel answers, with the reason: Support.
//
// Objects answer the same at any time and may be shared by threads.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "cpu/post_ops/emit.hpp"
#include "cpu/post_ops/epilogue_program.hpp"
#include "cpu/post_ops/simplify.hpp"

namespace fuseq::post_ops {

struct ComposedAttributes {
    // An argument whose memory is made here and owned by this object.
    struct Constant {
        int argument = 0;  // DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1
        dnnl::memory memory;
    };
    // An argument for which the caller binds binary source `input`, in the layout `desc`: that of
    // dst with the type of the input.
    struct Tensor {
        int argument = 0;
        std::size_t input = 0;
        dnnl::memory::desc desc;
    };
    dnnl::primitive_attr attr;
    std::vector<Constant> constants;
    std::vector<Tensor> tensors;
    // Binary sources that must lie in the dst buffer when the primitive runs (at most one).
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

// A chain split between an anchor and a fused eltwise after it.
struct Mapped {
    Emission emission;
    // What the anchor leaves: reads emission.dst_type, stores the chain's type. No operations when
    // complete.
    Chain remainder;
    bool complete = false;
};

// All of the chain as the epilogue of a kernel that stands in for an anchor of oneDNN.
struct MappedEpilogue {
    Anchor anchor;
    Emission emission;
    AccumulatorEpilogue epilogue;
    std::string text;  // what the emission and the remainder do
};

class DnnlPostOpsComposer {
public:
    // Throws Error when per-channel values of the chain differ in number.
    explicit DnnlPostOpsComposer(Chain lowered, const SimplifyOptions& laws = {});

    // Whether it was made of this.
    bool is_of(const Chain& lowered, const SimplifyOptions& laws) const {
        return lowered_ == lowered && laws_ == laws;
    }
    // Simplified.
    const Chain& chain() const { return chain_; }
    // What each law did to the chain, and which refuse. Computed when asked for: texts take several
    // times as long as the laws.
    std::vector<LawNote> notes() const { return simplify(lowered_, laws_).notes; }

    // Of the first `count` operations what an anchor of oneDNN takes. Throws Error when per-channel
    // values do not fit anchor.oc.
    Mapped map(const Anchor& anchor, std::size_t count) const;
    Mapped map(const Anchor& anchor) const { return map(anchor, chain_.ops.size()); }

    // All of the chain, rounded as oneDNN with the fused eltwise after it would.
    static AccumulatorEpilogue epilogue(const Mapped& mapped) {
        return make_epilogue(mapped.emission, mapped.remainder);
    }
    // map() and epilogue() in one. The last one is kept: candidates ask for the same in turn, and
    // so do plans of other shapes, which share composers.
    std::shared_ptr<const MappedEpilogue> mapped_epilogue(const Anchor& anchor) const;
    // All of the chain, rounded as it stands.
    EpilogueProgram program() const { return make_epilogue(chain_); }

private:
    Chain lowered_;
    SimplifyOptions laws_;
    Chain chain_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const MappedEpilogue> last_;
};

}  // namespace fuseq::post_ops
