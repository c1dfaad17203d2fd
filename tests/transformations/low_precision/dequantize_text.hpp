// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pieces of text models with DQ, for the tests of the passes and laws that move them, and the test
// that a pass leaves a model as it is and says why.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/pass_testing.hpp"

namespace fuseq::testing {

// A DQ of %<name> of u8 or i8 with values of the given shape text.
inline std::string dq(const std::string& name,
                      const std::string& type,
                      const std::string& scale,
                      const std::string& zero_point,
                      const std::string& values = "f32[]") {
    std::string text = "%" + name + "_q = Parameter : " + type + "\n%" + name + "_c = Convert(%" +
                       name + "_q) destination_type=f32\n";
    std::string last = name + "_c";
    if (!zero_point.empty()) {
        text += "%" + name + "_z = Const value={" + zero_point + "} : " + values + "\n%" + name +
                "_b = Subtract(%" + last + ", %" + name + "_z)\n";
        last = name + "_b";
    }
    return text + "%" + name + "_s = Const value={" + scale + "} : " + values + "\n%" + name +
           " = Multiply(%" + last + ", %" + name + "_s)\n";
}

inline std::string model(const std::string& body) {
    return "model \"m\"\n" + body + "\n%r = Result(%y)";
}

// A body whose node %y a pass must not touch, and how its reason begins.
struct Refusal {
    const char* name;
    std::string body;
    const char* reason;
};

inline std::string refusal_name(const ::testing::TestParamInfo<Refusal>& test) {
    return test.param.name;
}

inline void expect_refused(bool (*pass)(Model&, PassContext&), const Refusal& refusal) {
    const PassTest test = run_pass(pass, model(refusal.body));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(compare_models(*test.before, *test.after), "");
    EXPECT_THAT(refusal_at(test.context, "y"), ::testing::StartsWith(refusal.reason));
}

}  // namespace fuseq::testing
