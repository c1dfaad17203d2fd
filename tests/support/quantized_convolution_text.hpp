// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of text models that many tests begin with.
#pragma once

#include <string>

namespace fuseq::testing {

// %q: %<source> quantized to 256 levels of 1/64 from -2 on.
inline std::string quantized(const std::string& source) {
    return "%l = Const value={-2} : f32[]\n%h = Const value={1.984375} : f32[]\n"
           "%q = FakeQuantize(%" +
           source + ", %l, %h, %l, %h) levels=256\n";
}

// %c: convolution of %<source> with i8 weights %wd of a shape like "8,3,3,3" in steps of 1/128;
// `pad` on all sides.
inline std::string quantized_convolution(const std::string& source,
                                         const std::string& weights,
                                         const std::string& pad) {
    const std::string pads = "[" + pad + "," + pad + "]";
    return "%w = Const value=random(5,-127,127) : i8[" + weights +
           "]\n%wf = Convert(%w) destination_type=f32\n%s = Const value={0.0078125} : f32[]\n"
           "%wd = Multiply(%wf, %s)\n%c = Convolution(%" +
           source + ", %wd) strides=[1,1] dilations=[1,1] pads_begin=" + pads +
           " pads_end=" + pads + "\n";
}

}  // namespace fuseq::testing
