// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Interpolate, averages, reductions and MVN: one small model each, on the CPU against the reference
// device, and the step that ran it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <nlohmann/json.hpp>

#include "fuseq/core.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::uint32_t kSeed = 20261120;

Core& core() {
    static Core instance;
    return instance;
}

Tensor random_tensor(ElementType type, const Shape& shape) {
    std::mt19937 random(kSeed);
    const std::size_t count = shape_size(shape);
    const auto fill = [&](auto tag, auto distribution) {
        std::vector<decltype(tag)> values(count);
        for (auto& value : values) {
            value = static_cast<decltype(tag)>(distribution(random));
        }
        return Tensor::of(shape, values);
    };
    if (type == ElementType::u8) {
        return fill(std::uint8_t{}, std::uniform_int_distribution<int>(0, 255));
    }
    if (type == ElementType::i8) {
        return fill(std::int8_t{}, std::uniform_int_distribution<int>(-128, 127));
    }
    return fill(float{}, std::uniform_real_distribution<float>(-2.0f, 3.0f));
}

Tensor run(const std::shared_ptr<Model>& model, const std::string& device, const Tensor& input) {
    InferRequest request = core().compile_model(model, device).create_infer_request();
    request.set_input_tensor(input);
    request.infer();
    return request.get_output_tensor(model->results().size() - 1);
}

nlohmann::json steps_of(const std::shared_ptr<Model>& model) {
    const std::string text = core().compile_model(model, "CPU").get_runtime_report();
    return nlohmann::json::parse(text).at("steps");
}

std::string implementation_of(const std::shared_ptr<Model>& model, const std::string& layer) {
    for (const auto& step : steps_of(model)) {
        if (step.at("name") == layer) {
            return step.at("implementation");
        }
    }
    return "no step";
}

// Layer y of the model computes `implementation` and gives what the reference device gives: the
// same numbers for an integer result or tolerance 0, else to a relative 1e-5.
void check(const std::string& text, const std::string& implementation, double tolerance = 1e-5) {
    SCOPED_TRACE(text + "\nseed " + std::to_string(kSeed));
    const auto model = Model::from_text(text + "\n%r = Result(%y)\n");
    EXPECT_EQ(implementation_of(model, "y"), implementation);
    const Output input = model->parameters()[0]->output(0);
    const Tensor x = random_tensor(input.type(), input.shape());
    const Tensor want = run(model, "REFERENCE", x);
    const Tensor got = run(model, "CPU", x);
    ASSERT_EQ(got.get_shape(), want.get_shape());
    const std::vector<float> a = to_floats(want);
    const std::vector<float> b = to_floats(got);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double allowed = tolerance * std::max(1.0, std::abs(static_cast<double>(a[i])));
        ASSERT_NEAR(b[i], a[i], allowed) << "at " << i;
    }
}

std::string parameter(const std::string& type) {
    return "%x = Parameter : " + type + "\n";
}
// A pooling in front brings the tensor into channels-last.
std::string pooled(const std::string& type) {
    return "%i = Parameter : " + type + "\n%x = MaxPool.1(%i) strides=[1,1] kernel=[2,2]\n";
}

const char* kTransformations[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                  "tf_half_pixel_for_nn", "align_corners"};
const char* kNearestModes[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                               "simple"};

std::string interpolate4(const std::string& sizes, const std::string& attributes) {
    return "%s = Const value={" + sizes +
           "} : i64[2]\n%f = Const value={1,1} : f32[2]\n%a = Const value={2,-1} : i64[2]\n"
           "%y = Interpolate.4(%x, %s, %f, %a) shape_calculation_mode=sizes " +
           attributes;
}

TEST(InterpolateStep, NearestIsExactInEveryModeAndType) {
    for (const std::string transformation : kTransformations) {
        for (const std::string nearest : kNearestModes) {
            for (const std::string sizes : {"11,14", "3,4", "1,9"}) {
                const std::string attributes =
                    "mode=nearest coordinate_transformation_mode=" + transformation +
                    " nearest_mode=" + nearest;
                for (const std::string type : {"f32", "u8", "i8"}) {
                    check(parameter(type + "[2,5,7,6]") + interpolate4(sizes, attributes),
                          "fuseq:resize_nearest", 0);
                }
            }
        }
    }
}

// As move_dequantize_down leaves it: the step reads the integers, without a copy as f32 before
// it, and applies one scale and one zero point as it writes.
TEST(InterpolateStep, LinearReadsIntegers) {
    const std::string resized = interpolate4("13,9", "mode=linear_onnx");
    for (const std::string type : {"u8", "i8"}) {
        for (const std::string shape : {"f32[]", "f32[1,5,1,1]"}) {
            std::string text = "%i = Parameter : " + type + "[2,5,7,6]\n" +
                               "%x = Convert(%i) destination_type=f32\n" + resized;
            text.replace(text.find("%y ="), 4, "%p =");
            text += "\n%z = Const value=fill(3) : " + shape + "\n%d = Subtract(%p, %z)\n" +
                    "%k = Const value=random(3,0.01,0.1) : " + shape + "\n%y = Multiply(%d, %k)";
            check(text, "no step");
            const auto steps = steps_of(Model::from_text(text + "\n%r = Result(%y)\n"));
            const auto resize = std::find_if(steps.begin(), steps.end(), [](const auto& step) {
                return step.at("kind") == "interpolate";
            });
            ASSERT_NE(resize, steps.end());
            EXPECT_EQ(resize->at("implementation"), "fuseq:resize_linear");
            EXPECT_EQ(resize->at("src_type"), type);
            EXPECT_EQ(resize->at("dst_type"), "f32");
        }
    }
}

TEST(InterpolateStep, LinearInEveryTransformation) {
    for (const std::string transformation : kTransformations) {
        for (const std::string mode : {"linear", "linear_onnx"}) {
            for (const std::string sizes : {"11,14", "3,4", "1,9"}) {
                check(pooled("f32[2,19,8,7]") +
                          interpolate4(sizes, "mode=" + mode + " coordinate_transformation_mode=" +
                                                  transformation),
                      "fuseq:resize_linear");
            }
        }
    }
}

TEST(InterpolateStep, ScalesAsTheModelStatesThem) {
    for (const std::string mode : {"nearest", "linear_onnx"}) {
        check(parameter("f32[1,3,5,7]") +
                  "%s = Const value={0,0} : i64[2]\n%f = Const value={2.3,0.7} : f32[2]\n"
                  "%a = Const value={2,3} : i64[2]\n%y = Interpolate.4(%x, %s, %f, %a) "
                  "shape_calculation_mode=scales mode=" +
                  mode,
              mode == "nearest" ? "fuseq:resize_nearest" : "fuseq:resize_linear");
    }
}

TEST(InterpolateStep, OtherVersionsAndRanks) {
    check(parameter("f32[2,3,5,7]") +
              "%s = Const value={9,4} : i64[2]\n"
              "%y = Interpolate.1(%x, %s) axes=[2,3] mode=linear align_corners=true",
          "fuseq:resize_linear");
    check(parameter("u8[2,3,5,7]") +
              "%s = Const value={9,4} : i64[2]\n"
              "%y = Interpolate.1(%x, %s) axes=[2,3] mode=nearest align_corners=false",
          "fuseq:resize_nearest", 0);
    check(parameter("f32[2,3,7]") +
              "%s = Const value={16} : i64[1]\n%a = Const value={2} : i64[1]\n"
              "%y = Interpolate.11(%x, %s, %a) mode=linear_onnx shape_calculation_mode=sizes",
          "fuseq:resize_linear");
    // The middle axis stays, whatever the transformation would do to it.
    check(parameter("f32[2,3,2,5,4]") +
              "%s = Const value={10,6} : i64[2]\n%a = Const value={3,4} : i64[2]\n"
              "%y = Interpolate.11(%x, %s, %a) mode=nearest shape_calculation_mode=sizes "
              "coordinate_transformation_mode=tf_half_pixel_for_nn nearest_mode=ceil",
          "fuseq:resize_nearest", 0);
}

TEST(InterpolateStep, LeavesTheRestToTheReference) {
    check(parameter("f32[1,3,8,8]") + interpolate4("5,5", "mode=cubic"), "reference");
    check(parameter("u8[1,3,8,8]") + interpolate4("5,5", "mode=linear_onnx"), "reference");
    check(parameter("f32[1,3,8,8]") + interpolate4("5,5", "mode=linear antialias=true"),
          "reference");
    check(parameter("f32[1,3,8,8]") + interpolate4("5,5", "mode=nearest pads_begin=[0,0,1,1]"),
          "reference");
}

TEST(MaxPoolStep, WindowsOfEveryKind) {
    for (const std::string type : {"u8", "i8", "f32"}) {
        check(parameter(type + "[2,19,11,9]") +
                  "%y = MaxPool.1(%x) strides=[2,1] kernel=[3,2] pads_begin=[1,0] pads_end=[0,1] "
                  "rounding_type=ceil",
              "fuseq:max_pool", 0);
        check(parameter(type + "[1,33,12]") +
                  "%y = MaxPool.1(%x) strides=[2] kernel=[2] auto_pad=same_upper",
              "fuseq:max_pool", 0);
        check(parameter(type + "[1,5,4,6,7]") +
                  "%y = MaxPool.1(%x) strides=[1,2,2] kernel=[2,3,2] pads_begin=[1,1,1] "
                  "pads_end=[0,1,1]",
              "fuseq:max_pool", 0);
        check(parameter(type + "[2,16,13,14]") +
                  "%y = MaxPool.8(%x) strides=[1,2] kernel=[3,2] dilations=[2,3]",
              "fuseq:max_pool", 0);
    }
}

TEST(MaxPoolStep, LeavesTheRestToOthers) {
    const std::string dilated =
        "%y = MaxPool.8(%x) strides=[1,2] kernel=[3,2] dilations=[2,3] index_element_type=i32\n";
    check(parameter("f32[2,4,13,14]") + dilated + "%s = Result(%y:1)", "reference", 0);
}

// Few and many channels, few long rows, an odd number of inputs.
TEST(ConcatStep, AnyAxisAndType) {
    for (const std::string type : {"u8", "i8", "f32"}) {
        for (const std::string axis : {"0", "1", "2", "-1"}) {
            for (const std::string shape : {"[2,3,5,7]", "[1,70,9,8]"}) {
                check(pooled(type + shape) + "%z = MaxPool.1(%x) strides=[1,1] kernel=[1,1]\n" +
                          "%y = Concat(%x, %z, %x) axis=" + axis,
                      "fuseq:copy", 0);
            }
        }
    }
    check(parameter("f32[1,300,200]") + "%y = Concat(%x, %x) axis=0", "fuseq:copy", 0);
}

TEST(AverageStep, IntegersGiveFloats) {
    for (const std::string type : {"u8", "i8"}) {
        for (const std::string exclude : {"true", "false"}) {
            for (const std::string rounding : {"floor", "ceil"}) {
                check(pooled(type + "[2,37,10,9]") +
                          "%y = AvgPool.1(%x) strides=[2,2] kernel=[3,3] pads_begin=[1,0] "
                          "pads_end=[0,1] output_type=f32 exclude-pad=" +
                          exclude + " rounding_type=" + rounding,
                      "fuseq:average_pool");
            }
        }
        check(parameter(type + "[2,5,21]") +
                  "%y = AvgPool.1(%x) strides=[2] kernel=[4] pads_begin=[1] pads_end=[1] "
                  "exclude-pad=false output_type=f32",
              "fuseq:average_pool");
    }
}

TEST(AverageStep, MeanOfIntegersOverAllSpatialDimensions) {
    for (const std::string type : {"u8", "i8"}) {
        for (const std::string keep : {"true", "false"}) {
            const std::string mean = "%y = ReduceMean(%x, %a) output_type=f32 keep_dims=" + keep;
            check(pooled(type + "[3,70,6,8]") + "%a = Const value={-1,2} : i64[2]\n" + mean,
                  "fuseq:average_pool");
            check(parameter(type + "[1,70,3,5,2]") + "%a = Const value={2,3,4} : i64[3]\n" + mean,
                  "fuseq:average_pool");
            // Not all of them.
            check(parameter(type + "[2,3,5,2]") + "%a = Const value={3} : i64[1]\n" + mean,
                  "reference");
        }
    }
}

TEST(ReduceStep, AnyNeighbouringAxesOfAnyLayout) {
    const std::string axes[] = {"{0} : i64[1]",    "{1} : i64[1]",       "{2} : i64[1]",
                                "{3} : i64[1]",    "{2,3} : i64[2]",     "{0,1} : i64[2]",
                                "{-3,2} : i64[2]", "{0,1,2,3} : i64[4]", "{1,2,3} : i64[3]",
                                "{1,3} : i64[2]"};
    for (const std::string op : {"ReduceSum.1", "ReduceMean.1", "ReduceMax.1", "ReduceMin.1",
                                 "ReduceL1.4", "ReduceL2.4"}) {
        for (const std::string& list : axes) {
            for (const std::string keep : {"true", "false"}) {
                const std::string rest =
                    "%a = Const value=" + list + "\n%y = " + op + "(%x, %a) keep_dims=" + keep;
                check(parameter("f32[2,19,5,7]") + rest, "fuseq:reduce");
                check(pooled("f32[2,19,6,8]") + rest, "fuseq:reduce");
            }
        }
    }
}

TEST(ReduceStep, BatchAndRowsAreNeighboursInChannelsLast) {
    const std::string rest = "%a = Const value={0,2} : i64[2]\n%y = ReduceL2.4(%x, %a) keep_dims=";
    check(pooled("f32[2,19,6,8]") + rest + "true", "fuseq:reduce");
    // Channels before columns in the result, after them in memory.
    check(pooled("f32[2,19,6,8]") + rest + "false", "reference");
}

TEST(ReduceStep, AxesApartAndProductsAreLeftToTheReference) {
    check(parameter("f32[2,3,5,7]") +
              "%a = Const value={0,3} : i64[2]\n%y = ReduceSum.1(%x, %a) keep_dims=true",
          "reference");
    check(parameter("f32[2,3,5,7]") +
              "%a = Const value={3} : i64[1]\n%y = ReduceProd.1(%x, %a) keep_dims=true",
          "reference");
}

TEST(MvnStep, LastAxesOfPlainTensors) {
    for (const std::string eps : {"INSIDE_SQRT", "OUTSIDE_SQRT"}) {
        for (const std::string variance : {"true", "false"}) {
            const std::string rest =
                "%y = MVN.6(%x, %a) eps=0.001 eps_mode=" + eps + " normalize_variance=" + variance;
            check(parameter("f32[2,9,37]") + "%a = Const value={-1} : i64[1]\n" + rest,
                  "fuseq:layer_norm");
            check(parameter("f32[2,3,5,7]") + "%a = Const value={2,1,3} : i64[3]\n" + rest,
                  "fuseq:layer_norm");
            // Columns.
            check(parameter("f32[2,6,37]") + "%a = Const value={1} : i64[1]\n" + rest,
                  "fuseq:normalize");
        }
    }
}

TEST(MvnStep, SpatialDimensionsOfEitherLayout) {
    const std::string rest =
        "%a = Const value={2,3} : i64[2]\n"
        "%y = MVN.6(%x, %a) eps=0.001 eps_mode=INSIDE_SQRT normalize_variance=true";
    check(parameter("f32[2,35,5,7]") + rest, "fuseq:layer_norm");
    check(pooled("f32[2,35,6,8]") + rest, "fuseq:normalize");
    check(pooled("f32[1,150,6,8]") + rest, "fuseq:normalize");
}

// An activation with a slope a channel is a part of the step, of floats too, where the channels are
// the columns; where the rows of a plain tensor are spatial, it is not.
TEST(MvnStep, PreluPerChannel) {
    const auto model = [](const std::string& x) {
        return Model::from_text(x +
                                "%a = Const value={2,3} : i64[2]\n"
                                "%m = MVN.6(%x, %a) eps=0.001 eps_mode=INSIDE_SQRT "
                                "normalize_variance=true\n"
                                "%s = Const value=random(7,0,0.5) : f32[20]\n"
                                "%y = PReLU(%m, %s)\n%r = Result(%y)\n");
    };
    const auto layers = [](const std::shared_ptr<Model>& m) {
        for (const auto& step : steps_of(m)) {
            if (step.at("name") == "m") {
                return step.at("layers").get<std::vector<std::string>>();
            }
        }
        return std::vector<std::string>{};
    };
    EXPECT_THAT(layers(model(pooled("f32[2,20,6,8]"))), testing::Contains("y"));
    EXPECT_THAT(layers(model(parameter("f32[2,20,6,8]"))), testing::Not(testing::Contains("y")));
    const auto fused = model(pooled("f32[2,20,6,8]"));
    const Tensor x = random_tensor(ElementType::f32, {2, 20, 6, 8});
    const std::vector<float> want = to_floats(run(fused, "REFERENCE", x));
    EXPECT_THAT(to_floats(run(fused, "CPU", x)),
                testing::Pointwise(testing::FloatNear(1e-5F), want));
}

TEST(SoftmaxStep, AnyAxis) {
    for (const std::string shape : {"[2,5,33]", "[3,700,4]", "[7,1000]", "[2,3,4,5,2,6]"}) {
        check(parameter("f32" + shape) + "%y = SoftMax.8(%x) axis=-1", "fuseq:softmax");
    }
    check(pooled("f32[2,21,6,8]") + "%y = SoftMax.1(%x) axis=1", "fuseq:softmax");
    check(parameter("f32[9,21,1,1]") + "%y = SoftMax.1(%x) axis=1", "fuseq:softmax");
    check(parameter("f32[2,21,6,8]") + "%y = SoftMax.1(%x) axis=1", "fuseq:softmax");
    check(parameter("f32[2,3,4,5,2,6]") + "%y = SoftMax.8(%x) axis=-4", "fuseq:softmax");
}

TEST(MvnStep, FirstVersion) {
    for (const std::string across : {"true", "false"}) {
        check(pooled("f32[2,20,6,8]") + "%y = MVN.1(%x) eps=0.001 across_channels=" + across,
              across == "true" ? "fuseq:layer_norm" : "fuseq:normalize");
    }
}

// Only one shape is possible, but what the user gives is not it.
TEST(ComputedPattern, IsCheckedWhenTheModelRuns) {
    const auto model = Model::from_text(R"(model "t"
        %x = Parameter : f32[3,5,4]
        %p = Parameter : i64[1]
        %y = Reshape(%x, %p) special_zero=false
        %r = Result(%y))");
    ASSERT_EQ(to_string(model->output(0).partial_shape()), "[60]");
    for (const char* device : {"CPU", "REFERENCE"}) {
        InferRequest request = core().compile_model(model, device).create_infer_request();
        request.set_input_tensor(0, random_tensor(ElementType::f32, {3, 5, 4}));
        const auto run_with = [&](std::int64_t size) {
            request.set_input_tensor(1, Tensor::of<std::int64_t>({1}, {size}));
            try {
                request.infer();
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string("accepted");
        };
        EXPECT_EQ(run_with(60), "accepted") << device;
        EXPECT_EQ(run_with(-1), "accepted") << device;
        EXPECT_THAT(run_with(-4), testing::HasSubstr("the pattern has the value -4")) << device;
        EXPECT_THAT(run_with(59), testing::HasSubstr("does not have the elements of [59]"))
            << device;
    }
}

}  // namespace
}  // namespace fuseq::cpu
