// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of a reader name the file, and where there is one the operator: its name, its type, and
// in the rule the tensor.
#pragma once

#include <new>
#include <stdexcept>
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

// Runs `work`, the translation of the operator at `place`. Errors of a reader pass as they are; those of
// functions that know no file get the place, the text of `before()` first in their rule.
template <class Before, class Work>
void translate_at(const Place& place, const Before& before, const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        const Error::Info& info = error.info();
        if (!info.file.empty() && info.stage == "read") {
            throw;
        }
        place.fail(before(), info.op.empty() ? "" : info.op + ": ", info.rule);
    } catch (const std::bad_alloc&) {
        place.fail("out of memory");
    } catch (const std::length_error&) {
        place.fail("out of memory");
    }
}

}  // namespace fuseq::readers
