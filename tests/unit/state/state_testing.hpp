// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of models with variables share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"

namespace fuseq::test {

// Every test of this kind runs on both devices.
class OnBothDevices : public testing::TestWithParam<const char*> {
protected:
    InferRequest request_of(const std::shared_ptr<Model>& model) {
        return core_.compile_model(model, GetParam()).create_infer_request();
    }
    Core core_;
};

inline std::vector<float> floats(const Tensor& tensor) {
    return to_floats(tensor);
}

inline void expect_near(const std::vector<float>& actual,
                        const std::vector<float>& expected,
                        float tolerance) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
    }
}

}  // namespace fuseq::test
