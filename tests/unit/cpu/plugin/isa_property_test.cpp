// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// FUSEQ_MAX_ISA and FUSEQ_ISA through the public API. The limit is of a process, so each test runs
// in one of its own, whose last line on stderr says how it went.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

std::shared_ptr<Model> convolution() {
    return Model::from_text(
        "model \"m\"\n%x = Parameter : f32[1,3,8,8]\n" + testing::quantized("x") +
        testing::quantized_convolution("q", "8,3,3,3", "1") + "%r = Result(%c)\n");
}

std::string level_of(const Core& core) {
    return core.get_property("CPU", "FUSEQ_ISA").as_string();
}

// Ends the process with what `run` returns or throws on stderr.
[[noreturn]] void exit_with(const std::function<std::string()>& run) {
    std::string text;
    try {
        text = run();
    } catch (const Error& error) {
        text = error.what();
    }
    std::fprintf(stderr, "%s\n", text.c_str());
    std::_Exit(0);
}

class IsaProperty : public ::testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(IsaProperty, LimitsWhatIsCompiledAfterIt) {
    EXPECT_EXIT(exit_with([] {
                    Core core;
                    core.set_property("CPU", {{"FUSEQ_MAX_ISA", "sse41"}});
                    const CompiledModel model = core.compile_model(convolution(), "CPU");
                    return level_of(core) + " " + model.get_property("FUSEQ_ISA").as_string() +
                           " " + core.get_property("CPU", "FUSEQ_MAX_ISA").as_string();
                }),
                ::testing::ExitedWithCode(0), "sse41 sse41 sse41");
}

TEST_F(IsaProperty, MayBeGivenToTheFirstCompilation) {
    EXPECT_EXIT(exit_with([] {
                    Core core;
                    core.compile_model(convolution(), "CPU", {{"FUSEQ_MAX_ISA", "sse41"}});
                    return level_of(core);
                }),
                ::testing::ExitedWithCode(0), "^sse41");
}

TEST_F(IsaProperty, IsRefusedAfterTheFirstCompilation) {
    EXPECT_EXIT(exit_with([]() -> std::string {
                    Core core;
                    core.set_property("CPU", {{"FUSEQ_MAX_ISA", "avx2"}});
                    core.compile_model(convolution(), "CPU");
                    core.set_property("CPU", {{"FUSEQ_MAX_ISA", "avx2"}});  // what it is
                    core.set_property("CPU", {{"FUSEQ_MAX_ISA", "sse41"}});
                    return "was taken";
                }),
                ::testing::ExitedWithCode(0),
                "FUSEQ_MAX_ISA cannot become sse41: a model was compiled in this process with "
                "avx2, and oneDNN takes a limit once");
}

TEST_F(IsaProperty, AWrongLevelIsRefusedAndChangesNothing) {
    EXPECT_EXIT(exit_with([] {
                    Core core;
                    const std::string before = level_of(core);
                    std::string refusal;
                    try {
                        core.set_property("CPU", {{"FUSEQ_MAX_ISA", "neon"}});
                    } catch (const Error& error) {
                        refusal = error.what();
                    }
                    return refusal + (level_of(core) == before ? "; as before" : "; changed");
                }),
                ::testing::ExitedWithCode(0),
                "FUSEQ_MAX_ISA is 'neon', expected one of sse41, avx2, avx2_vnni, avx512, "
                "avx512_vnni, avx512_amx; as before");
}

// Of properties given together none is set where one is wrong.
TEST_F(IsaProperty, IsNotSetBesideAWrongOne) {
    EXPECT_EXIT(exit_with([]() -> std::string {
                    Core core;
                    const std::string before = level_of(core);
                    try {
                        core.set_property("CPU", {{"FUSEQ_MAX_ISA", "sse41"}, {"NO_SUCH", "1"}});
                    } catch (const Error&) {
                        return level_of(core) == before ? "as before" : "changed";
                    }
                    return "was taken";
                }),
                ::testing::ExitedWithCode(0), "as before");
}

}  // namespace
}  // namespace fuseq::cpu
