// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/copy.hpp"

#include <cstring>

namespace fuseq::cpu {
namespace {

class CopyRunner final : public Runner {
public:
    CopyRunner(std::size_t bytes, TensorId src, TensorId dst, RequestMemory& memory)
        : bytes_(bytes), src_(src), dst_(dst), memory_(memory) {}
    void run() override {
        if (bytes_ != 0) {
            std::memcpy(memory_.data(dst_), memory_.data(src_), bytes_);
        }
    }

private:
    std::size_t bytes_;
    TensorId src_;
    TensorId dst_;
    RequestMemory& memory_;
};

}  // namespace

CopyStep::CopyStep(const PlanTensor& tensor, TensorId src, TensorId dst) : bytes_(tensor.bytes()) {
    inputs_ = {src};
    outputs_ = {dst};
    info_.name = "copy";
    info_.kind = "copy";
    info_.implementation = "fuseq:copy";
    info_.src_type = to_string(tensor.type);
    info_.dst_type = to_string(tensor.type);
    info_.layout = to_string(tensor.layout);
    info_.bytes = static_cast<std::int64_t>(2 * bytes_);
}

std::unique_ptr<Runner> CopyStep::bind(RequestMemory& memory) const {
    return std::make_unique<CopyRunner>(bytes_, inputs_[0], outputs_[0], memory);
}

}  // namespace fuseq::cpu
