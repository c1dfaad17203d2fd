// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans for streams with cores of different speed, whose work is cut into more shares and shared out
// while it is done: the same bytes as on one thread.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "cpu/compile/config.hpp"
#include "cpu/compile/planned_model.hpp"
#include "cpu/exec/bound_plan.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"
#include "unit/cpu/machine/made_topology.hpp"

namespace fuseq::cpu {
namespace {

Tensor image(const Shape& shape) {
    Tensor tensor(ElementType::f32, shape);
    auto values = tensor.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<int>(i * 37 % 256) - 128) / 64.0f;
    }
    return tensor;
}

Config of_machine(const Topology& topology) {
    Config config;
    config.machine = std::make_shared<const Machine>(Machine{topology, std::nullopt, 1});
    config.set("SCHEDULING_CORE_TYPE", "ANY_CORE");
    return config;
}

struct Run {
    std::vector<float> values;
    std::size_t groups = 0;  // of fused tiles
    bool uneven = false;
};

Run run(const std::shared_ptr<const Model>& model, const Config& config) {
    const auto planned = plan_model(model, config);
    const Placement placement = config.placement();
    std::vector<Tensor> inputs{image(model->parameters()[0]->port(0).shape.to_shape())};
    std::vector<Tensor> outputs{
        Tensor(ElementType::f32, model->results()[0]->input(0).partial_shape().to_shape())};
    const ThreadCount threads(placement.threads, placement.uneven);
    BoundPlan bound(planned->plan, inputs, outputs);
    for (int again = 0; again < 3; ++again) {
        bound.run();
    }
    return {to_floats(bound.is_output_apart(0) ? bound.output(0) : outputs[0]),
            planned->plan.tile_groups.size(), placement.uneven};
}

void expect_same_bytes(const std::shared_ptr<const Model>& model, bool grouped) {
    const Run one = run(model, of_machine(test::synthetic("pack:1 l3:1 core:1 pu:1")));
    EXPECT_FALSE(one.uneven);
    EXPECT_EQ(one.groups > 0, grouped);
    for (const auto& [fast, slow] : {std::pair(1, 1), {2, 1}, {1, 4}}) {
        const Run many = run(model, of_machine(test::hybrid(fast, slow)));
        EXPECT_TRUE(many.uneven);
        EXPECT_EQ(many.values, one.values) << fast << " fast and " << slow << " slow cores";
    }
}

TEST(UnevenCores, GiveTheBytesOfOneThread) {
    // The first product is worth several threads.
    const std::string text =
        "model \"product\"\n%x = Parameter : f32[1,64,28,28]\n" + testing::quantized("x") +
        testing::quantized_convolution("q", "96,64,3,3", "1") + "%r = ReLU(%c)\n%out = Result(%r)";
    expect_same_bytes(Model::from_text(text), false);
}

TEST(UnevenCores, GiveTheBytesOfOneThreadInTileGroups) {
    Core core;
    expect_same_bytes(
        core.read_model(std::string(FUSEQ_SOURCE_DIR) + "/samples/models/residual_cnn.xml"), true);
}

}  // namespace
}  // namespace fuseq::cpu
