// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/ir.hpp"
#include "ir/ir_builder.hpp"
#include "ir/ir_operations.hpp"

namespace fuseq {
namespace {

constexpr std::int64_t kOldestVersion = 10;
constexpr std::int64_t kNewestVersion = 11;

// What stands in a <net> beside the graph. Mean values change results and cannot be passed over.
void check_sections(pugi::xml_node net, IrContext& context) {
    constexpr std::string_view kKnown[] = {"layers", "edges", "rt_info", "meta_data",
                                           "quantization_parameters"};
    for (const pugi::xml_node section : net.children()) {
        if (section.type() != pugi::node_element) {
            continue;
        }
        const std::string_view name = section.name();
        if (name == "pre-process" && section.first_child()) {
            context.source.fail(
                "has a <pre-process> section, which is not supported: put mean and scale into the "
                "model as Subtract and Multiply");
        }
        if (name != "pre-process" &&
            std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
            context.findings.note(fmt::format("section <{}> is not known and was ignored", name));
        }
    }
}

std::shared_ptr<Model> read(IrContext& context,
                            std::string_view text,
                            const IrReadOptions& options) {
    pugi::xml_document document;
    parse_xml(text, context.source, document);
    const pugi::xml_node net = document.child("net");
    if (!net) {
        context.source.fail("is no IR: the root element is not <net>");
    }
    const std::int64_t version = required_int(net, "version", "<net>", context.source);
    if (version < kOldestVersion || version > kNewestVersion) {
        context.source.fail(fmt::format("IR version {} is not supported, expected {} or {}",
                                        version, kOldestVersion, kNewestVersion));
    }
    context.widen_f16 = version == 10;
    require_known_operations(net, context.source);
    check_sections(net, context);
    IrBuilder builder(context, net, 0);
    auto model = builder.build(net.attribute("name").value());
    builder.validate();
    if (model->results().empty() && model->find_all("Assign").empty()) {
        context.source.fail("the graph has no Result: nothing would be computed");
    }
    context.findings.report(options, context.source);
    return model;
}

std::string read_file(const std::filesystem::path& path, const IrSource& source) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        source.fail("there is no such file");
    }
    if (!std::filesystem::is_regular_file(path, error)) {
        source.fail("is not a file");
    }
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    std::string text(in ? static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)) : 0,
                     '\0');
    in.seekg(0);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in) {
        source.fail("cannot be read");
    }
    return text;
}

}  // namespace

std::shared_ptr<Model> read_ir(const std::filesystem::path& xml,
                               const std::filesystem::path& bin,
                               const IrReadOptions& options) {
    const auto weights = bin.empty() ? std::filesystem::path(xml).replace_extension(".bin") : bin;
    IrContext context{.source = IrSource(xml.string()),
                      .weights = IrWeights(options.weights, weights),
                      .findings = {},
                      .widen_f16 = false};
    return read(context, read_file(xml, context.source), options);
}

std::shared_ptr<Model> read_ir_from_memory(std::string_view xml,
                                           const Tensor& weights,
                                           const IrReadOptions& options) {
    IrContext context{
        .source = IrSource(""), .weights = IrWeights(weights), .findings = {}, .widen_f16 = false};
    return read(context, xml, options);
}

}  // namespace fuseq
