// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuseq_patterns page          prints docs/patterns.md
//        fuseq_patterns expect FILE   prints what the CPU plan of a pattern is today, in the form
//        of
//                                     the expect part
#include <exception>
#include <iostream>
#include <string>

#include "fuseq/core.hpp"
#include "patterns/catalogue_page.hpp"
#include "patterns/pattern.hpp"

int main(int argc, char** argv) {
    using namespace fuseq;
    const std::string mode = argc > 1 ? argv[1] : "";
    try {
        if (mode == "page" && argc == 2) {
            std::cout << patterns::catalogue_page();
            return 0;
        }
        if (mode == "expect" && argc == 3) {
            const auto pattern = patterns::read_pattern(argv[2]);
            const auto compiled = Core().compile_model(Model::from_text(pattern.model), "CPU");
            for (const auto& line : patterns::lines_of_report(compiled.get_runtime_report())) {
                std::cout << line << "\n";
            }
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
    std::cerr << "usage: fuseq_patterns page | expect FILE\n";
    return 2;
}
