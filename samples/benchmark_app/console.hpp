// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What benchmark_app prints: numbered steps and lines below them, spelled as OpenVINO's tool does.
#pragma once

#include <iostream>
#include <string_view>

namespace fuseq::samples {

class Console {
public:
    explicit Console(std::ostream& out) : out_(out) {}

    void step(std::string_view title) {
        out_ << "[Step " << ++step_ << "/" << kSteps << "] " << title << std::endl;
    }
    template <class... Args>
    void info(const Args&... args) {
        out_ << "[ INFO ] ";
        (out_ << ... << args) << '\n';
    }
    template <class... Args>
    void warning(const Args&... args) {
        out_ << "[ WARNING ] ";
        (out_ << ... << args) << '\n';
    }

private:
    static constexpr int kSteps = 11;
    std::ostream& out_;
    int step_ = 0;
};

}  // namespace fuseq::samples
