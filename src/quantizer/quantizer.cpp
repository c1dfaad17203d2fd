// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "fuseq/core.hpp"
#include "fuseq/error.hpp"
#include "ir/ir.hpp"
#include "quantizer/accuracy_bound.hpp"
#include "quantizer/conversion.hpp"
#include "quantizer/data_shapes.hpp"
#include "quantizer/improvement.hpp"
#include "quantizer/layer_selection.hpp"
#include "quantizer/lowering.hpp"
#include "quantizer/output_names.hpp"
#include "quantizer/profiler.hpp"
#include "quantizer/text_file.hpp"

namespace fuseq {
namespace {

using quantizer::Profile;

constexpr std::size_t kMinBins = 16;
constexpr std::size_t kMaxBins = std::size_t{1} << 20U;
constexpr std::size_t kMaxStreams = 4096;

[[noreturn]] void fail(std::string rule) {
    throw Error("quantize", std::move(rule));
}

void check(const std::optional<DropBound>& bound) {
    if (!bound) {
        return;
    }
    const bool share = bound->metric != DropMetric::kSqnr && bound->metric != DropMetric::kOwn;
    if (!std::isfinite(bound->value) || (share && bound->value < 0)) {
        fail(fmt::format("-max_drop {} is {:g}, expected {}", to_string(bound->metric),
                         bound->value, share ? "a share from 0" : "a number"));
    }
}

void check(const QuantizerOptions& options) {
    if (options.histogram_bins < kMinBins || options.histogram_bins > kMaxBins) {
        fail(fmt::format("-num_histogram_bins is {}, at least {} and at most {} are possible",
                         options.histogram_bins, kMinBins, kMaxBins));
    }
    if (options.streams > kMaxStreams) {
        fail(fmt::format("-nstreams is {}, at most {} are possible", options.streams, kMaxStreams));
    }
    if (options.precision == QuantizationPrecision::kInt32 ||
        options.weights_precision == QuantizationPrecision::kInt32) {
        fail("Int32 is a precision of biases only");
    }
    if (!(options.percentile > 50 && options.percentile <= 100)) {
        fail(fmt::format("-percentile is {:g}, expected (50, 100]", options.percentile));
    }
    const bool by_histogram = options.calibration == Calibration::kKl &&
                              options.precision == QuantizationPrecision::kInt8;
    if (by_histogram && options.histogram_bins <= 255) {
        fail(fmt::format("KL calibration needs more than 255 histogram bins, not {}",
                         options.histogram_bins));
    }
    if (options.weights_calibration != Calibration::kNone &&
        options.weights_calibration != Calibration::kMse) {
        fail("weights are calibrated by none or MSE");
    }
    if (!(options.headroom >= 0 && options.headroom <= 10)) {
        fail(fmt::format("-headroom is {:g}, expected [0, 10]", options.headroom));
    }
    if (options.weights_of_7_bits && options.weights_precision != QuantizationPrecision::kInt8) {
        fail("weights of 7 bits are Int8");
    }
    if (options.weights_by_fake_quantize &&
        options.weights_precision != QuantizationPrecision::kInt8) {
        fail(
            "weights with -weights_by_fake_quantize are of 8 bits, but "
            "-quantization_precision_weights is not "
            "Int8");
    }
    if (!options.rowwise && (options.rows_of_4_bits || options.f16_row_scales)) {
        fail("-rows_of_4_bits and -f16_row_scales are about the tables of -enable_rowwise");
    }
    check(options.max_drop);
    quantizer::check_kinds(options.do_not_lower, "-do_not_lower_nodes_for_profiling");
}

void check(const Model& model) {
    const std::vector<Node*> quantized = model.find_all("FakeQuantize");
    if (!quantized.empty()) {
        fail(fmt::format(
            "the model is quantized already: it has {} FakeQuantize layers, the first is '{}'",
            quantized.size(), quantized[0]->name()));
    }
}

std::vector<std::string> sorted(std::vector<std::string> list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

}  // namespace

struct Quantizer::Impl {
    Impl(const std::shared_ptr<const Model>& given, QuantizerOptions wanted)
        : options(std::move(wanted)) {
        check(options);
        check(*given);
        original = given->clone();
        lowered = quantizer::lower(*original, options.do_not_lower);
        kept =
            quantizer::select_layers(*original, *lowered, options.keep_original_precision, remarks);
        profile.tool_version = get_version().build_number;
        profile.graph = quantizer::hash_graph(*original);
        profile.not_lowered = sorted(options.do_not_lower);
        profile.histogram_bins = options.histogram_bins;
    }

    void require_profile() const {
        if (profile.inputs == 0) {
            fail("there is no profile: run calibration inputs or load a profile first");
        }
    }
    quantizer::Conversion conversion() const {
        quantizer::Conversion conversion{lowered, kept, profile, options, {}, {}};
        auto& bound = conversion.options.max_drop;
        if (bound && bound->own) {
            bound->own = [own = bound->own, this](const std::shared_ptr<const Model>& measured) {
                const std::shared_ptr<Model> model = measured->clone();
                quantizer::keep_output_names(*original, *model);
                return own(model);
            };
        }
        return conversion;
    }
    QuantizedModel convert(const quantizer::Conversion& conversion) const {
        QuantizedModel result = quantizer::convert(conversion);
        quantizer::keep_output_names(*original, *result.model);
        result.batch_norms = diagnose_batch_norms(*original);
        result.remarks.insert(result.remarks.begin(), remarks.begin(), remarks.end());
        return result;
    }

    QuantizerOptions options;
    std::shared_ptr<Model> original;
    std::shared_ptr<Model> lowered;
    std::set<const Node*> kept;        // of `lowered`
    std::vector<std::string> remarks;  // about the options
    std::unique_ptr<quantizer::Profiler> profiler;
    Profile profile;
};

Quantizer::Quantizer(const std::shared_ptr<const Model>& model, QuantizerOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options))) {}
Quantizer::~Quantizer() = default;
Quantizer::Quantizer(Quantizer&&) noexcept = default;
Quantizer& Quantizer::operator=(Quantizer&&) noexcept = default;

bool Quantizer::profile(std::size_t count,
                        const CalibrationInputs& inputs,
                        const CalibrationProgress& progress) {
    if (count == 0) {
        fail("there is no calibration data");
    }
    if (!impl_->profiler) {
        impl_->profiler = std::make_unique<quantizer::Profiler>(
            *impl_->lowered, impl_->options.device, impl_->options.streams);
    }
    return impl_->profiler->run(impl_->profile, count, inputs, progress);
}

std::size_t Quantizer::profiled_inputs() const {
    return impl_->profile.inputs;
}

void Quantizer::save_profile(const std::string& path) const {
    quantizer::write_text_file(path, quantizer::to_yaml(impl_->profile));
}

void Quantizer::load_profile(const std::string& path) {
    const Profile other = quantizer::from_yaml(quantizer::read_text_file(path), path);
    impl_->profile.require_same_graph(other, fmt::format("profile '{}'", path));
    impl_->profile.merge(other);
}

QuantizedModel Quantizer::quantize() const {
    impl_->require_profile();
    if (impl_->options.calibration == Calibration::kBest) {
        fail("calibration 'best' is judged on data: none was given");
    }
    if (impl_->options.max_drop) {
        fail("-max_drop is measured on data: none was given");
    }
    quantizer::Conversion conversion = impl_->conversion();
    conversion.options.integers_for_time = false;  // nothing says what it costs
    return impl_->convert(conversion);
}

QuantizedModel Quantizer::quantize(std::size_t count, const CalibrationInputs& inputs) const {
    impl_->require_profile();
    quantizer::Conversion start = impl_->conversion().copy();
    const quantizer::DataShapes shapes(*start.lowered, count, inputs);
    quantizer::Improved improved = quantizer::improve(start, count, inputs);
    quantizer::Bounded bounded{std::move(improved.conversion), {}, 0};
    if (impl_->options.max_drop) {
        bounded = quantizer::hold_bound(bounded.conversion, improved.judges, inputs);
    }
    QuantizedModel result = impl_->convert(bounded.conversion);
    result.ranking = std::move(bounded.ranking);
    const auto& bound = impl_->options.max_drop;
    result.drop = bound && bound->metric == DropMetric::kSqnr ? -bounded.drop : bounded.drop;
    result.steps = std::move(improved.steps);
    result.remarks.insert(result.remarks.begin(), improved.remarks.begin(), improved.remarks.end());
    shapes.give_back(*result.model);
    return result;
}

void write_quantized(const QuantizedModel& model, const std::string& xml, int ir_version) {
    write_ir(*model.model, xml, {}, IrWriteOptions{ir_version});
}

}  // namespace fuseq
