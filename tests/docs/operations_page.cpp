// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "docs/operations_page.hpp"

#include <memory>
#include <sstream>
#include <vector>

#include "docs/device_support.hpp"
#include "ops/op_spec.hpp"
#include "ops/opsets.hpp"
#include "ops/refused/refused.hpp"

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

*opsets*: those that contain this form ([all of them](#operation-sets)); *fuseq*: an operation of Fuseq's
own, on quantized tensors ([prequantized](prequantized.md)), whose layers have `version="fuseq"`. *inputs*: how many the IR may connect. *attributes*:
name, and the default where the attribute may be left out; **bold** ones must be there. What stands
under *refused* is an error that names the layer; so are attributes that an operation does not know, all of a file in
one, unless they are known to mean nothing (`src/ir/ir_legacy_attributes.cpp`).

*CPU*: what ran when the models of `tests/op_cases` were compiled, f32 and static shapes mostly; where
there are several, forms differ. *own kernel*: a step of this project; *oneDNN*: a primitive; *view*:
nothing runs, the memory is read under another shape, or shapes alone give the result; *folded*:
constant inputs give a constant; *reference kernel*: plain loops; *post-op*: joins the convolution,
deconvolution or matmul before it.

*int8*: what becomes of the scale (DQ) of a quantized input. *anchor*: integers go in, with quantized
weights, and one scale stands after. *passes*: the operation runs on the integers and the DQ moves
after it (`transformations/low_precision/laws` says when not). *after an anchor*: computed in float
between an anchor and the next FakeQuantize, in one step with them. *stops*: the DQ is applied
before it.

)";

constexpr const char* kOpsetsHead = R"(
## Operation sets

Every operation of OpenVINO's opset1 to opset16, in all its forms (`src/ops/opsets.inc`).

*version*: of the class that introduced the form; 0 is older than the opsets. *opsets*: those that
contain it. A layer is read in the newest form that is not newer than its opset, also where later
opsets no longer contain the operation; a layer that names the version of the class instead is
understood too.

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
std::string opsets_text(const OpsetForm& form) {
    if (form.last == kNewestOpset) {
        return detail::cat(form.first, " on");
    }
    return form.first == form.last ? std::to_string(form.first)
                                   : detail::cat(form.first, " to ", form.last);
}

std::string opsets_text(const OpSpec& spec) {
    if (spec.own_set) {
        return std::string(kOwnSet);
    }
    const OpsetForm* form = opset_form_of(spec);
    return form == nullptr ? "none" : opsets_text(*form);
}

std::string support_text(const OpsetForm& form) {
    const OpSpec* spec = find_op(form);
    if (spec == nullptr) {
        return "not yet";
    }
    return always_refused(*spec) ? "refused: " + std::string(spec->summary) : "yes";
}

// All that OpenVINO's opsets contain.
void write_opsets(std::ostream& page) {
    page << kOpsetsHead << "| operation | version | opsets | supported |\n"
         << "| --- | --- | --- | --- |\n";
    std::size_t supported = 0;
    for (const OpsetForm& form : opset_forms()) {
        const std::string support = support_text(form);
        supported += support == "yes" ? 1 : 0;
        page << "| " << form.type << " | " << form.version << " | " << opsets_text(form) << " | "
             << cell(support) << " |\n";
    }
    page << "\n" << supported << " of " << opset_forms().size() << " forms.\n";
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
    write_opsets(page);
    return page.str();
}

}  // namespace fuseq::docs
