// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs many small models in one process, each in several ways; random_networks.py asks for them.
// A line of the standard input, with tabs:
//
//     FOLDER  NAME=DEVICE[,MODEL=FILE][,PROPERTY=VALUE]...  NAME=DEVICE...
//
// reads FOLDER/model.xml, or FOLDER/FILE, and the inputs FOLDER/in/*.npy. Each way writes
// FOLDER/NAME/out/*.npy, with FUSEQ_KEEP_INTERMEDIATES=YES also FOLDER/NAME/fq/*.npy, on CPU
// FOLDER/NAME/report.json. Where it fails FOLDER/NAME/error holds what a fuseq::Error said,
// FOLDER/NAME/exception anything else that was thrown. The answer to a line is the line FOLDER.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.hpp"
#include "fuseq/fuseq.hpp"

namespace {

using namespace fuseq;
namespace fs = std::filesystem;

struct Way {
    std::string name;
    std::string device;
    std::string model = "model.xml";
    AnyMap properties;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

Way parse_way(const std::string& text) {
    const std::vector<std::string> parts = split(text, ',');
    Way way;
    for (const std::string& part : parts) {
        const std::size_t equal = part.find('=');
        if (equal == std::string::npos) {
            throw Error("read", "'" + text + "' is not NAME=DEVICE,PROPERTY=VALUE");
        }
        if (way.name.empty()) {
            way.name = part.substr(0, equal);
            way.device = part.substr(equal + 1);
        } else if (part.compare(0, equal, "MODEL") == 0) {
            way.model = part.substr(equal + 1);
        } else {
            way.properties[part.substr(0, equal)] = part.substr(equal + 1);
        }
    }
    return way;
}

void run(Core& core, const fs::path& folder, const Way& way) {
    const fs::path place = folder / way.name;
    const auto model = core.read_model((folder / way.model).string());
    const CompiledModel compiled = core.compile_model(model, way.device, way.properties);
    InferRequest request = compiled.create_infer_request();
    const std::vector<Output> inputs = compiled.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, samples::read_input((folder / "in").string(), inputs[i]));
    }
    request.infer();
    samples::TensorFolder out((place / "out").string());
    for (std::size_t i = 0; i < model->results().size(); ++i) {
        out.write(model->output_name(i), request.get_output_tensor(i));
    }
    if (way.properties.count(property::kKeepIntermediates) != 0) {
        samples::TensorFolder dump((place / "fq").string());
        for (const auto& [layer, tensor] : request.get_intermediates()) {
            dump.write(layer, tensor);
        }
    }
    if (way.device == "CPU") {
        std::ofstream(place / "report.json")
            << compiled.get_property("FUSEQ_REPORT").as<std::string>();
    }
}

void run_or_tell(Core& core, const fs::path& folder, const Way& way) {
    fs::create_directories(folder / way.name);
    try {
        run(core, folder, way);
    } catch (const Error& error) {
        std::ofstream(folder / way.name / "error") << error.what();
    } catch (const std::exception& error) {
        std::ofstream(folder / way.name / "exception") << error.what();
    }
}

}  // namespace

int main() {
    try {
        Core core;
        for (std::string line; std::getline(std::cin, line);) {
            const std::vector<std::string> parts = split(line, '\t');
            for (std::size_t i = 1; i < parts.size(); ++i) {
                run_or_tell(core, parts[0], parse_way(parts[i]));
            }
            std::cout << (parts.empty() ? "" : parts[0]) << std::endl;
        }
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
