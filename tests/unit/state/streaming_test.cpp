// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent networks and convolutions that get a sequence a step at a time, held against the same
// weights on the whole sequence in one run.
#include <random>

#include "unit/state/state_testing.hpp"

namespace fuseq::test {
namespace {

constexpr std::size_t kSteps = 7;

std::vector<float> random_values(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> result(count);
    for (float& value : result) {
        value = values(random);
    }
    return result;
}

// Frames are the rows of axis 1 of [1, frames, width].
std::vector<float> whole(Core& core,
                         const std::shared_ptr<Model>& model,
                         const char* device,
                         const std::vector<float>& x) {
    InferRequest request = core.compile_model(model, device).create_infer_request();
    request.set_input_tensor(Tensor::of<float>(request.get_input_tensor().get_shape(), x));
    request.infer();
    return floats(request.get_output_tensor());
}

std::vector<float> streamed(InferRequest& request, const std::vector<float>& x) {
    std::vector<float> all;
    const Shape shape = request.get_input_tensor().get_shape();
    const std::size_t width = shape_size(shape);
    for (std::size_t at = 0; at < x.size(); at += width) {
        request.set_input_tensor(Tensor::of<float>(
            shape, std::vector<float>(x.begin() + static_cast<std::ptrdiff_t>(at),
                                      x.begin() + static_cast<std::ptrdiff_t>(at + width))));
        request.infer();
        const std::vector<float> out = floats(request.get_output_tensor());
        all.insert(all.end(), out.begin(), out.end());
    }
    return all;
}

constexpr const char* kLstmWeights = R"(
    %w = Const value=random(1,-1,1) : f32[16,5]
    %r = Const value=random(2,-1,1) : f32[16,4]
    %b = Const value=random(3,-1,1) : f32[16]
)";

std::shared_ptr<Model> lstm_sequence() {
    return Model::from_text(std::string(R"(
        %x = Parameter : f32[1,7,5]
        %zeros = Const value=fill(0) : f32[1,1,4]
        %length = Const value={7} : i64[1])") +
                            kLstmWeights + R"(
        %zero = Const value={0} : i64[1]
        %w1 = Unsqueeze(%w, %zero)
        %r1 = Unsqueeze(%r, %zero)
        %b1 = Unsqueeze(%b, %zero)
        %s = LSTMSequence.5(%x, %zeros, %zeros, %length, %w1, %r1, %b1) hidden_size=4 direction=forward
        %out = Result(%s:0))");
}

std::shared_ptr<Model> lstm_step() {
    return Model::from_text(std::string(R"(
        %x = Parameter : f32[1,5]
        %h = ReadValue.6 variable_id="h" variable_type=f32 variable_shape=[1,4]
        %c = ReadValue.6 variable_id="c" variable_type=f32 variable_shape=[1,4])") +
                            kLstmWeights + R"(
        %s = LSTMCell.4(%x, %h, %c, %w, %r, %b) hidden_size=4
        %keep_h = Assign.6(%s:0) variable_id="h"
        %keep_c = Assign.6(%s:1) variable_id="c"
        %out = Result(%s:0))");
}

// Three rows of an image of 8 columns make one: the two before are the variable.
constexpr const char* kConvolution = R"(
    %l = Const value={-2} : f32[]
    %u = Const value={1.984375} : f32[]
    %q = FakeQuantize(%rows, %l, %u, %l, %u) levels=256
    %wi = Const value=random(4,-127,127) : i8[6,3,3,3]
    %wf = Convert(%wi) destination_type=f32
    %s = Const value={0.0078125} : f32[]
    %wd = Multiply(%wf, %s)
    %y = Convolution(%q, %wd) strides=[1,1] dilations=[1,1] pads_begin=[0,1] pads_end=[0,1]
    %out = Result(%y)
)";

std::shared_ptr<Model> convolution_of_all() {
    return Model::from_text(std::string(R"(
        %x = Parameter : f32[1,3,7,8]
        %before = Const value=fill(0) : f32[1,3,2,8]
        %rows = Concat(%before, %x) axis=2)") +
                            kConvolution);
}

std::shared_ptr<Model> convolution_of_a_row() {
    return Model::from_text(std::string(R"(
        %x = Parameter : f32[1,3,1,8]
        %before = ReadValue.6 variable_id="rows" variable_type=f32 variable_shape=[1,3,2,8]
        %rows = Concat(%before, %x) axis=2
        %from = Const value={1} : i64[1]
        %to = Const value={3} : i64[1]
        %one = Const value={1} : i64[1]
        %two = Const value={2} : i64[1]
        %last = Slice(%rows, %from, %to, %one, %two)
        %keep = Assign.6(%last) variable_id="rows")") +
                            kConvolution);
}

// [channels, rows, columns] of all rows to one row after the other, and back.
std::vector<float> by_rows(const std::vector<float>& image,
                           std::size_t channels,
                           std::size_t rows,
                           std::size_t columns) {
    std::vector<float> result;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t i = 0; i < columns; ++i) {
                result.push_back(image[(c * rows + r) * columns + i]);
            }
        }
    }
    return result;
}

class Streaming : public OnBothDevices {};

TEST_P(Streaming, AnLstmGivesWhatItGivesOfTheWholeSequence) {
    const std::vector<float> x = random_values(kSteps * 5, 11);
    const std::vector<float> expected = whole(core_, lstm_sequence(), "REFERENCE", x);
    InferRequest request = request_of(lstm_step());
    expect_near(streamed(request, x), expected, 1e-5F);
    request.reset_state();
    expect_near(streamed(request, x), expected, 1e-5F);  // as the first time
}

TEST_P(Streaming, AQuantizedConvolutionGivesWhatItGivesOfAllRows) {
    const std::vector<float> image = random_values(3 * kSteps * 8, 12);
    const std::vector<float> expected =
        by_rows(whole(core_, convolution_of_all(), "REFERENCE", image), 6, kSteps, 8);
    InferRequest request = request_of(convolution_of_a_row());
    expect_near(streamed(request, by_rows(image, 3, kSteps, 8)), expected, 1e-4F);
}

INSTANTIATE_TEST_SUITE_P(State, Streaming, testing::Values("CPU", "REFERENCE"));

}  // namespace
}  // namespace fuseq::test
