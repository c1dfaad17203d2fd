// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <string>

#include "fuseq/core.hpp"

// Of the API that these headers have: what a program compares with #if.
#define OPENVINO_VERSION_MAJOR 2024
#define OPENVINO_VERSION_MINOR 6
#define OPENVINO_VERSION_PATCH 0

namespace ov {

struct Version {
    const char* buildNumber;
    const char* description;
};

inline std::ostream& operator<<(std::ostream& out, const Version& version) {
    return out << version.description << "\n    Version : " << version.buildNumber
               << "\n    Build   : " << version.buildNumber << '\n';
}
inline std::ostream& operator<<(std::ostream& out, const std::map<std::string, Version>& versions) {
    for (const auto& [device, version] : versions) {
        out << device << '\n' << version;
    }
    return out;
}

namespace detail {
// The text lives as long as the process.
inline Version kept(const fuseq::Version& version) {
    static std::set<std::string>& texts = *new std::set<std::string>();
    return {texts.insert(version.build_number).first->c_str(),
            texts.insert(version.description).first->c_str()};
}
}  // namespace detail

inline Version get_openvino_version() {
    return detail::kept(fuseq::get_version());
}

}  // namespace ov
