// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain of an anchor as the epilogue of the device's own matrix products.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/anchor.hpp"

namespace fuseq::cpu {

// The whole chain as one composition: what the emission leaves over is done by the kernel too. The
// anchor has no emission of its own, text says what both do.
struct OwnComposition {
    ComposedAnchor anchor;
    std::shared_ptr<const post_ops::AccumulatorEpilogue> epilogue;
    std::string text;
    std::vector<std::string> notes;
};

// Nothing when the kernel does not take the chain of the composer; `refused` is why.
std::optional<OwnComposition> compose_own(const StepBuilder& builder,
                                          const Group& group,
                                          post_ops::AnchorKind kind,
                                          std::size_t channels,
                                          Layout layout,
                                          const post_ops::DnnlPostOpsComposer& composer,
                                          std::string& refused);

// The tensors that the operations read, by number of the binary source.
std::vector<TensorId> source_tensors(StepBuilder& builder,
                                     const Group& group,
                                     const post_ops::EpilogueProgram& program,
                                     Layout layout);

}  // namespace fuseq::cpu
