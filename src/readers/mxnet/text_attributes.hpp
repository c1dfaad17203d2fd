// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of a node, which the JSON states as texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "readers/common/file_error.hpp"

namespace fuseq::mxnet_reader {

using readers::Place;

// Throws Error, naming the attribute, for a text of another kind.
class TextAttributes {
public:
    TextAttributes(const std::map<std::string, std::string>& stated, Place place)
        : stated_(stated), place_(std::move(place)) {}

    // "None" is as if it were left out.
    bool has(const char* name) const { return find(name) != nullptr; }
    std::int64_t integer(const char* name, std::int64_t otherwise) const;
    double real(const char* name, double otherwise) const;
    bool flag(const char* name, bool otherwise) const;
    std::string text(const char* name, const std::string& otherwise) const;
    // "(1, 2)", "[1, 2]" or "3".
    std::vector<std::int64_t> integers(const char* name) const;

private:
    const std::string* find(const char* name) const;
    std::int64_t parse_integer(const char* name, const std::string& text) const;

    const std::map<std::string, std::string>& stated_;
    Place place_;
};

}  // namespace fuseq::mxnet_reader
