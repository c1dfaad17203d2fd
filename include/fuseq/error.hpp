// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The one exception type of the library. It names the stage, the file, the layer and the rule that
// was broken, with the values that broke it:
//   read 'm.xml': layer 12 'fq_3' (FakeQuantize): input_low has 3 values, expected 1 or 64
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace fuseq {

class Error : public std::runtime_error {
public:
    struct Info {
        std::string stage;     // "read", "validate", "compile", "infer", "plugin", ...
        std::string file;      // may be empty
        std::string layer_id;  // id in the IR; may be empty
        std::string layer;     // layer name; may be empty
        std::string op;        // operation type; may be empty
        std::string rule;      // what was expected and what was found
    };

    explicit Error(Info info) : std::runtime_error(compose(info)), info_(std::move(info)) {}
    Error(std::string stage, std::string rule)
        : Error(Info{.stage = std::move(stage),
                     .file = {},
                     .layer_id = {},
                     .layer = {},
                     .op = {},
                     .rule = std::move(rule)}) {}

    const Info& info() const noexcept { return info_; }
    static std::string compose(const Info& info);

private:
    Info info_;
};

namespace detail {
inline void append(std::ostringstream&) {}
template <class First, class... Rest>
void append(std::ostringstream& out, const First& first, const Rest&... rest) {
    out << first;
    append(out, rest...);
}
// Concatenates anything that can be written to a stream. Public headers alone use it: who includes
// them needs no fmt.
template <class... Args>
std::string cat(const Args&... args) {
    std::ostringstream out;
    append(out, args...);
    return out.str();
}
}  // namespace detail

}  // namespace fuseq
