// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/laws/laws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::post_ops::laws {
namespace {

namespace fs = std::filesystem;

// A law that is written and tested and not in the list does nothing.
TEST(AllLaws, AreTheFilesOfTheFolder) {
    std::set<std::string> files;
    for (const auto& entry :
         fs::directory_iterator(fs::path(FUSEQ_SOURCE_DIR) / "src/cpu/post_ops/laws")) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".cpp" && name != "laws") {
            files.insert(name);
        }
    }
    std::set<std::string> names;
    std::set<Result (*)(const Site&)> functions;
    for (const Law& law : all()) {
        EXPECT_TRUE(names.insert(law.name).second) << law.name << " is there twice";
        EXPECT_TRUE(functions.insert(law.apply).second) << law.name << " is another's function";
    }
    EXPECT_EQ(names, files);
}

Chain with(const Chain& chain, std::size_t at, const Result& result) {
    Chain after = chain;
    const auto begin = after.ops.begin() + static_cast<std::ptrdiff_t>(at);
    const auto next = after.ops.erase(begin, begin + static_cast<std::ptrdiff_t>(result.replaced));
    after.ops.insert(next, result.by.begin(), result.by.end());
    return after;
}

// Compares samples of both, as far as rounding lets it. False: it may tell nothing.
bool same_values(const Chain& before, const Chain& after, std::mt19937& rng) {
    const testing::RandomOptions random;
    for (int sample = 0; sample < 6; ++sample) {
        const double x = std::uniform_real_distribution<double>(-200.0, 300.0)(rng);
        const std::size_t channel = rng() % random.channels;
        const auto binary_sources = testing::random_binary_sources(rng, random.source_types);
        if (testing::near_a_jump(before, x, channel, binary_sources) ||
            testing::near_a_jump(after, x, channel, binary_sources)) {
            continue;
        }
        const double want = evaluate(before, x, channel, binary_sources);
        const double got = evaluate(after, x, channel, binary_sources);
        if (std::abs(got - want) > 1e-3 + std::abs(want) * 1e-5) {
            ADD_FAILURE() << to_text(before) << "\n"
                          << to_text(after) << "\nx " << x << " channel " << channel << ": " << got
                          << ", expected " << want;
            return false;
        }
    }
    return true;
}

struct Choice {
    const Law* law;
    std::size_t at;
    Result result;
};

std::vector<Choice> choices(const Chain& chain) {
    std::vector<Choice> found;
    for (const Law& law : all()) {
        for (std::size_t at = 0; at < chain.ops.size(); ++at) {
            Result result = law.apply({chain, at, SimplifyOptions{}});
            if (result.kind == Result::Kind::kApplied) {
                found.push_back({&law, at, std::move(result)});
            }
        }
    }
    return found;
}

// What random_chain() seldom makes and some laws look for: rounds, clips and shifts beside each
// other.
void sprinkle(Chain& chain, std::mt19937& rng) {
    for (std::size_t n = rng() % 4; n-- > 0;) {
        const auto at =
            chain.ops.begin() + static_cast<std::ptrdiff_t>(rng() % (chain.ops.size() + 1));
        const auto whole = static_cast<float>(rng() % 9) - 4.0f;
        switch (rng() % 4) {
            case 0: chain.ops.insert(at, {Round{}, Shift{whole}, Round{}}); break;
            case 1: chain.ops.insert(at, Clip{whole, 255.0f}); break;
            case 2:
                chain.ops.insert(at,
                                 {Round{}, Clip{-90.0f, 90.0f}, Shift{10.0f * whole}, Eltwise{}});
                break;
            default: chain.ops.insert(at, {Clip{-1e3f, 1e3f + whole}, Round{}, Clip{0.0f, 255.0f}});
        }
    }
}

// simplify() tries the laws in their order and never sees a later one where an earlier one holds.
// Each alone must keep the value wherever it applies, in whatever order chains are rewritten.
TEST(AllLaws, KeepTheValueInAnyOrder) {
    const unsigned seed = 4711;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    std::map<std::string, int> applied;
    // Nobody has asked for these.
    const std::set<std::string> change_values{"drop_middle_round", "drop_negligible_shift"};
    for (int i = 0; i < 4000; ++i) {
        Chain chain = testing::random_chain(rng, {});
        sprinkle(chain, rng);
        for (int step = 0; step < 40; ++step) {
            const std::vector<Choice> found = choices(chain);
            if (found.empty()) {
                break;
            }
            const Choice& choice = found[rng() % found.size()];
            const char* const name = choice.law->name;
            ++applied[name];
            ASSERT_GE(chain.ops.size() - choice.at, choice.result.replaced) << name;
            Chain after = with(chain, choice.at, choice.result);
            ASSERT_TRUE(same_values(chain, after, rng)) << name;
            chain = std::move(after);
        }
    }
    for (const Law& law : all()) {
        if (!change_values.contains(law.name)) {
            EXPECT_GT(applied[law.name], 20) << law.name;
        } else {
            EXPECT_EQ(applied[law.name], 0) << law.name;
        }
    }
}

TEST(AllLaws, GiveAReasonWhenTheyRefuse) {
    std::mt19937 rng(12);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
        const Chain chain = testing::random_chain(rng, {});
        for (const Law& law : all()) {
            for (std::size_t at = 0; at < chain.ops.size(); ++at) {
                const Result result = law.apply({chain, at, SimplifyOptions{}});
                const bool no = result.kind == Result::Kind::kRefused;
                refused += no ? 1 : 0;
                ASSERT_EQ(result.reason.empty(), !no) << law.name << " on " << to_text(chain);
            }
        }
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace fuseq::post_ops::laws
