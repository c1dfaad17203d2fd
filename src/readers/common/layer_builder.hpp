// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The layers that one node of a file becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"
#include "readers/common/file_error.hpp"
#include "readers/common/model_attributes.hpp"

namespace fuseq::readers {

// Where layers go.
class LayerSink {
public:
    virtual ~LayerSink() = default;
    virtual Model& model() = 0;
    // A layer name that nobody has yet: this one, or with a number.
    virtual std::string unique_name(const std::string& base) = 0;
};

class LayerBuilder {
public:
    // `name`: of the node; layers are called <name>/<operation>.
    LayerBuilder(LayerSink& sink, std::string name, Place place)
        : sink_(sink), name_(std::move(name)), place_(std::move(place)) {}

    const Place& place() const { return place_; }

    // --- what is known ----------------------------------------------------------------------
    // Throws Error where the rank is not known.
    std::size_t rank(const Output& value, const char* what = "the input") const;
    // [-rank, rank) as [0, rank); throws Error outside.
    std::size_t axis(std::int64_t axis, std::size_t rank) const;
    // Values that follow from constants.
    std::optional<Tensor> value(const Output& output) const;
    std::optional<std::vector<std::int64_t>> known_ints(const Output& output) const;
    std::vector<std::int64_t> ints(const Output& output, const char* what) const;
    double real(const Output& output, const char* what) const;

    // --- layers -----------------------------------------------------------------------------
    // An operation of the newest opset that Fuseq knows, or of `opset`.
    static constexpr int kNewest = 16;
    fuseq::Node* node(std::string_view type,
                      std::vector<Output> inputs,
                      const ModelAttributes& values = {},
                      int opset = kNewest);
    // For operations with bodies.
    fuseq::Node* node(std::string_view type,
                      std::vector<Output> inputs,
                      std::unique_ptr<Attributes> values);
    Output add(std::string_view type,
               std::vector<Output> inputs,
               const ModelAttributes& values = {}) {
        return node(type, std::move(inputs), values)->output();
    }
    Output constant(Tensor value);
    Output int_list(const std::vector<std::int64_t>& values);
    Output int_scalar(std::int64_t value);
    // One value of the type of `like`.
    Output scalar(double value, const Output& like) { return scalar(value, like.type()); }
    Output scalar(double value, ElementType type);
    // Nothing is added where the type is that already. Constants are converted, and reshaped, at
    // once.
    Output convert(const Output& value, ElementType type);
    Output reshape(const Output& value, const std::vector<std::int64_t>& sizes);
    Output unsqueeze(const Output& value, const std::vector<std::int64_t>& axes);
    Output squeeze(const Output& value, const std::vector<std::int64_t>& axes);
    Output transpose(const Output& value, const std::vector<std::int64_t>& order);
    Output shape_of(const Output& value) { return add("ShapeOf", {value}); }
    // The size of an axis, a number.
    Output size_of(const Output& value, std::int64_t axis);
    // [0, rank) as a list, constant where the rank is known.
    Output all_axes(const Output& value);
    // Layers made so far.
    const std::vector<fuseq::Node*>& made() const { return made_; }

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        place_.fail(args...);
    }
    template <class... Args>
    void require(bool condition, const Args&... args) const {
        place_.require(condition, args...);
    }

private:
    fuseq::Node* remember(fuseq::Node* made);

    LayerSink& sink_;
    std::string name_;
    Place place_;
    std::vector<fuseq::Node*> made_;
};

}  // namespace fuseq::readers
