// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints devices and their properties, as OpenVINO's hello_query_device sample does.
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include "openvino/openvino.hpp"

namespace {

void print_any_value(const ov::Any& value) {
    if (value.empty()) {
        std::cout << "EMPTY VALUE" << std::endl;
    } else {
        std::string text = value.as<std::string>();
        std::cout << (text.empty() ? "\"\"" : text) << std::endl;
    }
}

}  // namespace

int main() {
    try {
        ov::Core core;
        const std::vector<std::string> devices = core.get_available_devices();
        for (auto&& device : devices) {
            std::cout << device << std::endl << "\tSUPPORTED_PROPERTIES: " << std::endl;
            auto supported_properties = core.get_property(device, ov::supported_properties);
            for (auto&& property : supported_properties) {
                if (property != ov::supported_properties.name()) {
                    std::cout << "\t\t" << (property.is_mutable() ? "Mutable: " : "Immutable: ")
                              << property << " : ";
                    print_any_value(core.get_property(device, property));
                }
            }
        }
        const std::tuple<unsigned, unsigned> streams =
            core.get_property("CPU", ov::range_for_streams);
        std::cout << "streams from " << std::get<0>(streams) << std::endl;
        const std::string name = core.get_property("CPU", ov::device::full_name);
        std::cout << "name " << (name.empty() ? "none" : "known") << std::endl;
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
