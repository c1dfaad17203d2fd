// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuseq_patterns page             prints docs/patterns.md
//        fuseq_patterns expect NAME      prints what the plan of a pattern is today
//        fuseq_patterns model NAME       prints the model of a pattern, without macros
//        fuseq_patterns update [NAME...] writes that into the files (all of them); read the diff:
//                                        what a pattern loses, somebody's model loses
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "fuseq/core.hpp"
#include "patterns/catalogue_page.hpp"
#include "patterns/pattern.hpp"

namespace {

using namespace fuseq;

std::vector<std::string> steps_of_today(const patterns::Pattern& pattern) {
    const auto compiled = Core().compile_model(Model::from_text(pattern.model), "CPU");
    return patterns::lines_of_report(compiled.get_runtime_report());
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) {
        text += line + "\n";
    }
    return text;
}

// Keeps the model, the lines of the expect part that are no steps, and classes that are still true.
void update(const std::string& name) {
    std::ifstream in(patterns::pattern_path(name));
    std::string text;
    bool expect = false;
    for (std::string line; std::getline(in, line);) {
        if (!expect || line.rfind("inputs ", 0) == 0 || line.rfind("step ", 0) == 0) {
            text += line + "\n";
        }
        expect = expect || line == "expect";
    }
    const auto pattern = patterns::read_pattern(patterns::pattern_path(name));
    text += text_of(patterns::updated_lines(pattern, steps_of_today(pattern)));
    std::ofstream(patterns::pattern_path(name)) << text;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
    try {
        if (mode == "page" && names.empty()) {
            std::cout << patterns::catalogue_page();
            return 0;
        }
        if (mode == "expect" && names.size() == 1) {
            std::cout << text_of(
                steps_of_today(patterns::read_pattern(patterns::pattern_path(names[0]))));
            return 0;
        }
        if (mode == "model" && names.size() == 1) {
            std::cout << Model::from_text(
                             patterns::read_pattern(patterns::pattern_path(names[0])).model)
                             ->to_text();
            return 0;
        }
        if (mode == "update") {
            for (const auto& name : names.empty() ? patterns::pattern_names() : names) {
                update(name);
            }
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
    std::cerr << "usage: fuseq_patterns page | expect NAME | model NAME | update [NAME...]\n";
    return 2;
}
