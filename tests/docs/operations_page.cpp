// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "docs/operations_page.hpp"

#include <memory>
#include <sstream>
#include <vector>

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

*since*: the first opset with this form of the operation; the reader takes the newest form that is
not newer than the layer's opset. *inputs*: how many the IR may connect. *attributes*: name, and the
default where the attribute may be left out; **bold** ones must be there. What stands under *refused*
is an error that names the layer; an attribute that an operation does not know is a warning.

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

}  // namespace

std::string operations_page() {
    std::ostringstream page;
    page << kHead << "| operation | since | inputs | attributes | what it does | refused |\n"
         << "| --- | --- | --- | --- | --- | --- |\n";
    std::size_t rows = 0;
    for (const OpSpec* spec : all_ops()) {
        if (spec->internal) {
            continue;
        }
        ++rows;
        page << "| " << spec->type << " | " << spec->version << " | " << inputs_text(spec->inputs)
             << " | " << cell(attributes_text(*spec)) << " | " << cell(spec->summary) << " | "
             << cell(spec->refused) << " |\n";
    }
    page << "\n" << rows << " rows.\n";
    return page.str();
}

}  // namespace fuseq::docs
