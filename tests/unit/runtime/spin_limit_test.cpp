// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/spin_limit.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace fuseq {
namespace {

// A variable of the environment that is put back in the end.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        put(value);
    }
    ~Variable() { put(before_ ? before_->c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void put(const char* value) const {
        if (value == nullptr) {
            unsetenv(name_);
        } else {
            setenv(name_, value, 1);
        }
    }
    const char* name_;
    std::optional<std::string> before_;
};

std::string spin_count() {
    const char* value = std::getenv("GOMP_SPINCOUNT");
    return value == nullptr ? "none" : value;
}

// Runs `body` in a fresh copy of this program and expects what it returns. libgomp reads the
// environment when it is loaded, which another test of the same process may have done.
void expect_in_fresh_process(std::string (*body)(), const std::string& expected) {
    EXPECT_EXIT(
        {
            std::fputs(body().c_str(), stderr);
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), ::testing::StrEq(expected));
}

class SpinLimitTest : public ::testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    const Variable count_{"GOMP_SPINCOUNT", nullptr};
    const Variable policy_{"OMP_WAIT_POLICY", nullptr};
};

// This program is not linked with OpenMP: that it is not loaded is part of each result.
std::string libgomp() {
    return dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) == nullptr ? "" : "libgomp is loaded; ";
}

std::string while_and_after() {
    std::string text = libgomp();
    {
        const SpinLimit limit;
        text += spin_count();
    }
    return text + ", then " + spin_count();
}

TEST_F(SpinLimitTest, IsInTheEnvironmentWhileItLives) {
    expect_in_fresh_process(while_and_after, std::string(SpinLimit::kSpinCount) + ", then none");
}

TEST_F(SpinLimitTest, LeavesTheCountOfTheUser) {
    const Variable users("GOMP_SPINCOUNT", "77");
    expect_in_fresh_process(while_and_after, "77, then 77");
}

TEST_F(SpinLimitTest, LeavesThePolicyOfTheUser) {
    const Variable users("OMP_WAIT_POLICY", "active");
    expect_in_fresh_process(while_and_after, "none, then none");
}

TEST_F(SpinLimitTest, IsTooLateWhenLibgompIsLoaded) {
    const auto loaded = []() -> std::string {
        return dlopen("libgomp.so.1", RTLD_NOW) == nullptr ? std::string("no libgomp")
                                                           : while_and_after();
    };
    expect_in_fresh_process(loaded, "libgomp is loaded; none, then none");
}

}  // namespace
}  // namespace fuseq
