// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a model that moves elements by Reshape, Transpose and Reshape, as exporters write
// channel shuffles and pixel shuffles.
#pragma once

#include <algorithm>
#include <string>

namespace fuseq::testing {

// Constant %<name> with the numbers of a list like "0,2,1".
inline std::string list_constant(const std::string& name, const std::string& list) {
    const auto commas = std::count(list.begin(), list.end(), ',');
    return "%" + name + " = Const value={" + list + "} : i64[" + std::to_string(commas + 1) + "]\n";
}

// %x of f32 and the shape, cut into dimensions `split` (%a), these in another `order` (%b), put
// together as `joined` (%y, the result). All are lists of numbers.
inline std::string shuffle_model(const std::string& shape,
                                 const std::string& split,
                                 const std::string& order,
                                 const std::string& joined) {
    return "model \"m\"\n%x = Parameter : f32[" + shape + "]\n" + list_constant("n", split) +
           "%a = Reshape(%x, %n)\n" + list_constant("o", order) + "%b = Transpose(%a, %o)\n" +
           list_constant("m", joined) + "%y = Reshape(%b, %m)\n%r = Result(%y)";
}

}  // namespace fuseq::testing
