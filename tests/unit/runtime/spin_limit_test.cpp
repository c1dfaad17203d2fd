// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/spin_limit.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

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

class SpinLimitTest : public ::testing::Test {
protected:
    // This program must not be linked with OpenMP: then nothing is set, which is tested last.
    void SetUp() override { ASSERT_EQ(dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr); }
    const Variable count_{"GOMP_SPINCOUNT", nullptr};
    const Variable policy_{"OMP_WAIT_POLICY", nullptr};
};

TEST_F(SpinLimitTest, IsInTheEnvironmentWhileItLives) {
    {
        const SpinLimit limit;
        EXPECT_EQ(spin_count(), SpinLimit::kSpinCount);
    }
    EXPECT_EQ(spin_count(), "none");
}

TEST_F(SpinLimitTest, LeavesTheCountOfTheUser) {
    const Variable users("GOMP_SPINCOUNT", "77");
    {
        const SpinLimit limit;
        EXPECT_EQ(spin_count(), "77");
    }
    EXPECT_EQ(spin_count(), "77");
}

TEST_F(SpinLimitTest, LeavesThePolicyOfTheUser) {
    const Variable users("OMP_WAIT_POLICY", "active");
    const SpinLimit limit;
    EXPECT_EQ(spin_count(), "none");
}

TEST_F(SpinLimitTest, IsTooLateWhenLibgompIsLoaded) {
    void* library = dlopen("libgomp.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    {
        const SpinLimit limit;
        EXPECT_EQ(spin_count(), "none");
    }
    dlclose(library);
}

}  // namespace
}  // namespace fuseq
