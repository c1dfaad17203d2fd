// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/fuzz_loop.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "fuseq/core.hpp"
#include "fuseq/error.hpp"

namespace fuseq::test {
namespace {

std::string whole_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// A file that takes longer hangs: seconds of work, and of the clock where it waits.
constexpr int kMaxSeconds = 30;
constexpr unsigned kMaxWait = 600;

void start_watch() {
    ::itimerval limit{};
    limit.it_value.tv_sec = kMaxSeconds;
    ::setitimer(ITIMER_PROF, &limit, nullptr);
    ::alarm(kMaxWait);
}

volatile std::uint64_t current_seed = 0;

// Says which seed it was, then lets the signal end the program.
void on_crash(int signal) {
    std::array<char, 64> text{"crash at seed "};
    char* digits = text.data() + 14;
    char* end = std::to_chars(digits, text.data() + text.size() - 1, current_seed).ptr;
    *end++ = '\n';
    [[maybe_unused]] const auto written =
        ::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.data()));
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

class Fuzzer {
public:
    explicit Fuzzer(const Import& import) : import_(import) {}

    void run(const std::string& bytes) {
        std::shared_ptr<Model> model;
        try {
            model = import_(bytes);
        } catch (const Error&) {
            ++refused_;
            return;
        }
        ++read_;
        try {
            core_.compile_model(model, "CPU", {{"INFERENCE_NUM_THREADS", 1}});
            ++compiled_;
        } catch (const Error&) {
        }
    }
    std::string summary() const {
        std::ostringstream text;
        text << read_ << " read (" << compiled_ << " of them compiled), " << refused_ << " refused";
        return text.str();
    }

private:
    const Import& import_;
    Core core_;
    std::size_t read_ = 0;
    std::size_t compiled_ = 0;
    std::size_t refused_ = 0;
};

}  // namespace

int fuzz_loop(int argc,
              char** argv,
              const Damage& damage,
              const Import& import,
              std::vector<std::string> own) {
    if (argc < (own.empty() ? 4 : 3)) {
        std::cerr << "usage: " << argv[0] << " SECONDS SEED" << (own.empty() ? " FILES\n" : "\n");
        return 2;
    }
    std::vector<std::string> files = std::move(own);
    for (int i = 3; i < argc; ++i) {
        files.push_back(whole_file(argv[i]));
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::stoll(argv[1]));
    std::uint64_t seed = std::stoull(argv[2]);
    if (end <= Clock::now()) {
        std::cout << damage(files[seed % files.size()], seed);
        return 0;
    }
    Fuzzer fuzzer(import);
    for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL, SIGALRM, SIGPROF}) {
        ::signal(signal, on_crash);
    }
    while (Clock::now() < end) {
        constexpr std::uint64_t kStep = 1000;
        std::cerr << "seed " << seed << '\n';
        for (std::uint64_t i = 0; i < kStep && Clock::now() < end; ++i, ++seed) {
            current_seed = seed;
            start_watch();
            fuzzer.run(damage(files[seed % files.size()], seed));
        }
    }
    std::cout << fuzzer.summary() << ", next seed " << seed << '\n';
    return 0;
}

}  // namespace fuseq::test
