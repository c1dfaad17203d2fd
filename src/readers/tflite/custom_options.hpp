// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// Options of a custom operator: a FlexBuffer that holds numbers by name. Every function throws Error
// for a name that is not there or no number.
class CustomOptions {
public:
    // Throws Error where the operator has no such options, or damaged ones.
    explicit CustomOptions(const Operator& op);

    bool has(const std::string& name) const;
    std::int64_t integer(const std::string& name) const;
    bool boolean(const std::string& name) const { return integer(name) != 0; }
    float real(const std::string& name) const;

private:
    const Operator& op_;
    std::vector<std::uint64_t> bytes_;  // aligned as the numbers in it want it
    std::size_t size_ = 0;
};

}  // namespace fuseq::tflite_reader
