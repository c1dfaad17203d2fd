// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds an Emission operation by operation. Each append either succeeds or leaves the emission as
// it was and says why.
#pragma once

#include <string>

#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops {

class EmissionBuilder {
public:
    EmissionBuilder(const Anchor& anchor, ElementType dst_type);

    // Empty when `op` is mapped, else the reason. `last`: the store follows.
    std::string append(const BasicOp& op, bool last);
    Emission emission() const;

private:
    std::string append_op(const Scale& op, bool last);
    std::string append_op(const Shift& op, bool last);
    std::string append_op(const Round& op, bool last);
    std::string append_op(const Clip& op, bool last);
    std::string append_op(const Eltwise& op, bool last);
    std::string append_op(const Prelu& op, bool last);
    std::string append_op(const Binary& op, bool last);

    bool scale_head(const Values& by);
    bool shift_head(const Values& by);
    std::string scale_by(const Values& by);
    std::string shift_by(const Values& by);
    std::string push_eltwise(EltwisePostOp op);
    std::string push_constant(BinaryKind kind, const Values& values);
    std::string push_tensor(const Binary& op);
    bool sum_fits(const Binary& op) const;
    bool has_tensor() const;
    bool has_output_scales() const { return can_.output_scales || scale_after_; }
    EltwisePostOp* last_eltwise();
    bool take_linear_scale(float& scale);

    const Anchor& anchor_;
    Capabilities can_;
    // The output scales become a first post-op: the same arithmetic where there are none.
    bool scale_after_ = false;
    Emission out_;
    bool sum_used_ = false;
};

}  // namespace fuseq::post_ops
