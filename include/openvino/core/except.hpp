// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions. Every function of the compatibility layer throws ov::Exception.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "fuseq/error.hpp"

namespace ov {

class Exception : public std::runtime_error {
public:
    explicit Exception(const std::string& what) : std::runtime_error(what) {}
};
class AssertFailure : public Exception {
public:
    using Exception::Exception;
};
class NotImplemented : public AssertFailure {
public:
    using AssertFailure::AssertFailure;
};
// The request runs.
class Busy : public Exception {
public:
    using Exception::Exception;
};
// The request was cancelled.
class Cancelled : public Exception {
public:
    using Exception::Exception;
};

namespace detail {

[[noreturn]] inline void rethrow(const fuseq::Error& error) {
    const std::string& stage = error.info().stage;
    if (stage == "busy") {
        throw Busy(error.what());
    }
    if (stage == "cancelled") {
        throw Cancelled(error.what());
    }
    throw Exception(error.what());
}

// Runs `body` and turns Fuseq's exception into OpenVINO's.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
    try {
        return body();
    } catch (const fuseq::Error& error) {
        rethrow(error);
    }
}

}  // namespace detail
}  // namespace ov

#define OPENVINO_THROW(...) throw ::ov::Exception(::fuseq::detail::cat(__VA_ARGS__))
#define OPENVINO_ASSERT(condition, ...)                                         \
    do {                                                                        \
        if (!(condition)) {                                                     \
            throw ::ov::AssertFailure(::fuseq::detail::cat(                     \
                "Check '" #condition "' failed. " __VA_OPT__(, ) __VA_ARGS__)); \
        }                                                                       \
    } while (0)
#define OPENVINO_NOT_IMPLEMENTED throw ::ov::NotImplemented("Not implemented")
