// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/post_ops/random_chain.hpp"

#include <cmath>

namespace fuseq::post_ops::testing {
namespace {

class Maker {
public:
    Maker(std::mt19937& rng, const RandomOptions& options) : rng_(rng), options_(options) {}

    double unit() { return std::uniform_real_distribution<double>(0.0, 1.0)(rng_); }
    std::size_t pick(std::size_t n) { return rng_() % n; }

    float value(double low, double high) { return static_cast<float>(low + unit() * (high - low)); }
    float scale_value() {
        switch (pick(12)) {
            case 0: return 1.0f;
            case 1: return -value(0.3, 2.0);
            case 2: return 0.0f;
            default: return value(0.3, 2.0);
        }
    }
    float shift_value() { return pick(2) == 0 ? static_cast<float>(pick(9)) - 4.0f : value(-9, 9); }

    template <class F>
    Values values(F&& one) {
        if (pick(2) == 0) {
            return one();
        }
        std::vector<float> list(options_.channels);
        for (float& v : list) {
            v = one();
        }
        return {std::move(list)};
    }

    Clip clip() {
        const float low = pick(3) == 0 ? 0.0f : value(-60, 10);
        const float high = low + value(5, 120);
        if (pick(4) != 0) {
            return {low, high};
        }
        return {values([&] { return low + value(0, 3); }),
                values([&] { return high + value(4, 9); })};
    }

    Eltwise eltwise() {
        static constexpr EltwiseKind kKinds[] = {
            EltwiseKind::kRelu,    EltwiseKind::kRelu,     EltwiseKind::kRelu,
            EltwiseKind::kAbs,     EltwiseKind::kHsigmoid, EltwiseKind::kHswish,
            EltwiseKind::kTanh,    EltwiseKind::kElu,      EltwiseKind::kSigmoid,
            EltwiseKind::kSwish,   EltwiseKind::kMish,     EltwiseKind::kSoftplus,
            EltwiseKind::kGeluErf, EltwiseKind::kGeluTanh};
        Eltwise op;
        op.kind = kKinds[pick(options_.activations ? std::size(kKinds) : 6)];
        if (op.kind == EltwiseKind::kRelu) {
            op.alpha = pick(3) == 0 ? value(0.01, 0.3) : 0.0f;
        } else if (op.kind == EltwiseKind::kElu || op.kind == EltwiseKind::kSwish) {
            op.alpha = value(0.5, 1.5);
        }
        const bool bounded = op.kind == EltwiseKind::kTanh || op.kind == EltwiseKind::kSigmoid ||
                             op.kind == EltwiseKind::kHsigmoid;
        op.scale = bounded ? value(20, 90) : (pick(4) == 0 ? scale_value() : 1.0f);
        return op;
    }

    Binary binary() {
        Binary op;
        op.kind = static_cast<BinaryKind>(pick(8) < 5 ? 0 : pick(4));
        op.input = pick(options_.source_types.size());
        op.type = options_.source_types[op.input];
        op.scale = op.kind == BinaryKind::kMul ? value(0.002, 0.01) : value(0.1, 0.6);
        op.zero_point = pick(3) == 0 ? static_cast<float>(pick(30)) : 0.0f;
        return op;
    }

    // A quantizer and, unless it is the last, its dequantizer.
    void quantize(std::vector<BasicOp>& ops, ElementType type, bool last) {
        ops.emplace_back(Scale{values([&] { return value(0.3, 2.0); })});
        ops.emplace_back(Shift{values([&] { return pick(2) == 0 ? 128.0f : value(-20, 140); })});
        ops.emplace_back(Round{});
        ops.emplace_back(Clip{0.0f, pick(4) == 0 ? 15.0f : 255.0f});
        if (last) {
            ops.emplace_back(Scale{1.0f});
            ops.emplace_back(Shift{type == ElementType::i8 ? -128.0f : 0.0f});
        } else {
            ops.emplace_back(Scale{values([&] { return value(0.3, 1.0); })});
            ops.emplace_back(Shift{values([&] { return value(-90, 10); })});
        }
    }

private:
    std::mt19937& rng_;
    const RandomOptions& options_;
};

}  // namespace

Chain random_chain(std::mt19937& rng, const RandomOptions& options) {
    static constexpr ElementType kDst[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    Maker make(rng, options);
    Chain chain;
    chain.dst_type = kDst[make.pick(3)];
    const std::size_t count = 1 + make.pick(options.max_ops);
    while (chain.ops.size() < count) {
        switch (make.pick(12)) {
            case 0:
            case 1:
            case 2:
                chain.ops.emplace_back(Scale{make.values([&] { return make.scale_value(); })});
                break;
            case 3:
            case 4:
            case 5:
                chain.ops.emplace_back(Shift{make.values([&] { return make.shift_value(); })});
                break;
            case 6: chain.ops.emplace_back(make.clip()); break;
            case 7: make.quantize(chain.ops, chain.dst_type, false); break;
            case 8:
                if (!options.source_types.empty()) {
                    chain.ops.emplace_back(make.binary());
                }
                break;
            case 9:
                if (options.prelu) {
                    chain.ops.emplace_back(
                        Prelu{make.values([&] { return make.value(0.01, 0.5); })});
                }
                break;
            default: chain.ops.emplace_back(make.eltwise()); break;
        }
    }
    if (!is_real(chain.dst_type) && make.pick(4) != 0) {
        make.quantize(chain.ops, chain.dst_type, true);
    }
    return chain;
}

std::vector<double> random_binary_sources(std::mt19937& rng,
                                          const std::vector<ElementType>& types) {
    std::vector<double> out;
    for (const ElementType type : types) {
        const double raw = std::uniform_real_distribution<double>(-100.0, 100.0)(rng);
        switch (type) {
            case ElementType::u8: out.push_back(static_cast<double>(rng() % 256)); break;
            case ElementType::i8: out.push_back(static_cast<double>(rng() % 256) - 128.0); break;
            default: out.push_back(static_cast<float>(raw));
        }
    }
    return out;
}

bool near_a_jump(const Chain& chain,
                 double x,
                 std::size_t channel,
                 const std::vector<double>& binary_sources,
                 double slack) {
    constexpr double kUlp = 2e-7;
    const auto near_a_tie = [&](double value, double error) {
        return std::abs(value - std::floor(value) - 0.5) < 1e-5 * slack + 4.0 * error;
    };
    double error = std::abs(x) * kUlp * slack;
    double magnitude = std::abs(x);
    double value = x;
    for (const BasicOp& op : chain.ops) {
        const double after = evaluate_ops({op}, value, channel, binary_sources);
        if (std::holds_alternative<Round>(op)) {
            if (near_a_tie(value, error)) {
                return true;
            }
            error = 0.0;
        } else {
            const double up = evaluate_ops({op}, value + error, channel, binary_sources);
            const double down = evaluate_ops({op}, value - error, channel, binary_sources);
            error = std::max(std::abs(up - after), std::abs(down - after));
        }
        value = after;
        // What was added and taken away again has left its rounding error.
        magnitude = std::max(magnitude, std::abs(value));
        error += kUlp * slack * std::max(std::abs(value), 0.05 * magnitude);
    }
    return !is_real(chain.dst_type) && near_a_tie(value, error);
}

}  // namespace fuseq::post_ops::testing
