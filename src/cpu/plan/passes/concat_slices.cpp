// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/concat_slices.hpp"

#include <algorithm>

#include "cpu/steps/concat.hpp"
#include "cpu/steps/gemm.hpp"

namespace fuseq::cpu {
namespace {

class Slicer {
public:
    explicit Slicer(Plan& plan) : plan_(plan) {}

    void run() {
        for (std::size_t s = 0; s < plan_.steps.size();) {
            auto* concat = dynamic_cast<ConcatStep*>(plan_.steps[s].get());
            if (concat != nullptr && plan_.root(concat->outputs()[0]) == concat->outputs()[0]) {
                write_slices(*concat, s);
                if (concat->inputs().empty()) {
                    add_layers(*concat, s);
                    plan_.steps.erase(plan_.steps.begin() + static_cast<std::ptrdiff_t>(s));
                    continue;
                }
            }
            ++s;
        }
    }

private:
    void write_slices(ConcatStep& concat, std::size_t at) {
        for (std::size_t i = concat.inputs().size(); i-- > 0;) {
            GemmStep* writer = writer_for(concat.inputs()[i], at);
            if (writer == nullptr || writer->pixel_bytes() != concat.row_bytes(i) ||
                concat.dst_row_bytes() % writer->element_bytes() != 0) {
                continue;
            }
            writer->write_slice(concat.outputs()[0], concat.dst_offset(i), concat.dst_row_bytes());
            writer->info().post_ops += ", concat";
            concat.leave_out(i);
        }
    }

    // The step that makes the tensor, if it can store it elsewhere and only step `at` reads it.
    GemmStep* writer_for(TensorId id, std::size_t at) const {
        if (plan_.root(id) != id || plan_.tensors[id].storage != Storage::kArena || is_output(id)) {
            return nullptr;
        }
        const auto& read = plan_.steps[at]->inputs();
        GemmStep* writer = nullptr;
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            const Step& step = *plan_.steps[s];
            if (s == at || !(uses(step.inputs(), id) || uses(step.outputs(), id))) {
                continue;
            }
            auto* gemm = dynamic_cast<GemmStep*>(plan_.steps[s].get());
            if (writer != nullptr || gemm == nullptr || s > at || !gemm->can_write_slices() ||
                gemm->outputs()[0] != id) {
                return nullptr;
            }
            writer = gemm;
        }
        return std::count(read.begin(), read.end(), id) == 1 ? writer : nullptr;
    }

    bool uses(const std::vector<TensorId>& ids, TensorId root) const {
        return std::any_of(ids.begin(), ids.end(),
                           [&](TensorId id) { return id != kNoTensor && plan_.root(id) == root; });
    }

    bool is_output(TensorId root) const { return uses(plan_.outputs, root); }

    // The layers of a concat that is gone, to the last step that does its work.
    void add_layers(const ConcatStep& concat, std::size_t at) {
        for (std::size_t s = at; s-- > 0;) {
            if (plan_.steps[s]->outputs() == concat.outputs()) {
                auto& layers = plan_.steps[s]->info().layers;
                layers.insert(layers.end(), concat.info().layers.begin(),
                              concat.info().layers.end());
                return;
            }
        }
    }

    Plan& plan_;
};

}  // namespace

void write_slices_of_concats(Plan& plan) {
    Slicer(plan).run();
}

}  // namespace fuseq::cpu
