// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layout: what the dimensions of a tensor mean, in OpenVINO's spelling:
//
//   "NCHW"               one letter a dimension; '?' for one without a meaning
//   "[N, C, H, W]"       the same; names may have several letters
//   "N...C", "...H,W"    any number of dimensions in the place of the dots
//
// N is the batch, C the channels, D, H and W depth, height and width. Case does not matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/node.hpp"

namespace fuseq {

class Layout {
public:
    // Nothing is known.
    Layout() = default;
    // Throws Error (stage "layout") for text that is none, or that has a name twice.
    Layout(std::string_view text);  // NOLINT(google-explicit-constructor)
    Layout(const char* text) : Layout(std::string_view(text)) {}         // NOLINT
    Layout(const std::string& text) : Layout(std::string_view(text)) {}  // NOLINT

    bool empty() const { return names_.empty() && !dots_; }
    bool has_name(std::string_view name) const;
    // Position of a dimension; negative, counted from the end, when it stands after dots. Throws
    // Error when there is none of that name.
    std::int64_t get_index_by_name(std::string_view name) const;
    // The same as an index for a tensor of that rank; nothing where the name or the place is not
    // there.
    std::optional<std::size_t> index_in(std::string_view name, std::size_t rank) const;
    // How many dimensions; nothing with dots, or when nothing is known.
    std::optional<std::size_t> rank() const;
    // Names from the first dimension on; "?" for one without a meaning.
    const std::vector<std::string>& names() const { return names_; }
    // "[N,C,H,W]", "[N,...,C]"; "" when nothing is known.
    std::string to_string() const;
    friend bool operator==(const Layout&, const Layout&) = default;

private:
    std::vector<std::string> names_;
    std::optional<std::size_t> dots_;  // stand before this name
};

// The layout that a model states for an input (or a port that feeds an output), as it was read or
// set; empty when there is none.
Layout get_layout(const Output& port);
// Throws Error when the rank of the port is another one.
void set_layout(const Output& port, const Layout& layout);

}  // namespace fuseq
