// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pieces of text models with DQ, for the tests of the laws that move them.
#pragma once

#include <string>

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

}  // namespace fuseq::testing
