// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every case of the catalogue with random mistakes: it is refused with an Error, or both devices
// run it and agree. FUSEQ_FUZZ_ROUNDS (1) and FUSEQ_FUZZ_SEED (1) for more, best with the preset
// asan; FUSEQ_FUZZ_TRACE=1 prints each model before it is tried, FUSEQ_FUZZ_ONLY=Split tries no
// other operation.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <new>

#include <gtest/gtest.h>

#include "fuseq/core.hpp"
#include "op_cases/mutate.hpp"

namespace fuseq::op_cases {
namespace {

// Larger tensors only take time and memory.
constexpr std::size_t kMaxElements = std::size_t{1} << 22;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
}

bool is_small(const Model& model) {
    for (const Node* node : model.ordered_nodes()) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            const PartialShape& shape = node->port(i).shape;
            if (shape.is_static() && shape_size(shape.to_shape()) > kMaxElements) {
                return false;
            }
        }
    }
    return true;
}

struct Outcome {
    std::string error;
    std::vector<Tensor> outputs;
};

Outcome run_on(const char* device, const Model& model, const std::vector<Tensor>& inputs) {
    static Core core;
    Outcome outcome;
    try {
        const CompiledModel compiled = core.compile_model(model.clone(), device);
        InferRequest request = compiled.create_infer_request();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        request.infer();
        for (std::size_t i = 0; i < model.results().size(); ++i) {
            outcome.outputs.push_back(request.get_output_tensor(i));
        }
    } catch (const Error& error) {
        outcome.error = error.what();
        EXPECT_NE(outcome.error, "");
    }
    return outcome;
}

// Types and shapes; values are compared by the oracle's test, on inputs that make sense.
std::string difference(const Outcome& a, const Outcome& b) {
    if (a.error.empty() != b.error.empty()) {
        return "one device runs it, the other says: " + a.error + b.error;
    }
    for (std::size_t i = 0; i < a.outputs.size() && i < b.outputs.size(); ++i) {
        const Tensor& x = a.outputs[i];
        const Tensor& y = b.outputs[i];
        if (x.get_element_type() != y.get_element_type() || x.get_shape() != y.get_shape()) {
            return detail::cat("output ", i, " is ", to_string(x.get_element_type()),
                               to_string(x.get_shape()), " and ", to_string(y.get_element_type()),
                               to_string(y.get_shape()));
        }
    }
    return "";
}

void try_case(const OpCase& op_case, std::uint64_t seed, std::size_t& ran) {
    try {
        std::shared_ptr<Model> model;
        std::vector<Tensor> inputs;
        try {
            model = make_model(op_case, seed);
            if (!is_small(*model)) {
                return;
            }
            inputs = make_inputs(op_case, *model, seed);
        } catch (const Error&) {
            return;
        }
        const Outcome reference = run_on("REFERENCE", *model, inputs);
        const Outcome cpu = run_on("CPU", *model, inputs);
        EXPECT_EQ(difference(reference, cpu), "") << op_case.text;
        ran += reference.error.empty() ? 1 : 0;
    } catch (const std::bad_alloc&) {
        // A result whose size follows from values may be too large for any machine.
    } catch (const std::exception& error) {
        ADD_FAILURE() << op_case.text << ": " << error.what();
    }
}

TEST(OpCases, AreRefusedOrRunWithMistakesInThem) {
    const std::uint64_t first = setting("FUSEQ_FUZZ_SEED", 1);
    const std::uint64_t rounds = setting("FUSEQ_FUZZ_ROUNDS", 1);
    const bool trace = setting("FUSEQ_FUZZ_TRACE", 0) != 0;
    const std::vector<OpCase> cases = all_cases();
    const char* only = std::getenv("FUSEQ_FUZZ_ONLY");
    std::size_t ran = 0;
    for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
        SCOPED_TRACE(detail::cat("FUSEQ_FUZZ_SEED=", seed));
        std::mt19937_64 random(seed);
        for (const OpCase& op_case : cases) {
            const OpCase wrong = mutate(op_case, random);
            if (only != nullptr && op_case.type != only) {
                continue;
            }
            if (trace) {
                std::cout << wrong.text << std::endl;
            }
            try_case(wrong, seed, ran);
        }
    }
    EXPECT_GT(ran, 0u);
}

}  // namespace
}  // namespace fuseq::op_cases
