// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What every command-line tool does alike: options with one dash, exit status, error line.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace fuseq::samples {

// Wrong usage: exit status 2.
class UsageError : public std::exception {
public:
    explicit UsageError(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// OpenVINO's tools spell long options with one dash (-niter 5), CLI11 with two: "-name" becomes
// "--name" where the name has two or more characters and begins with a letter. Without argv[0].
std::vector<std::string> with_two_dashes(int argc, const char* const* argv);

// Parses; returns false when help was asked for (and printed on stdout). Throws UsageError.
bool parse_arguments(CLI::App& app, int argc, const char* const* argv);

// Runs a tool: 0 when `body` returns; 1 after an error, with one line "error: ..." on stderr; 2
// after a UsageError.
int run_tool(const std::function<void()>& body);

}  // namespace fuseq::samples
