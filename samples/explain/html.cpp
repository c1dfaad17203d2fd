// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/html.hpp"

#include <string_view>

namespace fuseq::samples {

extern const char* const kPage;  // page.html

namespace {

// Names of layers may hold what ends a script: "</script>", "<!--".
std::string script_text(const Report& report) {
    std::string text;
    for (const char c : report.dump()) {
        if (c == '<') {
            text += "\\u003c";
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace

std::string html_page(const Report& report) {
    constexpr std::string_view kPlace = "/*REPORT*/";
    std::string page = kPage;
    return page.replace(page.find(kPlace), kPlace.size(), script_text(report));
}

}  // namespace fuseq::samples
