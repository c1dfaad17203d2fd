// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of a reader name the file, and where there is one the operator: its name, its type, and
// in the rule the tensor.
#pragma once

#include <string>

#include "fuseq/error.hpp"

namespace fuseq::readers {

// Where in which file.
struct Place {
    std::string file;  // empty when the model is in memory
    std::string layer = {};
    std::string op = {};

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        throw Error(Error::Info{.stage = "read",
                                .file = file,
                                .layer_id = {},
                                .layer = layer,
                                .op = op,
                                .rule = detail::cat(args...)});
    }
    template <class... Args>
    void require(bool condition, const Args&... args) const {
        if (!condition) {
            fail(args...);
        }
    }
};

}  // namespace fuseq::readers
