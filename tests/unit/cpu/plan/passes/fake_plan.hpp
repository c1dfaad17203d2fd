// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A plan of steps that do nothing, for tests of passes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

class FakeStep : public Step {
public:
    FakeStep(std::string name, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        info_.name = std::move(name);
        inputs_ = std::move(inputs);
        outputs_ = std::move(outputs);
    }
    FakeStep& tiled(RowTiling tiling) {
        tiling_ = std::move(tiling);
        return *this;
    }
    std::unique_ptr<Runner> bind(RequestMemory&) const override { return nullptr; }
    std::optional<RowTiling> row_tiling() const override { return tiling_; }

private:
    std::optional<RowTiling> tiling_;
};

class FakePlanTest : public ::testing::Test {
protected:
    static constexpr std::size_t kRows = 20000;

    // So many bytes a row.
    TensorId tensor(std::size_t row, std::size_t rows = kRows) {
        PlanTensor tensor;
        tensor.type = ElementType::u8;
        tensor.shape = Shape{rows, row};
        plan_.tensors.push_back(tensor);
        return plan_.tensors.size() - 1;
    }
    template <class Kind>
    Kind& add(std::unique_ptr<Kind> step) {
        Kind& result = *step;
        plan_.steps.push_back(std::move(step));
        return result;
    }
    FakeStep& step(const char* name, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        return add(std::make_unique<FakeStep>(name, std::move(inputs), std::move(outputs)));
    }
    FakeStep& tiled(const char* name, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        return step(name, std::move(inputs), std::move(outputs)).tiled({.rows = kRows});
    }
    std::vector<std::string> order() const {
        std::vector<std::string> names;
        for (const auto& step : plan_.steps) {
            names.push_back(step->info().name);
        }
        return names;
    }

    Plan plan_;
};

// "layer: text" of each remark.
inline std::vector<std::string> sentences(const std::vector<Remark>& remarks) {
    std::vector<std::string> texts;
    texts.reserve(remarks.size());
    for (const Remark& remark : remarks) {
        texts.push_back(remark.layer + ": " + remark.text);
    }
    return texts;
}

}  // namespace fuseq::cpu
