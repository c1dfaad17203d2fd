// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/cpu_count.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

namespace fs = std::filesystem;

class CgroupTree : public ::testing::Test {
protected:
    void SetUp() override {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        root_ = fs::path(::testing::TempDir()) / (std::string("fuseq_cgroup_") + info->name());
        fs::remove_all(root_);
        fs::create_directories(root_);
    }
    void TearDown() override { fs::remove_all(root_); }
    void write(const std::string& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << "\n";
    }
    std::optional<double> quota() { return cgroup_quota(root_ / "fs", root_ / "self"); }
    fs::path root_;
};

TEST_F(CgroupTree, Version2) {
    write("self", "0::/a/b");
    write("fs/a/b/cpu.max", "150000 100000");
    EXPECT_DOUBLE_EQ(quota().value(), 1.5);
}

TEST_F(CgroupTree, TheParentsLimitHoldsToo) {
    write("self", "0::/a/b");
    write("fs/a/cpu.max", "200000 100000");
    write("fs/a/b/cpu.max", "400000 100000");
    EXPECT_DOUBLE_EQ(quota().value(), 2.0);
}

TEST_F(CgroupTree, Version1) {
    write("self", "4:cpu,cpuacct:/job");
    write("fs/cpu/job/cpu.cfs_quota_us", "300000");
    write("fs/cpu/job/cpu.cfs_period_us", "100000");
    EXPECT_DOUBLE_EQ(quota().value(), 3.0);
}

TEST_F(CgroupTree, NoLimit) {
    write("self", "0::/a");
    write("fs/a/cpu.max", "max 100000");
    EXPECT_FALSE(quota().has_value());
    write("self", "4:cpu:/job");
    write("fs/cpu/job/cpu.cfs_quota_us", "-1");
    write("fs/cpu/job/cpu.cfs_period_us", "100000");
    EXPECT_FALSE(quota().has_value());
}

TEST_F(CgroupTree, BrokenFilesAreNoLimit) {
    write("self", "nonsense");
    EXPECT_FALSE(quota().has_value());
    write("self", "0::/a");
    write("fs/a/cpu.max", "what 0");
    EXPECT_FALSE(quota().has_value());
}

TEST(CpuCount, TheSmallestWins) {
    EXPECT_EQ(combine(8, 4, std::nullopt).cpus, 4u);
    EXPECT_EQ(combine(8, 0, std::nullopt).cpus, 8u);
    EXPECT_EQ(combine(8, 8, 1.5).cpus, 2u);
    EXPECT_EQ(combine(8, 8, 0.25).cpus, 1u);
    EXPECT_EQ(combine(2, 8, 16.0).cpus, 2u);
    EXPECT_EQ(combine(0, 0, std::nullopt).cpus, 1u);
}

TEST(CpuCount, SaysWhy) {
    EXPECT_EQ(combine(8, 4, 2.0).explain(), "2 CPUs: affinity mask 4, cgroup quota 2, online 8");
    EXPECT_EQ(combine(1, 0, std::nullopt).explain(),
              "1 CPU: affinity mask unknown, cgroup quota none, online 1");
}

}  // namespace
}  // namespace fuseq::cpu
