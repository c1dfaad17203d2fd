// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "explain/report.hpp"

namespace fuseq::samples {

std::string advice(const std::string& code) {
    static constexpr std::array<std::pair<const char*, const char*>, 1> kAdvice = {{
        {"no_anchor",
         "nothing stands before it that could store integers itself, and one pass over memory is "
         "what it costs; export the model without this layer if its range is not needed"},
    }};
    for (const auto& [known, text] : kAdvice) {
        if (code == known) {
            return text;
        }
    }
    return "";
}

}  // namespace fuseq::samples
