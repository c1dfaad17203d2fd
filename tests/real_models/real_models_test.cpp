// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models: written as IR and read again they give the same text and bytes, and open dimensions
// change nothing.
#include <filesystem>

#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"
#include "ir/ir.hpp"
#include "real_models/shared_models.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

std::vector<Tensor> run(CompiledModel& model, const std::vector<Tensor>& inputs) {
    InferRequest request = model.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < model.outputs().size(); ++i) {
        outputs.push_back(request.get_output_tensor(i));
    }
    return outputs;
}

TEST(RealModels, GiveTheSameAfterWritingAndReading) {
    const fs::path models = shared_folder() / "models";
    if (!fs::is_directory(models)) {
        GTEST_SKIP() << "there is no folder " << models;
    }
    ASSERT_FALSE(fs::is_empty(models));
    const fs::path scratch = fs::path(::testing::TempDir()) / "fuseq_written_models";
    fs::create_directories(scratch);
    for (const auto& entry : fs::directory_iterator(models)) {
        Core core;
        const auto model = core.read_model(model_file(entry.path()).string());
        const fs::path xml = scratch / "model.xml";
        const fs::path bin = scratch / "model.bin";
        write_ir(*model, xml, bin);
        const auto again = core.read_model(xml.string(), bin.string());
        EXPECT_EQ(compare_models(*model, *again), "") << entry.path();
        EXPECT_TRUE(model->to_text() == again->to_text()) << entry.path();
        const fs::path golden = shared_folder() / "golden" / entry.path().filename();
        const std::vector<Tensor> inputs = golden_inputs(*model, golden);
        CompiledModel first = core.compile_model(model, "CPU");
        CompiledModel second = core.compile_model(again, "CPU");
        const std::vector<Tensor> expected = run(first, inputs);
        const std::vector<Tensor> got = run(second, inputs);
        for (std::size_t o = 0; o < expected.size(); ++o) {
            EXPECT_TRUE(same_bytes(expected[o], got[o])) << entry.path() << ", output " << o;
        }
    }
    fs::remove_all(scratch);
}

// What an open dimension may be: the batch, an interval around the sizes, or anything.
std::vector<std::map<std::string, PartialShape>> open_shapes(const Model& model) {
    std::vector<std::map<std::string, PartialShape>> all(3);
    for (const Output& input : model.inputs()) {
        const PartialShape shape = input.partial_shape();
        PartialShape batch = shape;
        PartialShape interval = shape;
        if (shape.rank() > 0 && shape[0] == Dimension(1)) {
            batch[0] = Dimension(1, 3);
        }
        for (std::size_t d = 2; shape.rank() == 4 && d < 4; ++d) {
            const Dimension::value_type size = shape[d].get_length();
            interval[d] = Dimension(size / 2, 2 * size);
        }
        all[0][input.node->name()] = batch;
        all[1][input.node->name()] = interval;
        all[2][input.node->name()] = PartialShape(std::vector<Dimension>(shape.rank()));
    }
    return all;
}

// A compiled model with open dimensions gives for each set of shapes what the model with these
// shapes gives. The number of forms of input shapes that the model takes.
std::size_t check_open(const fs::path& folder, const fs::path& golden) {
    Core core;
    const auto fixed = core.read_model(model_file(folder).string());
    const std::vector<Tensor> inputs = golden_inputs(*fixed, golden);
    CompiledModel first = core.compile_model(fixed, "CPU");
    const std::vector<Tensor> expected = run(first, inputs);
    std::size_t checked = 0;
    for (const auto& shapes : open_shapes(*fixed)) {
        const auto open = core.read_model(model_file(folder).string());
        try {
            open->reshape(shapes);
        } catch (const Error&) {
            continue;  // for instance: a layer wants two inputs of one known size
        }
        CompiledModel second = core.compile_model(open, "CPU");
        const std::vector<Tensor> got = run(second, inputs);
        for (std::size_t o = 0; o < expected.size(); ++o) {
            EXPECT_TRUE(same_bytes(expected[o], got[o])) << folder << ", output " << o;
        }
        ++checked;
    }
    return checked;
}

TEST(RealModels, GiveTheSameBytesWithOpenDimensions) {
    const fs::path models = shared_folder() / "models";
    if (!fs::is_directory(models)) {
        GTEST_SKIP() << "there is no folder " << models;
    }
    ASSERT_FALSE(fs::is_empty(models));
    for (const auto& entry : fs::directory_iterator(models)) {
        const fs::path golden = shared_folder() / "golden" / entry.path().filename();
        EXPECT_GE(check_open(entry.path(), golden), 2u) << entry.path();
    }
}

}  // namespace
}  // namespace fuseq::test
