// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/properties.hpp"

#include <CLI/CLI.hpp>

#include "common/tool.hpp"

namespace fuseq::samples {

void add_config_option(CLI::App& app, std::vector<std::string>& settings) {
    app.add_option("--config", settings,
                   "Property of the device, NAME=VALUE (docs/debugging.md); may be repeated")
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
}

void set_properties(AnyMap& properties, const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
        const std::size_t equal = setting.find('=');
        if (equal == 0 || equal == std::string::npos) {
            throw UsageError("-config: '" + setting + "' is not NAME=VALUE");
        }
        properties[setting.substr(0, equal)] = setting.substr(equal + 1);
    }
}

}  // namespace fuseq::samples
