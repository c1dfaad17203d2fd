// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of models whose activations have 16 bits. Steps of 2^-8, so that floats hold the sums.
#pragma once

#include <string>

namespace fuseq::test {

// A result that is off by one step next to the middle of two.
inline constexpr double kStep = 0x1p-8;

inline std::string quantized(const std::string& name, const std::string& of) {
    return "%" + name + "_l = Const value={-128} : f32[]\n%" + name +
           "_h = Const value={127.99609375} : f32[]\n%" + name + " = FakeQuantize(%" + of + ", %" +
           name + "_l, %" + name + "_h, %" + name + "_l, %" + name + "_h) levels=65536\n";
}

inline std::string weights(const std::string& name, const std::string& shape) {
    return "%" + name + "_i = Const value=random(3,-100,100) : i8" + shape + "\n%" + name +
           "_f = Convert(%" + name + "_i) destination_type=f32\n%" + name +
           "_s = Const value={0.0078125} : f32[]\n%" + name + " = Multiply(%" + name + "_f, %" +
           name + "_s)\n";
}

}  // namespace fuseq::test
