// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/opsets.hpp"

namespace fuseq {
namespace {

constexpr OpsetForm kForms[] = {
#define FUSEQ_OPSET_FORM(type, version, first, last) {#type, version, first, last},
#include "ops/opsets.inc"
#undef FUSEQ_OPSET_FORM
};

}  // namespace

std::span<const OpsetForm> opset_forms() {
    return kForms;
}

const OpsetForm* find_opset_form(std::string_view type, int opset) {
    const OpsetForm* best = nullptr;
    for (const OpsetForm& form : kForms) {
        if (form.type == type && form.lowest() <= opset) {
            best = &form;
        }
    }
    return best;
}

const OpSpec* find_op(const OpsetForm& form) {
    const OpSpec* spec = find_op(form.type, form.first);
    return spec != nullptr && !spec->internal && !spec->own_set && spec->version >= form.lowest()
               ? spec
               : nullptr;
}

const OpsetForm* opset_form_of(const OpSpec& spec) {
    const bool outside = spec.internal || spec.own_set;
    const OpsetForm* form = outside ? nullptr : find_opset_form(spec.type, spec.version);
    return form != nullptr && find_op(*form) == &spec ? form : nullptr;
}

}  // namespace fuseq
