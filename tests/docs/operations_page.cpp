// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "docs/operations_page.hpp"

#include <memory>
#include <sstream>
#include <vector>

#include "docs/device_support.hpp"
#include "ir/ir_operations.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::docs {
namespace {

constexpr const char* kHead = R"(# Operations

Made by `fuseq_docs` from the table of operations (`src/ops/op_files.inc`); do not edit. A test
fails when this page is out of date; make it anew with

    cmake --build --preset release --target fuseq_docs
    build/release/bin/fuseq_docs > docs/operations.md

Every operation here has shape inference, static and dynamic, and a reference kernel, so it runs on
both devices. On `CPU` the operations without a fast step of their own run that kernel inside the
plan; `explain` names them.

*opsets*: those in which a layer has this form. *inputs*: how many the IR may connect. *attributes*:
name, and the default where the attribute may be left out; **bold** ones must be there. What stands
under *refused* is an error that names the layer; an attribute that an operation does not know is a
warning, unless it is known to mean nothing (`src/ir/ir_legacy_attributes.cpp`).

*CPU*: what ran when the models of `tests/op_cases` were compiled, f32 and static shapes mostly; where
there are several, forms differ. *own kernel*: a step of this project; *oneDNN*: a primitive; *view*:
nothing runs, the memory is read under another shape, or shapes alone give the result; *folded*:
constant inputs give a constant; *reference kernel*: plain loops; *post-op*: joins the convolution,
deconvolution or matmul in front of it.

*int8*: what becomes of the scale (DQ) of a quantized input. *anchor*: integers go in, with quantized
weights, and one scale stands behind. *passes*: the operation runs on the integers and the DQ moves
behind it (`transformations/low_precision/laws` says when not). *behind an anchor*: computed in float
between an anchor and the next FakeQuantize, in one step with them. *stops*: the DQ is applied in
front of it.

)";

std::string inputs_text(const Arity& inputs) {
    if (inputs.min == inputs.max) {
        return std::to_string(inputs.min);
    }
    return std::to_string(inputs.min) + " to " +
           (inputs.max == Arity::kMany ? "many" : std::to_string(inputs.max));
}

// A cell of a table must not contain the column mark.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '|' ? std::string("\\|") : std::string(1, c);
    }
    return out;
}

std::string attributes_text(const OpSpec& spec) {
    const std::unique_ptr<Attributes> attributes = spec.make_attributes();
    std::string out;
    for (const NamedAttribute& attribute : list_attributes(*attributes)) {
        if (attribute.internal) {
            continue;
        }
        out += out.empty() ? "" : ", ";
        const bool nested = std::holds_alternative<std::shared_ptr<Model>*>(attribute.ref) ||
                            std::holds_alternative<Tensor*>(attribute.ref);
        if (attribute.required || nested) {
            out += "**" + attribute.name + "**";
            continue;
        }
        const std::string value = attribute_to_text(attribute.ref);
        out += attribute.name + "=" + (value.empty() ? "none" : "`" + value + "`");
    }
    return out;
}

// "1 to 6", "7", "8 on".
std::string opsets_text(const OpSpec& spec) {
    constexpr int kNewest = 15;
    IrLayer layer;
    layer.operation.type = std::string(spec.type);
    int last = spec.version;
    for (layer.operation.opset = last; layer.operation.opset <= kNewest; ++layer.operation.opset) {
        if (find_ir_op(layer) != &spec) {
            return last == spec.version ? std::to_string(last)
                                        : detail::cat(spec.version, " to ", last);
        }
        last = layer.operation.opset;
    }
    return detail::cat(spec.version, " on");
}

}  // namespace

std::string operations_page() {
    const DeviceSupports devices = device_supports();
    std::ostringstream page;
    page << kHead
         << "| operation | opsets | inputs | attributes | what it does | refused | CPU | int8 |\n"
         << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    std::size_t rows = 0;
    for (const OpSpec* spec : all_ops()) {
        if (spec->internal) {
            continue;
        }
        ++rows;
        const auto found = devices.find({std::string(spec->type), spec->version});
        const DeviceSupport device = found == devices.end() ? DeviceSupport() : found->second;
        page << "| " << spec->type << " | " << opsets_text(*spec) << " | "
             << inputs_text(spec->inputs) << " | " << cell(attributes_text(*spec)) << " | "
             << cell(spec->summary) << " | " << cell(spec->refused) << " | " << device.text()
             << " | " << (found == devices.end() ? "" : int8_behaviour(*spec, device)) << " |\n";
    }
    page << "\n" << rows << " rows.\n";
    return page.str();
}

}  // namespace fuseq::docs
