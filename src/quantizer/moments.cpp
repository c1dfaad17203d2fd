// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/moments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "quantizer/layer_kinds.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::quantizer {
namespace {

// Windows to sample: enough for the second moments to have full rank, four a tap.
constexpr std::size_t kMinWindows = 2048;
constexpr std::size_t kMaxWindows = 8192;
// Rows that are multiplied at once, and from how many taps on a device does it.
constexpr std::size_t kRows = 256;
constexpr std::size_t kTapsForDevice = 48;

std::size_t wanted_windows(std::size_t taps) {
    return std::clamp(4 * taps, kMinWindows, kMaxWindows);
}

// Copies what the weights of one output meet in one window.
class Windows {
public:
    Windows(const Node& anchor, const Shape& source)
        : source_(source), weights_(anchor.input(1).shape()) {
        if (anchor.is("MatMul")) {
            taps_ = source.back();
            positions_ = shape_size(source) / taps_;
            return;
        }
        windows_ = convolution_windows(anchor.attrs<ConvolutionAttrs>(), source, weights_);
        const bool grouped = anchor.is("GroupConvolution");
        groups_ = grouped ? weights_[0] : 1;
        channels_ = source[1] / groups_;
        positions_ = source[0];
        std::size_t kernel = 1;
        for (std::size_t d = 0; d < windows_.size(); ++d) {
            const std::int64_t count =
                window_positions(static_cast<std::int64_t>(source[d + 2]), windows_[d]);
            counts_.push_back(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
            positions_ *= counts_.back();
            kernel *= static_cast<std::size_t>(windows_[d].size);
        }
        kernel_ = kernel;
        taps_ = channels_ * kernel;
    }

    std::size_t groups() const { return groups_; }
    std::size_t taps() const { return taps_; }
    std::size_t positions() const { return positions_; }

    void read(const float* source, std::size_t position, std::size_t group, float* row) const {
        if (windows_.empty()) {
            std::copy_n(source + position * taps_, taps_, row);
            return;
        }
        // Where the window begins; the batch is the slowest dimension.
        std::vector<std::int64_t> begin(windows_.size());
        for (std::size_t d = windows_.size(); d-- > 0; position /= counts_[d]) {
            begin[d] = static_cast<std::int64_t>(position % counts_[d]) * windows_[d].stride -
                       windows_[d].pad_begin;
        }
        std::size_t area = 1;
        for (std::size_t d = 0; d < windows_.size(); ++d) {
            area *= source_[d + 2];
        }
        const float* first = source + (position * source_[1] + group * channels_) * area;
        for (std::size_t tap = 0; tap < kernel_; ++tap) {
            const std::optional<std::size_t> at = offset(begin, tap);
            for (std::size_t c = 0; c < channels_; ++c) {
                row[c * kernel_ + tap] = at ? first[c * area + *at] : 0.0f;
            }
        }
    }

private:
    // In a channel; nothing in the padding.
    std::optional<std::size_t> offset(const std::vector<std::int64_t>& begin,
                                      std::size_t tap) const {
        std::size_t at = 0;
        std::size_t stride = 1;
        for (std::size_t d = windows_.size(); d-- > 0;) {
            const auto size = static_cast<std::size_t>(windows_[d].size);
            const std::int64_t x =
                begin[d] + static_cast<std::int64_t>(tap % size) * windows_[d].dilation;
            tap /= size;
            if (x < 0 || x >= static_cast<std::int64_t>(source_[d + 2])) {
                return std::nullopt;
            }
            at += static_cast<std::size_t>(x) * stride;
            stride *= source_[d + 2];
        }
        return at;
    }

    Shape source_;
    Shape weights_;
    std::vector<Window> windows_;      // empty for MatMul
    std::vector<std::size_t> counts_;  // window positions of each dimension
    std::size_t groups_ = 1;
    std::size_t channels_ = 0;  // of a group
    std::size_t kernel_ = 1;
    std::size_t taps_ = 0;
    std::size_t positions_ = 0;
};

// X^T X of blocks of rows, by the device that runs the model: as fast as its products of floats.
class Squares {
public:
    Squares(std::size_t taps, const std::string& device) : taps_(taps), block_(kRows * taps) {
        if (taps < kTapsForDevice) {
            return;
        }
        const std::string shape = fmt::format("f32[{},{}]", kRows, taps);
        const auto model = Model::from_text(
            fmt::format("model \"squares\"\n%a = Parameter : {}\n%b = Parameter : {}\n%m = "
                        "MatMul(%a, %b) transpose_a=true transpose_b=false\n%r = Result(%m)",
                        shape, shape));
        request_ = Core().compile_model(model, device).create_infer_request();
    }

    float* row(std::size_t i) { return block_.data() + i * taps_; }

    // Adds the first `rows` rows.
    void add(std::size_t rows, Moments& moments) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t i = 0; i < taps_; ++i) {
                moments.sums[i] += static_cast<double>(row(r)[i]);
            }
        }
        moments.count += static_cast<double>(rows);
        if (request_) {
            std::fill(row(rows), row(kRows), 0.0f);
            const Tensor tensor(ElementType::f32, {kRows, taps_}, block_.data());
            request_.set_input_tensor(0, tensor);
            request_.set_input_tensor(1, tensor);
            request_.infer();
            const Tensor products = request_.get_output_tensor(0);
            const std::span<const float> values = products.values<float>();
            for (std::size_t i = 0; i < values.size(); ++i) {
                moments.squares[i] += values[i];
            }
            return;
        }
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t i = 0; i < taps_; ++i) {
                for (std::size_t j = 0; j < taps_; ++j) {
                    moments.squares[i * taps_ + j] += row(r)[i] * row(r)[j];
                }
            }
        }
    }

private:
    std::size_t taps_;
    std::vector<float> block_;
    InferRequest request_;
};

// Windows of one input, spread over its positions; another input begins elsewhere.
std::vector<std::size_t> sample(std::size_t positions, std::size_t wanted, std::size_t input) {
    std::vector<std::size_t> chosen;
    const std::size_t count = std::min(positions, std::max<std::size_t>(wanted, 1));
    for (std::size_t i = 0; i < count; ++i) {
        // The golden ratio spreads offsets evenly.
        const std::size_t shift = static_cast<std::size_t>(
            static_cast<double>(positions) * (0.6180339887 * static_cast<double>(input)));
        chosen.push_back((i * positions / count + shift) % positions);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

void add_input(const Windows& windows,
               const float* source,
               const std::vector<std::size_t>& chosen,
               Squares& squares,
               std::vector<Moments>& moments) {
    for (std::size_t g = 0; g < windows.groups(); ++g) {
        std::size_t rows = 0;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            windows.read(source, chosen[i], g, squares.row(rows++));
            if (rows == kRows || i + 1 == chosen.size()) {
                squares.add(rows, moments[g]);
                rows = 0;
            }
        }
    }
}

}  // namespace

bool has_moments(const Node& anchor) {
    if (!is_one_of(anchor, {"Convolution", "GroupConvolution", "MatMul"}) ||
        !anchor.input_node(1)->is_constant() || anchor.input(1).type() != ElementType::f32 ||
        !anchor.input(0).partial_shape().is_static()) {
        return false;
    }
    if (anchor.is("MatMul") &&
        (anchor.attrs<MatMulAttrs>().transpose_a || anchor.input(1).shape().size() != 2)) {
        return false;
    }
    return channel_order(anchor, anchor.input(1).shape()).taps() <= kMaxTaps;
}

std::size_t moments_bytes(const Node& anchor) {
    const ChannelOrder order = channel_order(anchor, anchor.input(1).shape());
    return order.groups * order.taps() * order.taps() * sizeof(float);
}

MomentsOfLayers collect_moments(const Model& model,
                                const std::vector<const Node*>& anchors,
                                const std::string& device,
                                const std::vector<std::size_t>& indices,
                                const CalibrationInputs& inputs) {
    const std::shared_ptr<Model> copy = model.clone();
    const std::size_t first = copy->results().size();
    MomentsOfLayers result;
    std::vector<Windows> windows;
    std::map<std::size_t, Squares> squares;  // by taps
    for (const Node* anchor : anchors) {
        Node* node = copy->find(anchor->name());
        windows.emplace_back(*node, node->input(0).shape());
        const std::size_t taps = windows.back().taps();
        squares.try_emplace(taps, taps, device);
        result[anchor->name()].assign(
            windows.back().groups(),
            Moments{taps, 0, std::vector<double>(taps), std::vector<float>(taps * taps)});
        copy->add_result(copy->unique_name("moments"), node->input(0));
    }
    DataRunner runner(*copy, device);
    std::size_t number = 0;
    runner.run(indices, inputs, [&](const InferRequest& request) {
        for (std::size_t a = 0; a < anchors.size(); ++a) {
            const Tensor source = request.get_output_tensor(first + a);
            const std::size_t wanted = wanted_windows(windows[a].taps()) / indices.size() + 1;
            add_input(windows[a], source.data<float>(),
                      sample(windows[a].positions(), wanted, number), squares.at(windows[a].taps()),
                      result[anchors[a]->name()]);
        }
        ++number;
    });
    return result;
}

}  // namespace fuseq::quantizer
