// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/row_step.hpp"

#include <algorithm>

#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

class RowStepRunner final : public Runner {
public:
    RowStepRunner(const RowStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        RowStep::Rows all;
        for (std::size_t i = 0; i < step_.inputs().size(); ++i) {
            all.sources[i] = memory_.data(step_.inputs()[i]);
        }
        all.dst = memory_.data(step_.outputs()[0]);
        parallel_for(step_.rows_, step_.grain_, [&](std::size_t begin, std::size_t end) {
            RowStep::Rows some = all;
            some.begin = begin;
            some.end = end;
            step_.kernel_(some);
        });
    }

    void run_rows(const RowPart& part) override {
        RowStep::Rows some;
        for (std::size_t i = 0; i < step_.inputs().size(); ++i) {
            const TensorId id = step_.inputs()[i];
            const bool whole =
                std::find(step_.whole_.begin(), step_.whole_.end(), id) != step_.whole_.end();
            some.sources[i] = whole ? memory_.data(id) : memory_.rows(id, part);
        }
        some.dst = memory_.rows(step_.outputs()[0], part);
        some.begin = part.begin;
        some.end = part.end;
        step_.kernel_(some);
    }

private:
    const RowStep& step_;
    RequestMemory& memory_;
};

RowStep::RowStep(Kernel kernel, Tensors tensors, std::size_t rows, std::size_t grain, StepInfo info)
    : kernel_(std::move(kernel)), whole_(std::move(tensors.whole)), rows_(rows), grain_(grain) {
    if (tensors.inputs.size() > kMaxSources) {
        throw Error("compile", "a step of rows has more sources than it takes");
    }
    inputs_ = std::move(tensors.inputs);
    outputs_ = {tensors.output};
    info_ = std::move(info);
}

std::unique_ptr<Runner> RowStep::bind(RequestMemory& memory) const {
    return std::make_unique<RowStepRunner>(*this, memory);
}

std::optional<RowTiling> RowStep::row_tiling() const {
    return RowTiling{.rows = rows_, .whole = whole_};
}

}  // namespace fuseq::cpu
