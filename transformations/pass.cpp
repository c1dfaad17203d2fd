// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/pass.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/dump_file.hpp"

namespace fuseq {

void PassContext::rewritten(std::string_view pass, const Node& node, std::string text) {
    remarks_.push_back(
        {Remark::Kind::kRewritten, std::string(pass), node.name(), "", std::move(text)});
}

void PassContext::refused(std::string_view pass,
                          const Node& node,
                          std::string code,
                          std::string text) {
    remarks_.push_back(
        {Remark::Kind::kRefused, std::string(pass), node.name(), std::move(code), std::move(text)});
}

std::vector<Tensor> PassContext::computed(
    const std::string& what,
    std::span<const Tensor> inputs,
    const std::function<std::vector<Tensor>()>& compute) const {
    return options_.constants == nullptr ? compute()
                                         : options_.constants->get(what, inputs, compute);
}

void run_passes(Model& model, PassContext& context, const std::vector<Pass>& passes) {
    const PassOptions& options = context.options();
    const ConstantCache::Scope scope(options.constants);
    for (const Pass& pass : passes) {
        const std::size_t number = context.next_number();
        const auto& off = options.disabled;
        if (std::find(off.begin(), off.end(), pass.name) != off.end()) {
            if (!pass.needed.empty()) {
                throw Error("transform", fmt::format("pass '{}' cannot be disabled: {}", pass.name,
                                                     pass.needed));
            }
            continue;
        }
        try {
            if (pass.run(model, context)) {
                model.remove_dead_nodes();
                if (options.validate) {
                    model.validate();
                }
            }
        } catch (const Error& error) {
            Error::Info info = error.info();
            info.stage = fmt::format("transform {}", pass.name);
            throw Error(std::move(info));
        }
        if (!options.dump_dir.empty()) {
            write_dump(options.dump_dir, dump_name(number, pass.name), model.to_text(),
                       "transform");
        }
    }
}

}  // namespace fuseq
