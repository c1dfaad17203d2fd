// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cpu/machine/cpu_count.hpp"
#include "fuseq/error.hpp"
#include "support/small_model.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Text that a property takes and gives back, other than what it is without; and text that it does
// not take.
struct Row {
    const char* name;
    const char* good;
    std::vector<const char*> bad;
};

std::vector<Row> rows() {
    const std::vector<const char*> no_bool{"2", "maybe", "", "1.0"};
    return {
        {"INFERENCE_NUM_THREADS", "3", {"-1", "4097", "two", "1.5", ""}},
        {"NUM_STREAMS", "5", {"-2", "1025", "many", ""}},
        {"PERFORMANCE_HINT", "THROUGHPUT", {"FAST", "latency"}},
        {"PERFORMANCE_HINT_NUM_REQUESTS", "3", {"-1", "65537", "all", ""}},
        {"EXECUTION_MODE_HINT", "ACCURACY", {"accuracy", "", "FAST"}},
        {"SCHEDULING_CORE_TYPE", "PCORE_ONLY", {"PCORE", "", "pcore_only"}},
        {"ENABLE_HYPER_THREADING", "YES", no_bool},
        {"ENABLE_CPU_PINNING", "YES", no_bool},
        {"FUSEQ_COMPILE_THREADS", "2", {"-1", "4097", "all", ""}},
        {"COMPILATION_NUM_THREADS", "2", {"-1", "4097", "all", ""}},
        {"PERF_COUNT", "YES", no_bool},
        {"FUSEQ_PLAN_CACHE_BYTES", "1024", {"-1", "64M", ""}},
        {"FUSEQ_FUSION", "NO", no_bool},
        {"FUSEQ_LOW_PRECISION", "NO", no_bool},
        {"FUSEQ_OWN_GEMM", "NO", no_bool},
        {"FUSEQ_TILE_GROUPS", "NO", no_bool},
        {"FUSEQ_KEEP_INTERMEDIATES", "YES", no_bool},
        {"FUSEQ_POISON_MEMORY", "255", {"-2", "256", "0xff", ""}},
        {"FUSEQ_KEEP_FLOAT", "a b", {}},
        {"FUSEQ_FLOAT_FALLBACK", "YES", no_bool},
        {"FUSEQ_DISABLE", "fold_constants", {"no_such_pass", "fold_constants,nor_this", "arena"}},
        {"QUANTIZE_METHOD", "TFLITE", {"tflite", "ONNX9"}},
        {"QUANTIZE_METHOD_LAYERS", "conv:TFLITE", {"conv", "conv:X", ":TFLITE"}},
        {"CACHE_DIR", "/tmp/somewhere", {}},
        {"FUSEQ_DROP_MIDDLE_ROUNDS", "YES", no_bool},
        {"FUSEQ_DUMP_DIR", "/tmp/elsewhere", {}}};
}

// Taken, and given back as what is in use.
struct Hint {
    const char* good;
    const char* bad;
    const char* in_use;
};

std::map<std::string, Hint> hints() {
    return {{"INFERENCE_PRECISION_HINT", {"bf16", "int8", "f32"}},
            {"LOG_LEVEL", {"LOG_DEBUG", "DEBUG", "LOG_NONE"}}};
}

TEST(Config, HintsAreTakenAndGivenBackAsWhatIsInUse) {
    for (const auto& entry : hints()) {
        const auto& name = entry.first;
        const auto& hint = entry.second;
        SCOPED_TRACE(name);
        Config config;
        config.set(name, hint.good);
        EXPECT_EQ(config.get(name).as_string(), hint.in_use);
        EXPECT_THAT(test::message_of([&] { config.set(name, hint.bad); }), HasSubstr(name));
    }
    Config config;
    EXPECT_THAT(test::message_of([&] { config.set("EXECUTION_MODE_HINT", "FAST"); }),
                HasSubstr("is 'FAST', expected one of PERFORMANCE, ACCURACY"));
}

TEST(Config, EveryPropertyIsKnownToThisTest) {
    std::set<std::string> known;
    for (const Row& row : rows()) {
        EXPECT_TRUE(known.insert(row.name).second) << row.name;
    }
    // Holds for the process: isa_property_test sets it in processes of its own.
    known.insert("FUSEQ_MAX_ISA");
    for (const auto& [name, hint] : hints()) {
        known.insert(name);
    }
    const std::vector<std::string> names = Config::names();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), known);
    EXPECT_EQ(names.size(), known.size());
}

// What was set is given back, and no other property changes with it.
TEST(Config, EveryPropertySetsItselfAndNothingElse) {
    for (const Row& row : rows()) {
        SCOPED_TRACE(row.name);
        const Config before;
        Config config;
        config.set(row.name, row.good);
        EXPECT_EQ(config.get(row.name).as_string(), row.good);
        EXPECT_NE(before.get(row.name).as_string(), row.good) << "says nothing: it is the default";
        for (const std::string& other : Config::names()) {
            // What a hint comes to is given as the number of streams.
            const std::string name = row.name;
            const bool follows =
                (name == "PERFORMANCE_HINT" &&
                 (other == "NUM_STREAMS" || other == "ENABLE_HYPER_THREADING")) ||
                (name == "FUSEQ_COMPILE_THREADS" && other == "COMPILATION_NUM_THREADS") ||
                (name == "COMPILATION_NUM_THREADS" && other == "FUSEQ_COMPILE_THREADS");
            if (other != row.name && !follows) {
                EXPECT_EQ(config.get(other).as_string(), before.get(other).as_string()) << other;
            }
        }
    }
}

TEST(Config, RefusesWrongValuesByName) {
    for (const Row& row : rows()) {
        for (const char* bad : row.bad) {
            SCOPED_TRACE(std::string(row.name) + "='" + bad + "'");
            Config config;
            const std::string before = config.get(row.name).as_string();
            const std::string said = test::message_of([&] { config.set(row.name, bad); });
            EXPECT_THAT(said, StartsWith("property: "));
            EXPECT_THAT(said, HasSubstr(row.name));
            EXPECT_EQ(config.get(row.name).as_string(), before);
        }
    }
}

TEST(Config, TakesNumbersAsTheyAre) {
    Config config;
    config.set("FUSEQ_COMPILE_THREADS", 3);
    config.set("FUSEQ_FUSION", false);
    config.set("PERF_COUNT", 1);
    config.set("FUSEQ_KEEP_FLOAT", std::vector<std::string>{"a", "b"});
    EXPECT_EQ(config.get("FUSEQ_COMPILE_THREADS").as_string(), "3");
    EXPECT_FALSE(config.fusion);
    EXPECT_TRUE(config.perf_count);
    EXPECT_THAT(config.keep_float, ElementsAre("a", "b"));
    EXPECT_THAT(test::message_of([&] { config.set("FUSEQ_COMPILE_THREADS", 1.5); }),
                HasSubstr("FUSEQ_COMPILE_THREADS is '1.5', expected a value in [0, 4096]"));
    EXPECT_THAT(test::message_of([&] { config.set("FUSEQ_COMPILE_THREADS", Any()); }),
                HasSubstr("FUSEQ_COMPILE_THREADS is '', expected"));
}

TEST(Config, SetsAllOrNothing) {
    Config config;
    EXPECT_THROW(config.set({{"FUSEQ_FUSION", "NO"}, {"NO_SUCH", 1}, {"PERF_COUNT", "YES"}}),
                 Error);
    EXPECT_TRUE(config.fusion);
    EXPECT_FALSE(config.perf_count);
    config.set({{"FUSEQ_FUSION", "NO"}, {"PERF_COUNT", "YES"}});
    EXPECT_FALSE(config.fusion);
    EXPECT_TRUE(config.perf_count);
}

TEST(Config, NamesReadOnlyPropertiesToo) {
    const Config config;
    EXPECT_THAT(test::message_of([&] { config.get("LOADED_FROM_CACH", {"LOADED_FROM_CACHE"}); }),
                HasSubstr("the nearest is 'LOADED_FROM_CACHE'; it has "));
}

TEST(Config, NamesWhatThereIsForAnUnknownName) {
    const Config config;
    const std::string said = test::message_of([&] { config.get("FUSEQ_FUSON"); });
    EXPECT_THAT(said,
                HasSubstr("no property 'FUSEQ_FUSON'; the nearest is 'FUSEQ_FUSION'; it has "));
    for (const std::string& name : Config::names()) {
        EXPECT_THAT(said, HasSubstr(name));
    }
}

TEST(Config, ThereAreNoMoreStreamsThanRequests) {
    Config config;
    config.set({{"PERFORMANCE_HINT", "THROUGHPUT"},
                {"PERFORMANCE_HINT_NUM_REQUESTS", 2},
                {"INFERENCE_NUM_THREADS", 8}});
    EXPECT_EQ(config.streams(), 2);
    EXPECT_EQ(config.threads_per_stream(), 4);
    config.set("PERFORMANCE_HINT_NUM_REQUESTS", 100);
    EXPECT_EQ(config.streams(), 8);
}

TEST(Config, StreamsFollowTheHint) {
    const auto cpus = static_cast<int>(count_cpus().cpus);
    Config config;
    EXPECT_EQ(config.streams(), 1);
    EXPECT_EQ(config.threads_per_stream(), cpus);
    config.set("INFERENCE_NUM_THREADS", 6);
    EXPECT_EQ(config.threads_per_stream(), 6);
    config.set("PERFORMANCE_HINT", "THROUGHPUT");
    EXPECT_EQ(config.streams(), 6);
    EXPECT_EQ(config.threads_per_stream(), 1);
    config.set("NUM_STREAMS", 4);  // said is said
    EXPECT_EQ(config.streams(), 4);
    EXPECT_EQ(config.threads_per_stream(), 1);
    config.set("NUM_STREAMS", 9);  // a stream has a thread, whatever is left
    EXPECT_EQ(config.threads_per_stream(), 1);
    config.set("NUM_STREAMS", "AUTO");
    EXPECT_EQ(config.streams(), 6);
    config.set("PERFORMANCE_HINT", "LATENCY");
    EXPECT_EQ(config.streams(), 1);
    EXPECT_EQ(config.threads_to_compile(), count_cpus().cpus);
    config.set("FUSEQ_COMPILE_THREADS", 3);
    EXPECT_EQ(config.threads_to_compile(), 3u);
}

// A compiled model in a file is one of its options: what decides the plan is among them.
TEST(Config, CompileOptionsAreReadBack) {
    Config config;
    for (const Row& row : rows()) {
        config.set(row.name, row.good);
    }
    Config read;
    read.set_compile_options(config.compile_options());
    EXPECT_EQ(read.compile_options(), config.compile_options());
    EXPECT_FALSE(read.fusion);
    EXPECT_FALSE(read.low_precision);
    EXPECT_FALSE(read.own_gemm);
    EXPECT_FALSE(read.tile_groups);
    EXPECT_TRUE(read.keep_intermediates);
    EXPECT_TRUE(read.float_fallback);
    EXPECT_TRUE(read.drop_middle_rounds);
    EXPECT_THAT(read.keep_float, ElementsAre("a", "b"));
    EXPECT_THAT(read.disabled, ElementsAre("fold_constants"));
    // How it is run, and where it is kept, is up to who runs it.
    EXPECT_EQ(read.num_threads, 0);
    EXPECT_EQ(read.cache_dir, "");
    EXPECT_FALSE(read.perf_count);
}

// Names of layers are any text.
TEST(Config, CompileOptionsKeepNamesOfLayersApart) {
    const std::vector<std::string> layers{"a b", "c,d", "e; FUSEQ_FUSION=NO", "50%", "%20", "f"};
    Config config;
    config.set("FUSEQ_KEEP_FLOAT", layers);
    Config read;
    read.set_compile_options(config.compile_options());
    EXPECT_EQ(read.keep_float, layers);
    EXPECT_TRUE(read.fusion);
    Config other;
    other.set("FUSEQ_KEEP_FLOAT", std::vector<std::string>{"a", "b"});
    Config one;
    one.set("FUSEQ_KEEP_FLOAT", std::vector<std::string>{"a b"});
    EXPECT_NE(other.compile_options(), one.compile_options());
    one.set("FUSEQ_KEEP_FLOAT", std::vector<std::string>{});
    Config none;
    none.keep_float = {"x"};
    none.set_compile_options(one.compile_options());
    EXPECT_THAT(none.keep_float, ::testing::IsEmpty());
}

TEST(Config, RefusesTextThatIsNoOptions) {
    Config config;
    EXPECT_THAT(test::message_of([&] { config.set_compile_options("FUSEQ_FUSION"); }),
                HasSubstr("'FUSEQ_FUSION' is no option"));
    EXPECT_THAT(test::message_of([&] { config.set_compile_options("FUSEQ_FUSION=x"); }),
                HasSubstr("FUSEQ_FUSION: 'x' is not YES or NO"));
    EXPECT_THAT(test::message_of([&] { config.set_compile_options("FUSEQ_KEEP_FLOAT=a%2"); }),
                HasSubstr("FUSEQ_KEEP_FLOAT"));
}

TEST(Config, LayersToKeepInFloatMustBeThere) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[4]
        %l = Const value={0} : f32[]
        %h = Const value={1} : f32[]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %r = ReLU(%q)
        %o = Result(%r))");
    Config config;
    config.keep_float = {"q"};
    config.check_layers(*model);
    config.keep_float = {"q", "r"};  // a ReLU
    EXPECT_THAT(test::message_of([&] { config.check_layers(*model); }),
                HasSubstr("FUSEQ_KEEP_FLOAT: there is no FakeQuantize 'r'"));
}

}  // namespace
}  // namespace fuseq::cpu
