// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pieces of text models with a quantization to u8, for the tests of the passes that move it.
#pragma once

#include <string>

namespace fuseq::testing {

// %l, %h: from where to where; %ol, %oh: to the integers. `low` with its type, "{-2} : f32[]".
inline std::string limits(const std::string& low, const std::string& high) {
    return "\n%l = Const value=" + low + "\n%h = Const value={" + high +
           "} : f32[]\n%ol = Const value={0} : f32[]\n%oh = Const value={255} : f32[]\n";
}

// The quantization of `source` within these limits, as `name`.
inline std::string quantize(const std::string& name, const std::string& source) {
    return "\n%" + name + " = FakeQuantize(%" + source +
           ", %l, %h, %ol, %oh) levels=256 output_type=u8\n";
}

}  // namespace fuseq::testing
