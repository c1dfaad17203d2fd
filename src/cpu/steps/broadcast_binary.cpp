// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/broadcast_binary.hpp"

#include <algorithm>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kElementsPerPiece = 1 << 13;

// Element strides of a tensor by dimensions of dst: 0 where it is broadcast.
std::vector<std::ptrdiff_t> strides_of(const PlanTensor& tensor, std::size_t dst_rank) {
    const Shape dims = tensor.dims();
    std::vector<std::size_t> order;  // memory order, outermost first
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (tensor.layout == Layout::kPlain || d != 1) {
            order.push_back(d);
        }
    }
    if (tensor.layout == Layout::kChannelsLast) {
        order.push_back(1);
    }
    std::vector<std::ptrdiff_t> strides(dst_rank, 0);
    std::ptrdiff_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::size_t d = order[i];
        strides[d + dst_rank - dims.size()] = dims[d] == 1 ? 0 : stride;
        stride *= static_cast<std::ptrdiff_t>(dims[d]);
    }
    return strides;
}

// One run along the innermost loop. Strides 0 and 1 get loops that the compiler turns into vectors.
template <class Function>
void run_row(const float* a, const float* b, float* dst, const BinaryLoop& loop, Function f) {
    const auto [sa, sb] = loop.strides;
    const std::size_t n = loop.size;
    if (sa == 1 && sb == 1) {
        for (std::size_t i = 0; i < n; ++i) {
            dst[i] = f(a[i], b[i]);
        }
    } else if (sa == 1 && sb == 0) {
        const float y = *b;
        for (std::size_t i = 0; i < n; ++i) {
            dst[i] = f(a[i], y);
        }
    } else if (sa == 0 && sb == 1) {
        const float x = *a;
        for (std::size_t i = 0; i < n; ++i) {
            dst[i] = f(x, b[i]);
        }
    } else {
        for (std::size_t i = 0; i < n; ++i, a += sa, b += sb) {
            dst[i] = f(*a, *b);
        }
    }
}

// Operands and result of one run; dst is dense.
struct Operands {
    const float* a;
    const float* b;
    float* dst;
};

// Rows [begin, end) of dst, counted over all loops but the innermost.
template <class Function>
void combine_rows(const std::vector<BinaryLoop>& loops,
                  const Operands& operands,
                  std::size_t begin,
                  std::size_t end,
                  Function f) {
    const BinaryLoop& inner = loops.back();
    for (std::size_t row = begin; row < end; ++row) {
        std::ptrdiff_t a = 0;
        std::ptrdiff_t b = 0;
        std::size_t left = row;
        for (std::size_t l = loops.size() - 1; l-- > 0;) {
            const auto at = static_cast<std::ptrdiff_t>(left % loops[l].size);
            left /= loops[l].size;
            a += at * loops[l].strides[0];
            b += at * loops[l].strides[1];
        }
        run_row(operands.a + a, operands.b + b, operands.dst + row * inner.size, inner, f);
    }
}

// Calls run(function of two floats).
template <class Run>
void with_function(BinaryFunction function, const Run& run) {
    switch (function) {
        case BinaryFunction::kAdd: return run([](float x, float y) { return x + y; });
        case BinaryFunction::kSubtract: return run([](float x, float y) { return x - y; });
        case BinaryFunction::kMultiply: return run([](float x, float y) { return x * y; });
        case BinaryFunction::kDivide: return run([](float x, float y) { return x / y; });
        case BinaryFunction::kMaximum: return run([](float x, float y) { return std::max(x, y); });
        case BinaryFunction::kMinimum: return run([](float x, float y) { return std::min(x, y); });
        case BinaryFunction::kSquaredDifference:
            return run([](float x, float y) { return (x - y) * (x - y); });
    }
}

class BroadcastBinaryRunner final : public Runner {
public:
    BroadcastBinaryRunner(BinaryFunction function,
                          const std::vector<BinaryLoop>& loops,
                          const Step& step,
                          RequestMemory& memory)
        : function_(function), loops_(loops), step_(step), memory_(memory) {}

    void run() override {
        const Operands operands{static_cast<const float*>(memory_.data(step_.inputs()[0])),
                                static_cast<const float*>(memory_.data(step_.inputs()[1])),
                                static_cast<float*>(memory_.data(step_.outputs()[0]))};
        std::size_t rows = 1;
        for (std::size_t l = 0; l + 1 < loops_.size(); ++l) {
            rows *= loops_[l].size;
        }
        with_function(function_, [&](auto f) {
            if (rows == 1) {
                run_one_row(operands, f);
                return;
            }
            parallel_for(rows, 1 + kElementsPerPiece / loops_.back().size,
                         [&](std::size_t begin, std::size_t end) {
                             combine_rows(loops_, operands, begin, end, f);
                         });
        });
    }

private:
    template <class Function>
    void run_one_row(const Operands& all, Function f) const {
        const BinaryLoop& loop = loops_.back();
        parallel_for(loop.size, kElementsPerPiece, [&](std::size_t begin, std::size_t end) {
            const auto at = static_cast<std::ptrdiff_t>(begin);
            run_row(all.a + at * loop.strides[0], all.b + at * loop.strides[1], all.dst + at,
                    {end - begin, loop.strides}, f);
        });
    }

    BinaryFunction function_;
    const std::vector<BinaryLoop>& loops_;
    const Step& step_;
    RequestMemory& memory_;
};

}  // namespace

std::vector<BinaryLoop> binary_loops(const PlanTensor& a,
                                     const PlanTensor& b,
                                     const PlanTensor& dst) {
    const Shape dims = dst.dims();
    const auto a_strides = strides_of(a, dims.size());
    const auto b_strides = strides_of(b, dims.size());
    std::vector<BinaryLoop> loops;
    const auto add = [&](std::size_t d) {
        if (dims[d] == 1) {
            return;
        }
        const BinaryLoop loop{dims[d], {a_strides[d], b_strides[d]}};
        const auto size = static_cast<std::ptrdiff_t>(loop.size);
        // Together with the loop around it where both step on as one.
        if (!loops.empty() && loops.back().strides[0] == loop.strides[0] * size &&
            loops.back().strides[1] == loop.strides[1] * size) {
            loops.back() = {loops.back().size * loop.size, loop.strides};
        } else {
            loops.push_back(loop);
        }
    };
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (dst.layout == Layout::kPlain || d != 1) {
            add(d);
        }
    }
    if (dst.layout == Layout::kChannelsLast) {
        add(1);
    }
    if (loops.empty()) {
        loops.push_back({});
    }
    return loops;
}

BroadcastBinaryStep::BroadcastBinaryStep(BinaryFunction function,
                                         const PlanTensor& a,
                                         const PlanTensor& b,
                                         const PlanTensor& dst,
                                         const std::array<TensorId, 3>& ids)
    : function_(function), loops_(binary_loops(a, b, dst)) {
    inputs_ = {ids[0], ids[1]};
    outputs_ = {ids[2]};
    info_.kind = "binary";
    info_.implementation = "fuseq:binary";
    info_.src_type = to_string(a.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(dst.layout);
    info_.bytes = static_cast<std::int64_t>(a.bytes() + b.bytes() + dst.bytes());
}

std::unique_ptr<Runner> BroadcastBinaryStep::bind(RequestMemory& memory) const {
    return std::make_unique<BroadcastBinaryRunner>(function_, loops_, *this, memory);
}

}  // namespace fuseq::cpu
