// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/own_composition.hpp"

#include "cpu/kernels/gemm/gemm_vnni.hpp"

namespace fuseq::cpu {

std::optional<OwnComposition> compose_own(const StepBuilder& builder,
                                          const Group& group,
                                          post_ops::AnchorKind kind,
                                          std::size_t channels,
                                          Layout layout,
                                          const post_ops::DnnlPostOpsComposer& composer,
                                          std::string& refused) {
    post_ops::Anchor anchor;
    anchor.kind = kind;
    anchor.src_type = group.anchor->input(0).type();
    anchor.wei_type = ElementType::i8;
    anchor.oc = channels;
    anchor.isa = post_ops::IsaLevel::kAvx512Vnni;  // its own epilogue is the same on every machine
    anchor.sum_inputs = overwritable_sources(builder, group, layout);
    const auto mapped = composer.mapped_epilogue(anchor);
    refused = !mapped->epilogue.refused.empty()
                  ? mapped->epilogue.refused
                  : kernels::GemmVnni::supports(mapped->epilogue.program).reason();
    if (!refused.empty()) {
        return std::nullopt;
    }
    OwnComposition result;
    result.epilogue = {mapped, &mapped->epilogue};
    result.text = mapped->text;
    result.anchor.dst_type = composer.chain().dst_type;
    result.anchor.complete = true;
    for (const post_ops::PostOp& op : mapped->emission.post_ops) {
        if (const auto* sum = std::get_if<post_ops::SumPostOp>(&op)) {
            result.anchor.attributes.in_dst.push_back(sum->input);
        }
    }
    return result;
}

std::vector<TensorId> source_tensors(StepBuilder& builder,
                                     const Group& group,
                                     const post_ops::EpilogueProgram& program,
                                     Layout layout) {
    std::vector<TensorId> binary_sources(group.binary_sources.size(), kNoTensor);
    for (const post_ops::EpilogueOp& op : program.ops) {
        if (op.reads_tensor()) {
            binary_sources.at(op.binary.input) =
                builder.tensor_of(group.binary_sources[op.binary.input], layout);
        }
    }
    return binary_sources;
}

}  // namespace fuseq::cpu
