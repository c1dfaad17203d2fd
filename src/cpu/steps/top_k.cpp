// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/top_k.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/kernels/detection/best_of_lines.hpp"
#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/axes.hpp"

namespace fuseq::cpu {
namespace {

namespace kernels = fuseq::kernels;

struct TopKTask {
    TopKGeometry geometry;
    bool largest;
    bool by_index;
    ElementType index_type;
    TensorId src, values, indices;
};

template <class T>
class TopKRunner final : public Runner {
public:
    TopKRunner(const TopKTask& task, RequestMemory& memory)
        : task_(task),
          memory_(memory),
          pieces_(task.geometry.k == 1
                      ? 0
                      : std::min(lines(), static_cast<std::size_t>(omp_get_max_threads()))),
          works_(pieces_) {
        const TopKGeometry& g = task.geometry;
        for (Work& work : works_) {
            work.ranks.resize(g.size);
            work.entries.resize(kernels::best_ranks_room(g.size, g.k));
            work.sorted.resize(g.k);
        }
    }

    void run() override {
        if (task_.geometry.k == 1) {
            parallel_for(lines(), kLinesAtOnce,
                         [&](std::size_t begin, std::size_t end) { run_best(begin, end); });
            return;
        }
        // Each piece has memory of its own for one line.
        parallel_for(pieces_, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t piece = begin; piece < end; ++piece) {
                const std::size_t last = lines() * (piece + 1) / pieces_;
                for (std::size_t line = lines() * piece / pieces_; line < last; ++line) {
                    run_line(line, works_[piece]);
                }
            }
        });
    }

private:
    static constexpr std::size_t kLinesAtOnce = 256;

    struct Work {
        std::vector<std::uint32_t> ranks;
        std::vector<std::uint64_t> entries;
        std::vector<std::uint64_t> sorted;
    };

    // The lines [begin, end) of all, whose results stand one after the other.
    void run_best(std::size_t begin, std::size_t end) const {
        const TopKGeometry& g = task_.geometry;
        const T* src = static_cast<const T*>(memory_.data(task_.src));
        T* values = static_cast<T*>(memory_.data(task_.values));
        void* indices = memory_.data(task_.indices);
        std::int32_t places[kLinesAtOnce];
        while (begin < end) {
            const std::size_t at = begin % g.inner;
            const std::size_t count = std::min({end - begin, g.inner - at, kLinesAtOnce});
            Lines<T> lines{src + begin / g.inner * g.size * g.inner, g.size, g.inner, 1,
                           task_.largest};
            if (g.lines_are_dense) {
                lines.stride = 1;
                lines.step = g.size;
            }
            lines.first += at * lines.step;
            best_of_lines(lines, count, values + begin, places);
            store_indices(indices, begin, places, count);
            begin += count;
        }
    }

    void store_indices(void* indices,
                       std::size_t first,
                       const std::int32_t* places,
                       std::size_t count) const {
        if (task_.index_type == ElementType::i32) {
            std::copy_n(places, count, static_cast<std::int32_t*>(indices) + first);
        } else {
            std::copy_n(places, count, static_cast<std::int64_t*>(indices) + first);
        }
    }

    std::size_t lines() const {
        return task_.geometry.k == 0 ? 0 : task_.geometry.outer * task_.geometry.inner;
    }

    void run_line(std::size_t line, Work& work) const {
        const TopKGeometry& g = task_.geometry;
        const std::size_t outer = line / g.inner;
        const std::size_t at = line % g.inner;
        const T* src =
            static_cast<const T*>(memory_.data(task_.src)) + outer * g.size * g.inner + at;
        if (g.inner == 1) {  // a loop of vectors
            for (std::size_t i = 0; i < g.size; ++i) {
                work.ranks[i] = kernels::rank_of(src[i], task_.largest);
            }
        } else {
            for (std::size_t i = 0; i < g.size; ++i) {
                work.ranks[i] = kernels::rank_of(src[i * g.inner], task_.largest);
            }
        }
        std::uint64_t* entries = work.entries.data();
        kernels::best_ranks(work.ranks.data(), g.size, g.k, entries);
        if (task_.by_index) {
            std::sort(entries, entries + g.k, [](std::uint64_t a, std::uint64_t b) {
                return kernels::place_of(a) < kernels::place_of(b);
            });
        } else {
            kernels::sort_entries(entries, g.k, work.sorted.data());
        }
        store(entries, src, outer * g.k * g.inner + at);
    }

    void store(const std::uint64_t* entries, const T* src, std::size_t first) const {
        const TopKGeometry& g = task_.geometry;
        T* values = static_cast<T*>(memory_.data(task_.values)) + first;
        void* indices = memory_.data(task_.indices);
        for (std::size_t i = 0; i < g.k; ++i) {
            const std::size_t place = kernels::place_of(entries[i]);
            values[i * g.inner] = src[place * g.inner];
            const std::size_t to = first + i * g.inner;
            if (task_.index_type == ElementType::i32) {
                static_cast<std::int32_t*>(indices)[to] = static_cast<std::int32_t>(place);
            } else {
                static_cast<std::int64_t*>(indices)[to] = static_cast<std::int64_t>(place);
            }
        }
    }

    TopKTask task_;
    RequestMemory& memory_;
    std::size_t pieces_;
    std::vector<Work> works_;  // one a piece
};

}  // namespace

TopKStep::TopKStep(const TopKGeometry& geometry,
                   const TopKAttrs& attrs,
                   const PlanTensor& src,
                   TensorId src_id,
                   TensorId values,
                   TensorId indices)
    : geometry_(geometry),
      largest_(attrs.mode == TopKMode::kMax),
      by_index_(attrs.sort == TopKSort::kIndex),
      type_(src.type),
      index_type_(attrs.index_element_type) {
    inputs_ = {src_id};
    outputs_ = {values, indices};
    info_.kind = "top_k";
    info_.implementation = "fuseq:top_k";
    info_.src_type = to_string(type_);
    info_.dst_type = to_string(type_);
    info_.layout = src.layout == Layout::kChannelsLast ? "channels_last" : "plain";
    info_.bytes = static_cast<std::int64_t>(src.bytes());
}

std::unique_ptr<Runner> TopKStep::bind(RequestMemory& memory) const {
    const TopKTask task{geometry_,  largest_,    by_index_,  index_type_,
                        inputs_[0], outputs_[0], outputs_[1]};
    if (type_ == ElementType::f32) {
        return std::make_unique<TopKRunner<float>>(task, memory);
    }
    return std::make_unique<TopKRunner<std::int32_t>>(task, memory);
}

}  // namespace fuseq::cpu
