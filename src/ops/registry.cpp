// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of operations: one row a file of operations.
#include <algorithm>
#include <vector>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

using OpsOfFile = std::span<const OpSpec> (*)();

constexpr OpsOfFile kFiles[] = {
#define FUSEQ_OP_FILE(name) name##_ops::specs,
#include "ops/op_files.inc"
#undef FUSEQ_OP_FILE
};

std::vector<const OpSpec*> collect() {
    std::vector<const OpSpec*> specs;
    for (const OpsOfFile ops : kFiles) {
        for (const OpSpec& spec : ops()) {
            specs.push_back(&spec);
        }
    }
    std::sort(specs.begin(), specs.end(), [](const OpSpec* a, const OpSpec* b) {
        return a->type != b->type ? a->type < b->type : a->version < b->version;
    });
    return specs;
}

const std::vector<const OpSpec*>& table() {
    static const std::vector<const OpSpec*> specs = collect();
    return specs;
}

}  // namespace

std::span<const OpSpec* const> all_ops() {
    return table();
}

const OpSpec* find_op(std::string_view type, int opset) {
    const OpSpec* best = nullptr;
    const auto first =
        std::lower_bound(table().begin(), table().end(), type,
                         [](const OpSpec* a, std::string_view t) { return a->type < t; });
    for (auto it = first; it != table().end() && (*it)->type == type; ++it) {
        if ((*it)->version <= opset) {
            best = *it;
        }
    }
    return best;
}

bool op_exists(std::string_view type) {
    return std::any_of(table().begin(), table().end(),
                       [&](const OpSpec* spec) { return spec->type == type; });
}

}  // namespace fuseq
