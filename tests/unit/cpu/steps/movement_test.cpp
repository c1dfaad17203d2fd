// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that only move elements, on tensors in either layout.
#include "cpu/steps/movement.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

struct Case {
    const char* name;
    const char* body;  // reads %x of rank 4 with 12 channels, makes %y
    int outputs = 1;
    bool even = false;  // height and width must be even
};

const Case kCases[] = {
    {"SplitChannels", "%a = Const value={1} : i64[]\n%y = Split(%x, %a) num_splits=3", 3},
    {"SplitRows", "%a = Const value={-2} : i64[]\n%y = Split(%x, %a) num_splits=2", 2, true},
    {"VariadicSplit",
     "%a = Const value={1} : i64[]\n%n = Const value={7,-1,1} : i64[3]\n"
     "%y = VariadicSplit(%x, %a, %n)",
     3},
    {"StridedSliceBackwards",
     "%b = Const value={0,9,1,0} : i64[4]\n%e = Const value={9,0,99,-1} : i64[4]\n"
     "%t = Const value={1,-2,2,1} : i64[4]\n"
     "%y = StridedSlice(%x, %b, %e, %t) begin_mask=[0,0,0,0] end_mask=[0,0,0,0]"},
    {"StridedSliceDropsADimension",
     "%b = Const value={0,3} : i64[2]\n%e = Const value={0,4} : i64[2]\n"
     "%t = Const value={1,1} : i64[2]\n"
     "%y = StridedSlice(%x, %b, %e, %t) begin_mask=[1,0] end_mask=[1,0] shrink_axis_mask=[0,1]"},
    {"Slice",
     "%b = Const value={2,1} : i64[2]\n%e = Const value={11,3} : i64[2]\n"
     "%t = Const value={3,1} : i64[2]\n%a = Const value={1,3} : i64[2]\n"
     "%y = Slice.8(%x, %b, %e, %t, %a)"},
    {"GatherChannels",
     "%i = Const value={3,0,0,11,-1,5,7} : i64[7]\n%a = Const value={1} : i64[]\n"
     "%y = Gather.8(%x, %i, %a)"},
    {"GatherChannelsBackwards",
     "%i = Const value={11,9,7,5,3,1} : i64[6]\n%a = Const value={1} : i64[1]\n"
     "%y = Gather.1(%x, %i, %a)"},
    {"GatherNeighbours",
     "%i = Const value={4,5,6,7} : i32[4]\n%a = Const value={-3} : i64[]\n"
     "%y = Gather.7(%x, %i, %a)"},
    {"GatherManyNeighbours",
     "%i = Const value={3,4,5,6,7,8,9} : i32[7]\n%a = Const value={1} : i64[]\n"
     "%y = Gather.8(%x, %i, %a)"},
    {"GatherOutside",
     "%i = Const value={2,12,-13,0} : i64[4]\n%a = Const value={1} : i64[]\n"
     "%y = Gather.8(%x, %i, %a)"},
    {"GatherLastColumn",
     "%i = Const value={-1} : i64[]\n%a = Const value={3} : i64[]\n%y = Gather.8(%x, %i, %a)"},
    {"VariadicSplitRows",
     "%a = Const value={2} : i64[]\n%n = Const value={1,-1,2} : i64[3]\n"
     "%y = VariadicSplit(%x, %a, %n)",
     3},
    {"GatherOneChannel",
     "%i = Const value={2} : i64[]\n%a = Const value={1} : i64[]\n%y = Gather.8(%x, %i, %a)"},
    {"GatherRows",
     "%i = Const value={1,0,1} : i64[3]\n%a = Const value={2} : i64[]\n"
     "%y = Gather.8(%x, %i, %a)"},
    {"GatherMatrixOfIndices",
     "%i = Const value={1,0,1,2} : i32[2,2]\n%a = Const value={1} : i64[]\n"
     "%y = Gather.8(%x, %i, %a)"},
    {"ShuffleChannels", "%y = ShuffleChannels(%x) axis=1 group=3"},
    {"DepthToSpaceBlocksFirst", "%y = DepthToSpace(%x) mode=blocks_first block_size=2"},
    {"DepthToSpaceDepthFirst", "%y = DepthToSpace(%x) mode=depth_first block_size=2"},
    {"SpaceToDepth", "%y = SpaceToDepth(%x) mode=blocks_first block_size=2", 1, true},
    {"Tile", "%n = Const value={2,2,1,3} : i64[4]\n%y = Tile(%x, %n)"},
    {"TileToHigherRank", "%n = Const value={2,1,1,1,2} : i64[5]\n%y = Tile(%x, %n)"},
    {"PadZero",
     "%b = Const value={0,1,2,0} : i64[4]\n%e = Const value={1,0,1,3} : i64[4]\n"
     "%y = Pad(%x, %b, %e) pad_mode=constant"},
    {"PadReflect",
     "%b = Const value={0,2,2,1} : i64[4]\n%e = Const value={0,0,1,2} : i64[4]\n"
     "%y = Pad(%x, %b, %e) pad_mode=reflect"},
    {"Roll",
     "%n = Const value={3,-1} : i64[2]\n%a = Const value={1,3} : i64[2]\n"
     "%y = Roll.7(%x, %n, %a)"},
    {"Reverse", "%a = Const value={1,-1} : i64[2]\n%y = Reverse(%x, %a) mode=index"},
    {"SpaceToBatch",
     "%k = Const value={1,1,2,2} : i64[4]\n%b = Const value={0,0,1,1} : i64[4]\n"
     "%e = Const value={0,0,1,1} : i64[4]\n%y = SpaceToBatch.2(%x, %k, %b, %e)",
     1, true},
};

std::string text_of(const Case& test, const std::string& type, bool channels_last, const Shape& s) {
    std::string text = "model \"m\"\n%in = Parameter : " + type + "[" + std::to_string(s[0]) + "," +
                       std::to_string(s[1]) + "," + std::to_string(s[2]) + "," +
                       std::to_string(s[3]) + "]\n";
    // A pooling leaves its result in channels-last memory.
    text += channels_last ? "%x = MaxPool(%in) strides=[1,1] kernel=[3,3] pads_begin=[1,1] "
                            "pads_end=[1,1]\n"
                          : "";
    std::string body = test.body;
    if (!channels_last) {
        for (std::size_t at = body.find("%x"); at != std::string::npos; at = body.find("%x")) {
            body.replace(at, 2, "%in");
        }
    }
    text += body + "\n";
    for (int i = 0; i < test.outputs; ++i) {
        const std::string n = std::to_string(i);
        text += "%r" + n + " = Result(%y" + (i == 0 ? "" : ":" + n) + ")\n";
    }
    return text;
}

class Movement : public testing::TestWithParam<Case> {};

TEST_P(Movement, GivesTheBytesOfTheReference) {
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    for (const char* type : {"f32", "u8", "i64"}) {
        for (const bool channels_last : {false, true}) {
            if (channels_last && type == std::string("i64")) {
                continue;
            }
            for (const std::size_t batch : {1, 3}) {
                const auto size = [&] {
                    return GetParam().even ? 4 + 2 * (random() % 4) : 5 + random() % 7;
                };
                const Shape shape{batch, 12, size(), size()};
                const DeviceRun run =
                    check_on_devices(text_of(GetParam(), type, channels_last, shape), seed);
                EXPECT_EQ(run.step_of("y"), "movement fuseq:movement") << type << " seed " << seed;
                EXPECT_EQ(run.report["totals"]["reference_steps"], 0) << type;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, Movement, testing::ValuesIn(kCases), [](const auto& test) {
    return std::string(test.param.name);
});

TEST(MovementStep, PadsWithTheGivenValue) {
    for (const char* value : {"2.5", "0", "-1"}) {
        const DeviceRun run = check_on_devices(std::string(R"(model "m"
            %x = Parameter : f32[2,3,5,7]
            %b = Const value={1,0,0,2} : i64[4]
            %e = Const value={0,2,1,1} : i64[4]
            %v = Const value={)") + value + R"(} : f32[]
            %y = Pad(%x, %b, %e, %v) pad_mode=constant
            %r = Result(%y))",
                                               7);
        EXPECT_EQ(run.step_of("y"), "movement fuseq:movement");
        const Tensor& y = run.outputs[0];
        EXPECT_EQ(y.data<float>()[0], std::stof(value));
    }
}

// Pixel shuffle written as Reshape, Transpose of rank 6, Reshape.
TEST(MovementStep, TransposesHighRanks) {
    const unsigned seed = std::random_device()();
    for (const char* type : {"f32", "u8"}) {
        const DeviceRun run =
            check_on_devices(std::string("model \"m\"\n%x = Parameter : ") + type + R"([2,18,5,7]
            %a = Const value={2,2,3,3,5,7} : i64[6]
            %s = Reshape(%x, %a) special_zero=false
            %o = Const value={0,1,4,2,5,3} : i64[6]
            %y = Transpose(%s, %o)
            %b = Const value={2,2,15,21} : i64[4]
            %z = Reshape(%y, %b) special_zero=false
            %r = Result(%z))",
                             seed);
        EXPECT_EQ(run.report["totals"]["reference_steps"], 0);
    }
}

// What is not constant stays with the reference kernel.
TEST(MovementStep, LeavesOpenIndicesAlone) {
    const DeviceRun run = check_on_devices(R"(model "m"
        %x = Parameter : f32[2,3]
        %i = Parameter : u8[4]
        %a = Const value={1} : i64[]
        %m = Const value={3} : u8[1]
        %j = Mod(%i, %m)
        %y = Gather.8(%x, %j, %a)
        %r = Result(%y))",
                                           3);
    EXPECT_EQ(run.step_of("y"), "Gather reference");
}

}  // namespace
}  // namespace fuseq::test
