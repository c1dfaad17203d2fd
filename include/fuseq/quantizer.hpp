// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantizer: from a float model and data to a model with FakeQuantize layers. Profile-guided: runs
// the float model on calibration inputs, keeps the ranges of every float tensor, and chooses scales
// and zero points from them. Library libfuseq_quantizer.so; docs/quantizer.md says what it does.
//
//   fuseq::Quantizer quantizer(model, options);
//   quantizer.profile(100, image);  // std::vector<Tensor> image(std::size_t i)
//   fuseq::QuantizedModel result = quantizer.quantize(100, image);
//   fuseq::write_quantized(result, "int8.xml");
//
// One thread at a time uses a Quantizer. All failures are fuseq::Error, stage "quantize".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/diagnosis.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

// How a range [min, max] becomes a scale and an offset: value = (q - offset) * scale.
enum class QuantizationSchema {
    kAsymmetric,                // the range as it is, 0 included
    kSymmetric,                 // offset 0; the range is extended
    kSymmetricWithUint8,        // offset 0, or the lowest integer where nothing is negative
    kSymmetricWithPower2Scale,  // offset 0, scale 2^k
};
enum class QuantizationPrecision { kInt8, kInt16, kInt32 };
// How the range is narrowed before that.
enum class Calibration {
    kNone,  // smallest to largest value
    kKl,    // smallest Kullback-Leibler divergence between the histogram and its quantized form
    kPercentile,  // a share of the values, percentile / 100, lies inside
    kMse,         // smallest mean squared error
    kBest,        // of none, MSE and percentile, what is best on inputs that were held back
};

// One table for names on command lines and in files.
std::string_view to_string(QuantizationSchema schema);
std::string_view to_string(QuantizationPrecision precision);
std::string_view to_string(Calibration calibration);
// Throws Error listing the names there are.
QuantizationSchema schema_from(std::string_view name);
QuantizationPrecision precision_from(std::string_view name);
Calibration calibration_from(std::string_view name);

// How much worse the outputs of a quantized model are.
enum class DropMetric {
    kSqnr,        // signal-to-noise ratio in dB: the bound is a minimum
    kCosine,      // 1 - cosine of the outputs of the worst input
    kTop1,        // share of inputs of another class
    kDetections,  // share of boxes without a partner
    kOwn,         // DropBound::own of the float model minus that of the quantized one
};
std::string_view to_string(DropMetric metric);
DropMetric metric_from(std::string_view name);

struct DropBound {
    DropMetric metric = DropMetric::kSqnr;
    double value = 0;
    std::function<double(const std::shared_ptr<const Model>& model)> own;  // larger is better
};

struct QuantizerOptions {
    QuantizationSchema schema = QuantizationSchema::kAsymmetric;  // of activations
    QuantizationSchema weights_schema = QuantizationSchema::kSymmetric;
    QuantizationPrecision precision = QuantizationPrecision::kInt8;          // of activations
    QuantizationPrecision weights_precision = QuantizationPrecision::kInt8;  // kInt8 or kInt16
    QuantizationPrecision bias_precision = QuantizationPrecision::kInt32;
    Calibration calibration = Calibration::kNone;  // of activations
    double percentile = 99.99;                     // for kPercentile; in (50, 100]
    // kNone, or kMse: the scale of each channel of weights with the smallest squared error.
    Calibration weights_calibration = Calibration::kNone;
    std::size_t histogram_bins = 1024;  // at least 16
    bool channelwise = true;            // a scale an output channel of the weights; else one in all
    // Matrices of MatMul: a scale and an offset a row, from the row's own range.
    bool rowwise = false;
    // Of the tables that `rowwise` makes bytes of: codes of 4 bits, scales and offsets in f16.
    bool rows_of_4_bits = false;
    bool f16_row_scales = false;
    // Weights in [-64, 63]: two products of u8 x s7 always fit into 16 bits.
    bool weights_of_7_bits = false;
    // How weights of 8 bits are written: u8 -> Convert -> FakeQuantize in place of
    // i8 -> Convert -> Multiply. The values are the same.
    bool weights_by_fake_quantize = false;
    // A range a channel where only depthwise convolutions read a tensor.
    bool depthwise_channels = true;
    // Moves biases by the mean error that rounded weights make; with data, where that helps.
    bool bias_correction = true;
    double headroom = 0;  // ranges of activations are widened by this share
    // Only with data, and where they help on inputs that were held back:
    bool equalization = true;     // ranges of channels made more alike
    bool channel_scales = true;   // the same by limits of FakeQuantize, where constants cannot
    bool concat_ranges = true;    // inputs of a Concat keep ranges that are far apart
    bool measured_biases = true;  // biases moved by measured shifts of means
    // Sums before an Elu, and sums and products of large tensors at the end, read integers alone:
    // for time, where it costs little.
    bool integers_for_time = true;
    bool second_order_rounding = false;  // weights rounded by what they do to their layer's result
    // With data: layers return to float, those first that do the most damage, until the bound holds
    // on held-back inputs, which are not used for ranges then either.
    std::optional<DropBound> max_drop;
    // Layers that stay in float: kinds ("Add"), names, or patterns with * and ?.
    std::vector<std::string> keep_original_precision;
    // Kinds that are not taken apart before profiling, nor before quantizing.
    std::vector<std::string> do_not_lower;
    bool assert_all_nodes_quantized = false;  // an Error where a quantizable layer stays in float
    std::string device = "CPU";               // that runs the float model
    std::size_t streams = 0;                  // in flight; 0: one a core, less for large tensors
};

// Tensors for calibration input `index`, one a model input, in its order. Called from several
// threads at once.
using CalibrationInputs = std::function<std::vector<Tensor>(std::size_t index)>;
// Told after each input, in order, how many are done; false stops. Called from one thread at a
// time.
using CalibrationProgress = std::function<bool(std::size_t done, std::size_t total)>;

// What became of one layer that can be quantized.
struct QuantizedLayer {
    std::string name;
    std::string kind;
    bool quantized = false;
    std::string reason;     // why it is not
    float input_scale = 0;  // of its first input; 0 where it is a vector or there is none
    std::int32_t input_offset = 0;
    float min_weight_scale = 0;  // 0 without weights
    float max_weight_scale = 0;
};

// A method that was tried, and the mean signal-to-noise ratio of the outputs on inputs that were
// held back, in dB.
struct QuantizerStep {
    std::string name;
    double before = 0;
    double after = 0;
    bool kept = false;
    std::string reason;  // where it is not kept: which condition failed, with its figures
};

// Signal-to-noise ratio of one layer's result, in dB, when all that goes into it is exact.
struct LayerDamage {
    std::string layer;
    double sqnr = 0;
    bool returned_to_float = false;
};

// A tensor that became integers, and how well they fit what was seen of it.
struct QuantizedTensor {
    std::string name;
    std::size_t scales = 1;  // one, or one a channel: then low and high are of the first, and what
                             // follows is not known
    float low = 0;           // the smallest and the largest value that the integers hold
    float high = 0;
    double saturated = 0;           // share of values beyond
    std::size_t unused_levels = 0;  // levels beyond the smallest and the largest value
    double channel_spread = 1;      // range of the greatest channel over that of the median one
    std::string remedy;             // empty where nothing is wrong
};

struct QuantizedModel {
    std::shared_ptr<Model> model;
    std::vector<QuantizerStep> steps;    // in the order they were tried
    std::vector<LayerDamage> ranking;    // with max_drop: the worst first
    double drop = 0;                     // with max_drop: of this model; of kSqnr the dB
    std::vector<QuantizedLayer> layers;  // in the order of execution
    std::vector<QuantizedTensor> tensors;
    std::vector<BatchNormDiagnosis> batch_norms;  // of the float model
    std::vector<std::string> remarks;             // one sentence each
    std::vector<std::string> kept;                // names of layers that the options keep in float
    std::size_t activations = 0;                  // FakeQuantize layers that were put in
};

class Quantizer {
public:
    // The model is copied. Throws Error for options that contradict each other or name layers that
    // are not there.
    explicit Quantizer(const std::shared_ptr<const Model>& model, QuantizerOptions options = {});
    ~Quantizer();
    Quantizer(Quantizer&&) noexcept;
    Quantizer& operator=(Quantizer&&) noexcept;

    // Runs inputs [profiled_inputs(), count) and adds them to the profile; memory does not grow
    // with the number of inputs, and the result does not depend on streams. Returns whether all
    // were run. Throws Error naming the layer and the input for values that are not finite; those of
    // masks before a SoftMax may be infinite.
    bool profile(std::size_t count,
                 const CalibrationInputs& inputs,
                 const CalibrationProgress& progress = {});
    std::size_t profiled_inputs() const;

    // profile.yaml. The file is replaced only when everything was written.
    void save_profile(const std::string& path) const;
    // Adds the profile of a file to what is there. Throws Error for the profile of another graph,
    // naming the first layer that differs, or of other histogram bins or lowering.
    void load_profile(const std::string& path);

    // Throws Error without a profile. From the profile alone:
    QuantizedModel quantize() const;
    // With the methods that need data, bias correction among them: each is kept where it helps on
    // inputs that were held back. The first 48 inputs learn and judge by turns. The same data gives
    // the same model.
    QuantizedModel quantize(std::size_t count, const CalibrationInputs& inputs) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Writes the IR, version 10 or 11.
void write_quantized(const QuantizedModel& model, const std::string& xml, int ir_version = 11);

}  // namespace fuseq
