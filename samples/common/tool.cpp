// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/tool.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>

#include "model/nearest_name.hpp"

namespace fuseq::samples {
namespace {

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
        for (const std::string& name : option->get_snames()) {
            names.push_back("-" + name);
        }
    }
    return names;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

// As the user writes it: -niter.
std::string with_one_dash(const std::string& option) {
    return option.substr(option.starts_with("--") ? 1 : 0);
}

// "there is no option '-nitter'; did you mean '-niter'?", for the first argument that is not known.
std::string unknown_argument(const CLI::App& app) {
    const std::vector<std::string> unknown = app.remaining(true);
    const auto first = std::find_if(unknown.begin(), unknown.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
    if (first == unknown.end()) {
        return "'" + unknown.front() + "' is not expected here" +
               did_you_mean(unknown.front(), subcommands_of(app));
    }
    std::vector<std::string> names = options_of(app);
    for (const CLI::App* chosen : app.get_subcommands()) {
        const std::vector<std::string> more = options_of(*chosen);
        names.insert(names.end(), more.begin(), more.end());
    }
    // With two dashes a long name reads more like another long one than like a letter.
    const std::string given = first->substr(0, first->find('='));
    std::string hint = did_you_mean(given, names);
    if (const std::size_t dashes = hint.find("'--"); dashes != std::string::npos) {
        hint.erase(dashes + 1, 1);
    }
    return "there is no option '" + with_one_dash(given) + "'" + hint;
}

}  // namespace

std::vector<std::string> with_two_dashes(int argc, const char* const* argv) {
    std::vector<std::string> arguments;
    for (int i = 1; i < argc; ++i) {
        std::string argument = argv[i];
        if (argument.size() > 2 && argument[0] == '-' &&
            std::isalpha(static_cast<unsigned char>(argument[1])) != 0 && argument[2] != '=') {
            argument.insert(0, "-");
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

bool parse_arguments(CLI::App& app, int argc, const char* const* argv) {
    std::vector<std::string> arguments = with_two_dashes(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
        app.parse(std::move(arguments));
        return true;
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        return false;
    } catch (const CLI::ExtrasError&) {
        throw UsageError(unknown_argument(app));
    } catch (const CLI::ParseError& error) {
        throw UsageError(with_one_dash(error.what()));
    }
}

int run_tool(const std::function<void()>& body) {
    try {
        body();
        return 0;
    } catch (const UsageError& error) {
        std::cerr << "error: " << one_line(error.what()) << " (-h shows the options)\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "error: " << one_line(error.what()) << '\n';
        return 1;
    }
}

}  // namespace fuseq::samples
