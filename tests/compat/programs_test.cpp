// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the programs, and compares what they print with what Fuseq's own API gives for the same
// numbers, or with numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <numeric>

#include "fuseq/fuseq.hpp"
#include "support/small_model.hpp"

namespace {

using namespace fuseq;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kModel = FUSEQ_SOURCE_DIR "/samples/models/residual_cnn.xml";

class CompatPrograms : public testing::TestWithParam<const char*> {
protected:
    // What a program prints; it must end well.
    static std::string run(const std::string& program, const std::string& arguments) {
        const std::string command =
            std::string(FUSEQ_BIN "/compat_") + program + " " + arguments + " 2>&1";
        FILE* pipe = popen(command.c_str(), "r");
        std::string text;
        std::array<char, 4096> buffer{};
        for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
            text.append(buffer.data(), n);
        }
        const int status = pclose(pipe);
        EXPECT_EQ(WEXITSTATUS(status), 0) << command << "\n" << text;
        return text;
    }

    // A picture of 64 x 64 pixels, as a file.
    std::string picture_file() const {
        std::string text = "P6 64 64 255\n";
        for (const std::uint8_t byte : picture()) {
            text += static_cast<char>(byte);
        }
        return folder_.write("picture.ppm", text);
    }
    static std::vector<std::uint8_t> picture() {
        std::vector<std::uint8_t> bytes(64 * 64 * 3);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>((i * i / 7 + i / 64) % 256);
        }
        return bytes;
    }
    // Scores of the model for the same picture, given as floats in planes.
    static std::vector<float> scores() {
        std::vector<float> planes(64 * 64 * 3);
        const std::vector<std::uint8_t> bytes = picture();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            planes[i % 3 * 64 * 64 + i / 3] = bytes[i];
        }
        return scores_of(planes);
    }
    // The same for a picture of one color.
    static std::vector<float> scores_of_color(float red, float green, float blue) {
        std::vector<float> planes(64 * 64 * 3, red);
        std::fill(planes.begin() + 64 * 64, planes.begin() + 2 * 64 * 64, green);
        std::fill(planes.begin() + 2 * 64 * 64, planes.end(), blue);
        return scores_of(planes);
    }
    static std::vector<float> scores_of(const std::vector<float>& planes) {
        InferRequest request = Core().compile_model(kModel, GetParam()).create_infer_request();
        request.set_input_tensor(Tensor::of<float>({1, 3, 64, 64}, planes));
        request.infer();
        return to_floats(request.get_output_tensor());
    }
    static std::size_t best() { return best_of(scores()); }
    static std::size_t best_of(const std::vector<float>& all) {
        return static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
    }
    std::string saved(const char* name, const std::string& text) const {
        const auto model = Model::from_text(text);
        for (Node* parameter : model->parameters()) {
            parameter->port().names = {parameter->name()};
        }
        const std::string path = folder_.path(std::string(name) + ".xml");
        save_model(*model, path);
        return path;
    }

    test::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Devices, CompatPrograms, testing::Values("REFERENCE", "CPU"));

TEST_P(CompatPrograms, HelloClassificationFindsTheClasses) {
    const std::string text =
        run("hello_classification", std::string(kModel) + " " + picture_file() + " " + GetParam());
    const std::vector<float> expected = scores();
    std::vector<std::size_t> order(expected.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return expected[a] > expected[b]; });
    std::ostringstream lines;
    for (std::size_t i = 0; i < 3; ++i) {
        lines << "class " << order[i] << ' ' << expected[order[i]] << '\n';
    }
    EXPECT_THAT(text, HasSubstr("model name: residual_cnn\n"));
    EXPECT_THAT(text, HasSubstr(lines.str()));
}

TEST_P(CompatPrograms, HelloClassificationInCFindsTheClass) {
    EXPECT_THAT(run("hello_classification_c",
                    std::string(kModel) + " " + picture_file() + " " + GetParam()),
                HasSubstr("best " + std::to_string(best()) + "\n"));
}

TEST_P(CompatPrograms, ClassificationAsyncFindsTheClassInEveryRequest) {
    const std::string line = "best " + std::to_string(best()) + "\n";
    EXPECT_THAT(
        run("classification_async", std::string(kModel) + " " + picture_file() + " " + GetParam()),
        HasSubstr("requests known\n" + line + line));
}

// A detector whose rows are constant but for the mean of the picture, which is their confidence.
TEST_P(CompatPrograms, HelloReshapeSsdGivesTheSizeOfThePicture) {
    const std::string model = saved("detector", R"(model "detector"
%data = Parameter : f32[1,3,300,300]
%axes = Const value={1,2,3} : i64[3]
%mean = ReduceMean(%data, %axes) keep_dims=true
%weights = Const value={0,0,0.01,0,0,0,0, 0,0,0.0001,0,0,0,0, 0,0,0,0,0,0,0} : f32[1,1,3,7]
%part = Multiply(%mean, %weights)
%rows = Const value={0,4,0,0.25,0.5,0.75,1, 0,5,0,0,0,1,1, -1,0,0,0,0,0,0} : f32[1,1,3,7]
%boxes = Add(%part, %rows)
%r = Result(%boxes))");
    const std::string file =
        folder_.write("flat.ppm", "P6 8 4 255\n" + std::string(8 * 4 * 3, static_cast<char>(100)));
    EXPECT_EQ(run("hello_reshape_ssd", model + " " + file + " " + GetParam()),
              "old shape [1,3,300,300]\nnew shape [1,3,4,8]\n"
              "[0] class 4, confidence 1 (2,2)-(6,4)\n");
}

// Bytes 0 to 11 are two rows of two pixels in BGR: red is 2, 5, 8, 11. Each becomes 2 x 2 pixels.
TEST_P(CompatPrograms, PreprocessingConvertsAndNormalises) {
    const std::string model = saved("identity", R"(model "identity"
%x = Parameter : f32[1,3,2,4]
%one = Const value={1} : f32[]
%y = Multiply(%x, %one)
%r = Result(%y))");
    const std::string blob = folder_.path("model.blob");
    // (red - 1) / 2, (green - 2) / 2, (blue - 3) / 2
    const std::string line =
        "result [1,3,2,4] 0.5 0.5 2 2 3.5 3.5 5 5 -0.5 -0.5 1 1 2.5 2.5 4 4 "
        "-1.5 -1.5 0 0 1.5 1.5 3 3\n";
    if (std::string(GetParam()) == "REFERENCE") {
        GTEST_SKIP() << "exports nothing";
    }
    const std::string text = run("preprocessing", model + " " + GetParam() + " " + blob);
    EXPECT_THAT(text, HasSubstr("input u8 [1,?,?,3]\nprofiling 1\n" + line + line));
    EXPECT_THAT(text, HasSubstr("layers known\nrefused property: "));
}

TEST_P(CompatPrograms, VariableStatesAreKeptAndReset) {
    const std::string model = saved("sum", R"(model "sum"
%x = Parameter : f32[1]
%zero = Const value={0} : f32[1]
%old = ReadValue.6(%zero) variable_id="total" variable_type=f32 variable_shape=[1]
%new = Add(%old, %x)
%keep = Assign.6(%new) variable_id="total"
%r = Result(%new))");
    const std::string sequence = "sum 1\nsum 3\nsum 6\nkept 6\n";
    EXPECT_EQ(run("variable_states", model + " " + GetParam()),
              "state total\n" + sequence + sequence + "sum 103\n");
}

TEST_P(CompatPrograms, SnippetsOfTheUserGuideRun) {
    const std::string model = saved("double", R"(model "double"
%x = Parameter : f32[1,3]
%y = Add(%x, %x)
%r = Result(%y))");
    const std::string text = run("snippets", model + " " + GetParam());
    EXPECT_THAT(text, HasSubstr("threads 2 hint LATENCY name 1\n[1..4,?] 4 1 2\n1..10 [N,C] 1\n"
                                "Parameter Add Result x\n"));
    EXPECT_THAT(text, HasSubstr("input 'x': f32 -> scale(2) -> f32[1,3]"));
    EXPECT_THAT(text, HasSubstr("requests 1\nvalue 2 12\nanother shape is refused\n"
                                "Parameter Input x;ExecutionNode "));
    EXPECT_THAT(text, HasSubstr(";Result Output r;\ndouble\n"));
    EXPECT_THAT(text, Not(HasSubstr("odd")));
}

TEST_P(CompatPrograms, SyncBenchmarkCountsItsInferences) {
    const std::string best = std::to_string(best_of(scores_of_color(128, 128, 128)));
    EXPECT_THAT(run("sync_benchmark", std::string(kModel) + " " + GetParam()),
                HasSubstr("input image f32 [1,3,64,64]\nCount: 10 iterations\nThroughput known: 1\n"
                          "Median known: 1\nbest " +
                          best + "\n"));
}

TEST_P(CompatPrograms, ThroughputBenchmarkKeepsItsRequestsBusy) {
    const std::string best = std::to_string(best_of(scores_of_color(128, 128, 128)));
    EXPECT_THAT(run("throughput_benchmark", std::string(kModel) + " " + GetParam()),
                HasSubstr("requests known 1 count 20\nbest " + best + "\n"));
}

// By the equations of BT.601, Y 81, U 90 and V 240 are red 254, green 0 and blue 0.
TEST_P(CompatPrograms, HelloNv12InputClassificationSeesRed) {
    std::string frame(32 * 16, static_cast<char>(81));
    for (int i = 0; i < 16 * 8; ++i) {
        frame += {static_cast<char>(90), static_cast<char>(240)};
    }
    const std::string file = folder_.write("red.yuv", frame);
    const std::vector<float> expected = scores_of_color(254, 0, 0);
    std::ostringstream line;
    line << "class " << best_of(expected) << ' ' << expected[best_of(expected)] << '\n';
    const std::string device = GetParam();
    EXPECT_EQ(run("hello_nv12_input_classification",
                  std::string(kModel) + " " + file + " 32x16 " + device),
              "input image/y [1,16,32,1]\ninput image/uv [1,8,16,2]\n" + line.str());
    EXPECT_EQ(run("hello_nv12_input_classification_c",
                  std::string(kModel) + " " + file + " 32 16 " + device),
              line.str());
}

// 2 a + b.
TEST_P(CompatPrograms, ModelInspectionSeesLayersShapesAndTheCache) {
    const std::string model = saved("inspected", R"(model "inspected"
%a = Parameter : f32[1,3]
%b = Parameter : f32[1,3]
%twice = Add(%a, %a)
%sum = Add(%twice, %b)
%r = Result(%sum))");
    const bool caches = std::string(GetParam()) == "CPU";
    const std::string values = "values 12 72\n";
    EXPECT_EQ(run("model_inspection", model + " " + GetParam() + " " + folder_.path("")),
              "Parameter a reads f32[1,3]\nParameter b reads f32[1,3]\n"
              "Add twice reads a a f32[1,3]\nAdd sum reads twice b f32[1,3]\n"
              "Result r reads sum f32[1,3]\nresult 0 of Add parameter 1\n"
              "open [?,3] [1..8,3] 1\nbatch 2 [N,C] 1\nadded [2,3] 2\n"
              "cached 0\n" +
                  values + "cached " + (caches ? "1\n" : "0\n") + values);
}

TEST_P(CompatPrograms, HelloQueryDeviceKnowsEveryProperty) {
    const std::string text = run("hello_query_device", "");
    EXPECT_THAT(text, HasSubstr("CPU\n\tSUPPORTED_PROPERTIES: \n"));
    EXPECT_THAT(text, HasSubstr("\t\tMutable: NUM_STREAMS : 1\n"));
    EXPECT_THAT(text, HasSubstr("\t\tImmutable: DEVICE_ARCHITECTURE : intel64\n"));
    EXPECT_THAT(text, HasSubstr("\t\tMutable: PERFORMANCE_HINT : LATENCY\n"));
    EXPECT_THAT(text, HasSubstr("streams from 1\nname known\n"));
}

// The mean of 0 to 47.
TEST_P(CompatPrograms, ObjectsOfTheCApiDoWhatTheySay) {
    if (std::string(GetParam()) == "REFERENCE") {
        GTEST_SKIP() << "exports nothing";
    }
    const std::string model = saved("mean", R"(model "mean"
%x = Parameter : f32[1,3,8,8]
%axes = Const value={1,2,3} : i64[3]
%mean = ReduceMean(%x, %axes) keep_dims=true
%r = Result(%mean))");
    const std::string text =
        run("objects_c", model + " " + GetParam() + " " + folder_.path("model.blob"));
    EXPECT_THAT(text, HasSubstr("device CPU\n"));
    EXPECT_THAT(text, HasSubstr("profiling YES\ninput x type 1 shape [1,3,8,8]\n"
                                "input x type 1 shape [1,3,?,1..64] dynamic\n"
                                "input x type 1 shape [1,3,4,4]\n"
                                "mean 23.5 calls 1\nsteps known\ngraph inputs 1\n"
                                "mean 23.5 calls 1\n"));
    EXPECT_THAT(text, HasSubstr("status -1 read 'no_such_file.xml'"));
    EXPECT_THAT(text, HasSubstr("status -14\n"));
    EXPECT_THAT(text, HasSubstr("the nearest is 'NUM_STREAMS'"));
}

}  // namespace
