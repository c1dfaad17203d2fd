// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// quantize: from a float model and calibration data to an int8 model.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/core.h>

#include "common/tool.hpp"
#include "fuseq/fuseq.hpp"
#include "quantize/data.hpp"
#include "quantize/metric_command.hpp"
#include "quantize/options.hpp"
#include "quantize/report.hpp"

namespace fuseq::samples {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int /*signal*/) {
    interrupted = 1;
}

constexpr std::size_t kBarWidth = 40;

void show_progress(std::size_t done, std::size_t total) {
    const std::size_t filled = done * kBarWidth / total;
    std::cerr << '\r' << '[' << std::string(filled, '#') << std::string(kBarWidth - filled, ' ')
              << "] " << done << '/' << total << (done == total ? "\n" : "") << std::flush;
}

// Inputs of -i; empty without.
std::vector<std::string> paths_of(const QuantizeOptions& options, const Model& model) {
    if (options.data.empty()) {
        return {};
    }
    std::vector<std::string> paths = input_paths(options.data, model.inputs());
    if (options.inputs != 0 && paths.size() > options.inputs) {
        paths.resize(options.inputs);
    }
    return paths;
}

// An error about an input has its number; here it is known which file that is.
template <class Function>
auto naming_inputs(const std::vector<std::string>& paths,
                   std::size_t before,
                   const Function& function) {
    try {
        return function();
    } catch (const Error& error) {
        Error::Info info = error.info();
        std::size_t index = 0;
        int length = 0;  // stays 0 where something else follows the number
        std::sscanf(info.rule.c_str(), "input %zu:%n", &index, &length);
        if (length > 0 && index >= before && index - before < paths.size()) {
            info.rule = fmt::format("input {} ('{}'):{}", index, paths[index - before],
                                    info.rule.substr(static_cast<std::size_t>(length)));
        }
        throw Error(std::move(info));
    }
}

void profile(Quantizer& quantizer, InputReader& reader, const QuantizeOptions& options) {
    const std::vector<std::string>& paths = reader.paths();
    if (options.resume && std::filesystem::exists(options.dump_profile)) {
        quantizer.load_profile(options.dump_profile);
    }
    // Where a profile was loaded, this data comes after it.
    const std::size_t before = options.resume ? 0 : quantizer.profiled_inputs();
    const bool bar = !options.quiet && ::isatty(STDERR_FILENO) != 0;
    std::signal(SIGINT, interrupt);
    const bool all = naming_inputs(paths, before, [&] {
        return quantizer.profile(
            before + paths.size(), [&](std::size_t i) { return reader.read(i - before); },
            [&](std::size_t done, std::size_t total) {
                if (bar) {
                    show_progress(done - before, total - before);
                }
                return interrupted == 0;
            });
    });
    std::signal(SIGINT, SIG_DFL);
    if (!all && options.dump_profile.empty()) {
        throw Error(
            "quantize",
            fmt::format("interrupted after {} inputs; -dump_profile would have kept what was done",
                        quantizer.profiled_inputs()));
    }
    if (!all) {
        quantizer.save_profile(options.dump_profile);
        throw Error("quantize",
                    fmt::format("interrupted after {} inputs; -resume goes on from there",
                                quantizer.profiled_inputs()));
    }
}

void write_text(const std::string& file, const std::string& text) {
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        throw Error("write", fmt::format("cannot write '{}'", file));
    }
}

void run(QuantizeOptions options) {
    if (!options.metric_command.empty()) {
        options.quantizer.max_drop->own = [command = options.metric_command](const auto& measured) {
            return run_metric(command, *measured);
        };
    }
    const std::shared_ptr<Model> model = Core().read_model(
        options.model, "",
        [](const std::string& text) { std::cout << "warning: " << text << '\n'; });
    Quantizer quantizer(model, options.quantizer);
    for (const std::string& file : options.load_profiles) {
        quantizer.load_profile(file);
    }
    InputReader reader(paths_of(options, *model), *model, options.pictures);
    const std::vector<std::string>& paths = reader.paths();
    // With both, the profile is what is known, and the data judges.
    if (!paths.empty() && (options.load_profiles.empty() || !options.dump_profile.empty())) {
        profile(quantizer, reader, options);
    }
    if (!options.dump_profile.empty()) {
        quantizer.save_profile(options.dump_profile);
    }
    if (options.output.empty()) {
        return;
    }
    const QuantizedModel result = naming_inputs(paths, 0, [&] {
        return paths.empty() ? quantizer.quantize()
                             : quantizer.quantize(paths.size(),
                                                  [&](std::size_t i) { return reader.read(i); });
    });
    write_quantized(result, options.output, options.ir_version);
    if (!options.report_file.empty()) {
        write_text(options.report_file, report_json(result, options.quantizer));
    }
    for (const std::string& name : result.kept) {
        std::cout << "kept in float: '" << name << "'\n";
    }
    std::cout << summary(result) << "written: " << options.output << '\n';
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    return fuseq::samples::run_tool([&] {
        fuseq::samples::QuantizeOptions options;
        if (fuseq::samples::parse(options, argc, argv)) {
            fuseq::samples::run(options);
        }
    });
}
