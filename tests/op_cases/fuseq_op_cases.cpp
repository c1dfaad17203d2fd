// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuseq_op_cases list               every operation, as TYPE.OPSET, one a line
//        fuseq_op_cases write DIR SEED     DIR/<number> for every case: the IR, random inputs in
//                                          in/, and what the devices give in CPU/ and REFERENCE/;
//                                          a line a case: its number, operation and text
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "common/files.hpp"
#include "common/npy.hpp"
#include "fuseq/core.hpp"
#include "ir/ir.hpp"
#include "op_cases/op_case.hpp"
#include "ops/op_spec.hpp"

namespace {

using namespace fuseq;
namespace fs = std::filesystem;

// As many as check_operations.py runs the oracle.
constexpr int kRunsWithState = 3;

void list() {
    for (const OpSpec* spec : all_ops()) {
        if (!spec->internal) {
            std::cout << spec->type << "." << spec->version << "\n";
        }
    }
}

void run(Core& core, const fs::path& folder, const std::string& device, const Model& named) {
    const auto model = core.read_model((folder / "model.xml").string());
    const CompiledModel compiled = core.compile_model(model, device);
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < compiled.inputs().size(); ++i) {
        const std::string file = named.inputs()[i].node->name() + ".npy";
        const Tensor given = samples::read_npy((folder / "in" / file).string());
        request.set_input_tensor(i, given.to(compiled.inputs()[i].type()));
    }
    // Variables have their initial values at first.
    for (int i = 0; i < (request.query_state().empty() ? 1 : kRunsWithState); ++i) {
        request.infer();
    }
    samples::TensorFolder out((folder / device).string());
    for (std::size_t i = 0; i < model->results().size(); ++i) {
        out.write(model->output_name(i), request.get_output_tensor(i));
    }
}

void write(const fs::path& folder, std::uint64_t seed) {
    Core core;
    std::size_t number = 0;
    for (const op_cases::OpCase& op_case : op_cases::all_cases()) {
        const fs::path place = folder / std::to_string(number);
        std::cout << number++ << "\t" << op_case.type << "." << op_case.opset << "\t"
                  << op_case.text << std::endl;
        try {
            const auto model = op_cases::make_model(op_case, seed);
            const auto inputs = op_cases::make_inputs(op_case, *model, seed);
            samples::TensorFolder in((place / "in").string());
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                in.write(model->inputs()[i].node->name(), inputs[i]);
            }
            write_ir(*model, place / "model.xml");
            for (const char* device : {"CPU", "REFERENCE"}) {
                run(core, place, device, *model);
            }
        } catch (const Error& error) {
            fs::create_directories(place);
            std::ofstream(place / "error") << error.what() << "\n";
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    try {
        if (mode == "list" && argc == 2) {
            list();
            return 0;
        }
        if (mode == "write" && argc == 4) {
            write(argv[2], std::stoull(argv[3]));
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
    std::cerr << "usage: fuseq_op_cases list | write DIR SEED\n";
    return 2;
}
