// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ScaledDotProductAttention-13: softmax(query * key^T * scale + mask) * value.
// Batch dimensions and the mask broadcast by numpy rules. (One example of the specification repeats
// a dimension of 2 three times; OpenVINO's shape inference refuses that, and so does this.)
// A boolean mask is -infinity where it is false, as the formula of the specification has it: a row
// that sees no key is NaN. OpenVINO's reference kernel adds the lowest finite number instead and
// gives the mean of all values there.
#include "ops/attention/scaled_dot_product_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/typed.hpp"
#include "ops/axis_groups.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"

namespace fuseq::scaled_dot_product_attention_ops {
namespace {

constexpr std::size_t kMask = 3;
constexpr std::size_t kScale = 4;
constexpr const char* kNames[] = {"query", "key", "value"};

template <class Context>
bool has_mask(const Context& context) {
    return context.has_input(kMask) && !context.template attrs<AttentionAttrs>().causal;
}

// The same for shapes that are known when the model is read and for those of tensors.
template <class Context>
void check_matrix(const Context& context, std::size_t i, const PartialShape& shape) {
    context.require(!shape.rank_is_static() || shape.rank() >= 2, kNames[i], " has shape ",
                    to_string(shape), ", expected rank 2 or more");
}
template <class Context>
void check_mask(const Context& context, const PartialShape& shape) {
    context.require(!shape.rank_is_static() || shape.rank() != 1, "attention_mask has shape ",
                    to_string(shape), ", expected a scalar, or rank 2 or more");
}
template <class Context>
void check_widths(const Context& context, const PartialShape& query, const PartialShape& key) {
    const Dimension& a = query[query.rank() - 1];
    const Dimension& b = key[key.rank() - 1];
    context.require(a.compatible(b), "query has rows of ", to_string(a), ", key of ", to_string(b));
}
template <class Context>
void check_keys(const Context& context, const PartialShape& scores, const PartialShape& value) {
    const Dimension& a = scores[scores.rank() - 1];
    const Dimension& b = value[value.rank() - 2];
    context.require(a.compatible(b), "there are scores of ", to_string(a), " keys, but ",
                    to_string(b), " values");
}

PartialShape batch_of(const PartialShape& shape) {
    return PartialShape(std::vector<Dimension>(shape.begin(), shape.end() - 2));
}
Shape batch_of(const Shape& shape) {
    return Shape(shape.begin(), shape.end() - 2);
}

void check_types(const InferContext& context) {
    require_real(context, 0, "query");
    context.require_same_type(1, 0);
    context.require_same_type(2, 0);
    if (has_mask(context)) {
        const ElementType type = context.type(kMask);
        context.require(type == ElementType::boolean || type == context.type(0),
                        "attention_mask is ", to_string(type), ", expected boolean or ",
                        to_string(context.type(0)));
        check_mask(context, context.shape(kMask));
    }
    require_real_scalar(context, kScale, "scale");
}

void infer(InferContext& context) {
    check_types(context);
    const PartialShape& query = context.shape(0);
    const PartialShape& key = context.shape(1);
    const PartialShape& value = context.shape(2);
    for (std::size_t i = 0; i < 3; ++i) {
        check_matrix(context, i, context.shape(i));
    }
    PartialShape dst = PartialShape::dynamic();
    if (query.rank_is_static() && key.rank_is_static()) {
        check_widths(context, query, key);
        std::vector<Dimension> dims =
            broadcast_shapes(context, batch_of(query), batch_of(key)).dims();
        dims.push_back(query[query.rank() - 2]);
        dims.push_back(key[key.rank() - 2]);
        dst = PartialShape(dims);
    }
    if (has_mask(context)) {
        dst = broadcast_shapes(context, dst, context.shape(kMask));
    }
    if (!dst.rank_is_static() || !value.rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    check_keys(context, dst, value);
    std::vector<Dimension> dims = broadcast_shapes(context, batch_of(dst), batch_of(value)).dims();
    dims.push_back(dst[dst.rank() - 2]);
    dims.push_back(value[value.rank() - 1]);
    context.set_output(0, context.type(0), PartialShape(dims));
}

// Shapes at run time. A matrix has a row for every score, or one row for all of them.
struct Sizes {
    Shape scores;  // [batch..., L, S], the mask included
    Shape batch;   // of the result
    std::size_t width = 0;
    std::size_t value_width = 0;
    std::size_t query_rows = 0;
    std::size_t key_rows = 0;

    std::size_t rows() const { return scores[scores.size() - 2]; }
    std::size_t keys() const { return scores.back(); }
};

Sizes sizes_of(const EvalContext& context) {
    const Shape& query = context.input(0).get_shape();
    const Shape& key = context.input(1).get_shape();
    const Shape& value = context.input(2).get_shape();
    for (std::size_t i = 0; i < 3; ++i) {
        check_matrix(context, i, context.input(i).get_shape());
    }
    check_widths(context, query, key);
    Sizes sizes;
    sizes.width = query.back();
    sizes.value_width = value.back();
    sizes.query_rows = query[query.size() - 2];
    sizes.key_rows = key[key.size() - 2];
    sizes.scores = broadcast_shapes(batch_of(query), batch_of(key));
    sizes.scores.push_back(sizes.query_rows);
    sizes.scores.push_back(sizes.key_rows);
    if (has_mask(context)) {
        check_mask(context, context.input(kMask).get_shape());
        sizes.scores = broadcast_shapes(sizes.scores, context.input(kMask).get_shape());
    }
    check_keys(context, sizes.scores, value);
    sizes.batch = broadcast_shapes(batch_of(sizes.scores), batch_of(value));
    return sizes;
}

// What is added to the scores.
class Mask {
public:
    Mask(const EvalContext& context, const Sizes& sizes)
        : causal_(context.attrs<AttentionAttrs>().causal),
          tensor_(has_mask(context) ? context.input(kMask) : Tensor()) {
        Shape shape = sizes.batch;
        shape.push_back(sizes.rows());
        shape.push_back(sizes.keys());
        strides_ = tensor_ ? broadcast_strides(tensor_.get_shape(), shape)
                           : std::vector<std::size_t>(shape.size(), 0);
        key_stride_ = strides_.back();
        row_stride_ = strides_[strides_.size() - 2];
        strides_.resize(sizes.batch.size());
    }

    const std::vector<std::size_t>& batch_strides() const { return strides_; }

    template <class T>
    double at(std::size_t batch, std::size_t row, std::size_t key) const {
        constexpr double kHidden = -std::numeric_limits<double>::infinity();
        if (causal_) {
            return key > row ? kHidden : 0;
        }
        if (!tensor_) {
            return 0;
        }
        const std::size_t i = batch + row * row_stride_ + key * key_stride_;
        if (tensor_.get_element_type() == ElementType::boolean) {
            return tensor_.data<bool>()[i] ? 0 : kHidden;
        }
        return static_cast<double>(tensor_.data<T>()[i]);
    }

private:
    bool causal_;
    Tensor tensor_;
    std::vector<std::size_t> strides_;
    std::size_t row_stride_ = 0;
    std::size_t key_stride_ = 0;
};

template <class T>
double dot(const T* a, const T* b, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

void softmax(std::vector<double>& values) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double value : values) {
        largest = std::max(largest, value);
    }
    double sum = 0;
    for (double& value : values) {
        value = std::exp(value - largest);
        sum += value;
    }
    for (double& value : values) {
        value /= sum;
    }
}

// Where the matrices of one batch begin, and its mask.
template <class T>
struct Matrices {
    const T* query;
    const T* key;
    const T* value;
    std::size_t mask;
    T* dst;
};

// dst = softmax(scores + scale * query * key^T) * value for one query.
template <class T>
void attend(const Sizes& sizes,
            const T* query,
            const Matrices<T>& m,
            double scale,
            std::vector<double>& scores,
            T* dst) {
    const std::size_t key_step = sizes.key_rows == 1 ? 0 : sizes.width;
    for (std::size_t s = 0; s < scores.size(); ++s) {
        scores[s] += scale * dot(query, m.key + s * key_step, sizes.width);
    }
    softmax(scores);
    for (std::size_t e = 0; e < sizes.value_width; ++e) {
        double sum = 0;
        for (std::size_t s = 0; s < scores.size(); ++s) {
            sum += scores[s] * static_cast<double>(m.value[s * sizes.value_width + e]);
        }
        dst[e] = static_cast<T>(sum);
    }
}

template <class T>
void attend_batch(const Sizes& sizes, const Mask& mask, const Matrices<T>& m, double scale) {
    const std::size_t query_step = sizes.query_rows == 1 ? 0 : sizes.width;
    std::vector<double> scores(sizes.keys());
    for (std::size_t row = 0; row < sizes.rows(); ++row) {
        for (std::size_t s = 0; s < scores.size(); ++s) {
            scores[s] = mask.at<T>(m.mask, row, s);
        }
        attend(sizes, m.query + row * query_step, m, scale, scores,
               m.dst + row * sizes.value_width);
    }
}

template <class T>
void run(const EvalContext& context, const Sizes& sizes, Tensor& out) {
    const Tensor& query = context.input(0);
    const Tensor& key = context.input(1);
    const Tensor& value = context.input(2);
    const double scale =
        scalar_input(context, kScale, "scale", 1 / std::sqrt(static_cast<double>(sizes.width)));
    const Mask mask(context, sizes);
    const auto strides = [&](const Tensor& tensor) {
        return broadcast_strides(batch_of(tensor.get_shape()), sizes.batch);
    };
    for (StridedLoop loop(sizes.batch,
                          {strides(query), strides(key), strides(value), mask.batch_strides()});
         !loop.done(); loop.next()) {
        const Matrices<T> m{query.data<T>() + loop.offset(0) * sizes.query_rows * sizes.width,
                            key.data<T>() + loop.offset(1) * sizes.key_rows * sizes.width,
                            value.data<T>() + loop.offset(2) * sizes.keys() * sizes.value_width,
                            loop.offset(3),
                            out.data<T>() + loop.position() * sizes.rows() * sizes.value_width};
        attend_batch(sizes, mask, m, scale);
    }
}

void evaluate(EvalContext& context) {
    const Sizes sizes = sizes_of(context);
    Shape shape = sizes.batch;
    shape.push_back(sizes.rows());
    shape.push_back(sizes.value_width);
    Tensor& out = context.output(0, shape);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context, sizes, out); });
}

const OpSpec kOps[] = {
    {.type = "ScaledDotProductAttention",
     .version = 13,
     .inputs = {3, 5},
     .make_attributes = make_attributes<AttentionAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "softmax(query * key^T * scale + mask) * value",
     .refused = "a mask of rank 1; batch dimensions that numpy does not broadcast"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::scaled_dot_product_attention_ops
