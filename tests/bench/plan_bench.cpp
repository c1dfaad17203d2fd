// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_plan MODEL.xml [THREADS [ROUNDS]]: where the time of a compiled model goes, as JSON. For
// each step of the plan, medians in microseconds:
//   bare_alone_us  the oneDNN primitive of the same shape without bias, post-ops and scales, again
//                  and again: everything it touches is in the cache
//   bare_us        the same primitive in a sequence of all of them, one after the other
//   alone_us       the step, again and again
//   plan_us        the step in its place, with the others before and after it
// and infer_us, a whole inference without clocks between the steps. All of them are taken in turn,
// round by round, so that a slow minute of the machine falls on all alike.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "bare_primitive.hpp"
#include "cpu/plugin/compiled_model.hpp"
#include "cpu/plugin/infer_request.hpp"
#include "cpu/steps/dnnl_support.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/core.hpp"

namespace fuseq::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSliceUs = 4000;  // one measurement of a step or primitive alone
constexpr int kRunsInPlan = 8;     // whole inferences of a round, of each kind

double us_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Time of one call, of as many as fit in a slice of time.
template <class Function>
double time_alone(const Function& call) {
    call();
    const Clock::time_point start = Clock::now();
    int calls = 0;
    double spent = 0;
    do {
        call();
        ++calls;
        spent = us_since(start);
    } while (spent < kSliceUs);
    return spent / calls;
}

struct Times {
    std::vector<double> bare_alone, bare, alone, plan;
};

class PlanBench {
public:
    PlanBench(std::shared_ptr<const Model> model, int threads) : threads_(threads) {
        cpu::Config config;
        config.tile_groups = false;  // each step alone
        config.num_threads = threads;
        compiled_ = std::make_shared<cpu::CpuCompiledModel>(std::move(model), config);
        std::vector<Shape> shapes;
        for (const Output& port : compiled_->model()->inputs()) {
            inputs_.push_back(ramp(port));
            shapes.push_back(inputs_.back().get_shape());
        }
        planned_ = compiled_->plan_for(shapes);
        for (const cpu::TensorId id : planned_->plan.outputs) {
            const cpu::PlanTensor& tensor = planned_->plan.tensors[id];
            outputs_.emplace_back(tensor.type, tensor.shape.is_static() ? tensor.dims() : Shape{0});
        }
        memory_.emplace(planned_->plan, inputs_, outputs_);
        for (const auto& step : planned_->plan.steps) {
            runners_.push_back(step->bind(*memory_));
            bare_.push_back(bare_of(step->info()));
        }
        times_.resize(runners_.size());
        bind_bare();
    }

    void round() {
        const cpu::ThreadCount threads(threads_);
        for (int run = -1; run < kRunsInPlan; ++run) {  // the first is not counted: it fills caches
            run_whole(run >= 0);
            run_with_clocks(run >= 0);
        }
        for (int run = 0; run < kRunsInPlan; ++run) {
            for (std::size_t i = 0; i < runners_.size(); ++i) {
                if (bare_[i]) {
                    const Clock::time_point start = Clock::now();
                    run_bare(i);
                    times_[i].bare.push_back(us_since(start));
                }
            }
        }
        for (std::size_t i = 0; i < runners_.size(); ++i) {
            if (bare_[i]) {
                times_[i].bare_alone.push_back(time_alone([&] { run_bare(i); }));
            }
            times_[i].alone.push_back(time_alone([&] { runners_[i]->run(); }));
        }
    }

    nlohmann::ordered_json report() const {
        nlohmann::ordered_json json{{"model", compiled_->model()->name()},
                                    {"onednn", onednn_version()},
                                    {"threads", threads_},
                                    {"infer_us", median(infer_)},
                                    {"steps", nlohmann::ordered_json::array()}};
        for (std::size_t i = 0; i < times_.size(); ++i) {
            const cpu::StepInfo& info = planned_->plan.steps[i]->info();
            nlohmann::ordered_json row{{"name", info.name},
                                       {"kind", info.kind},
                                       {"implementation", info.implementation},
                                       {"post_ops", info.post_ops},
                                       {"macs", info.macs},
                                       {"bytes", info.bytes},
                                       {"alone_us", median(times_[i].alone)},
                                       {"plan_us", median(times_[i].plan)}};
            if (bare_[i]) {
                row["bare_alone_us"] = median(times_[i].bare_alone);
                row["bare_us"] = median(times_[i].bare);
                row["bare_implementation"] = bare_[i]->implementation;
            }
            json["steps"].push_back(std::move(row));
        }
        return json;
    }

private:
    void run_whole(bool count) {
        const Clock::time_point start = Clock::now();
        for (const auto& runner : runners_) {
            runner->run();
        }
        if (count) {
            infer_.push_back(us_since(start));
        }
    }

    void run_with_clocks(bool count) {
        for (std::size_t i = 0; i < runners_.size(); ++i) {
            const Clock::time_point start = Clock::now();
            runners_[i]->run();
            if (count) {
                times_[i].plan.push_back(us_since(start));
            }
        }
    }

    static std::string onednn_version() {
        const dnnl::version_t* version = dnnl::version();
        return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
               std::to_string(version->patch);
    }

    static Tensor ramp(const Output& port) {
        constexpr std::size_t kPeriod = 251;
        Tensor bytes(ElementType::u8, port.shape());
        for (std::size_t i = 0; i < bytes.get_size(); ++i) {
            bytes.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % kPeriod);
        }
        return bytes.to(port.type());
    }

    std::optional<BarePrimitive> bare_of(const cpu::StepInfo& info) const {
        const bool anchor =
            info.kind == "convolution" || info.kind == "deconvolution" || info.kind == "matmul";
        const Node* node = anchor ? planned_->transformed.model->find(info.name) : nullptr;
        const cpu::ThreadCount threads(threads_);
        return node == nullptr ? std::nullopt
                               : bare_primitive(*node, parse_element_type(info.dst_type).value());
    }

    void bind_bare() {
        Buffers buffers;
        for (const auto& bare : bare_) {
            if (bare) {
                buffers.grow(bare->arguments.at(DNNL_ARG_SRC).get_desc().get_size());
                buffers.grow(bare->arguments.at(DNNL_ARG_DST).get_desc().get_size());
            }
        }
        std::size_t i = 0;
        for (auto& bare : bare_) {
            if (bare) {
                buffers.bind(*bare, i++);
            }
        }
        buffers_ = std::move(buffers);
    }

    void run_bare(std::size_t i) { bare_[i]->primitive.execute(stream_, bare_[i]->arguments); }

    int threads_;
    dnnl::stream stream_{cpu::cpu_engine()};
    Buffers buffers_;
    std::shared_ptr<cpu::CpuCompiledModel> compiled_;
    std::shared_ptr<const cpu::PlannedModel> planned_;
    std::vector<Tensor> inputs_, outputs_;
    std::optional<cpu::BoundMemory> memory_;
    std::vector<std::unique_ptr<cpu::Runner>> runners_;
    std::vector<std::optional<BarePrimitive>> bare_;
    std::vector<Times> times_;
    std::vector<double> infer_;
};

int run(int argc, char** argv) {
    const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
    if (argc < 2 || argc > 4 || threads < 1 || rounds < 1) {
        std::cerr << "usage: bench_plan MODEL.xml [THREADS [ROUNDS]]\n";
        return 2;
    }
    PlanBench bench(Core().read_model(argv[1]), threads);
    for (int round = 0; round < rounds; ++round) {
        bench.round();
    }
    std::cout << bench.report().dump(1) << "\n";
    return 0;
}

}  // namespace
}  // namespace fuseq::bench

int main(int argc, char** argv) {
    try {
        return fuseq::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
