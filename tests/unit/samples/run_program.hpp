// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program of the project and keeps what it says.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/small_model.hpp"

namespace fuseq::test {

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

// Arguments are quoted for the shell.
inline Outcome run_program(const std::string& path, const std::vector<std::string>& arguments) {
    const TemporaryFolder folder;
    std::string command = path;
    for (const std::string& argument : arguments) {
        command += " '" + argument + "'";
    }
    command += " >" + folder.path("out") + " 2>" + folder.path("err");
    const int status = std::system(command.c_str());
    const auto text = [&](const char* file) {
        std::ifstream in(folder.path(file));
        std::ostringstream bytes;
        bytes << in.rdbuf();
        return bytes.str();
    };
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text("out"), text("err")};
}

}  // namespace fuseq::test
