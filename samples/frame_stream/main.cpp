// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A video-like stream: frames arrive at a fixed rate, one request runs at a time, and a frame that
// arrives while the last one is still computed is dropped. Prints latencies from arrival to result.
#include <fuseq/fuseq.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

struct Outcome {
    std::vector<double> latencies;  // ms
    int dropped = 0;
};

// What a camera would give: here a gray that moves.
void fill_frame(fuseq::InferRequest& request, int number) {
    fuseq::Tensor image = request.get_input_tensor();
    std::fill_n(static_cast<unsigned char*>(image.data()), image.get_byte_size(),
                static_cast<unsigned char>(number % 64));
}

Outcome run_stream(fuseq::InferRequest& request, int frames, double frames_a_second) {
    const auto interval = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1 / frames_a_second));
    Outcome outcome;
    Clock::time_point arrival = Clock::now();
    for (int number = 0; number < frames; ++number, arrival += interval) {
        if (Clock::now() > arrival + interval) {
            ++outcome.dropped;
            continue;
        }
        std::this_thread::sleep_until(arrival);
        fill_frame(request, number);
        request.infer();
        outcome.latencies.push_back(Milliseconds(Clock::now() - arrival).count());
    }
    return outcome;
}

double percentile(std::vector<double> sorted, double share) {
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: frame_stream MODEL [FRAMES [FRAMES_A_SECOND]]\n";
        return 2;
    }
    const int frames = argc > 2 ? std::atoi(argv[2]) : 300;
    const double rate = argc > 3 ? std::atof(argv[3]) : 30;
    if (frames < 1 || !(rate > 0)) {
        std::cerr << "error: at least one frame, and a rate above 0\n";
        return 2;
    }
    try {
        fuseq::Core core;
        fuseq::CompiledModel model =
            core.compile_model(argv[1], "CPU", {{"PERFORMANCE_HINT", "LATENCY"}});
        fuseq::InferRequest request = model.create_infer_request();
        fill_frame(request, 0);
        request.infer();  // the first run makes what is made once
        const Outcome outcome = run_stream(request, frames, rate);
        std::cout << outcome.latencies.size() << " frames, " << outcome.dropped
                  << " dropped; latency median " << percentile(outcome.latencies, 0.5)
                  << " ms, 99 % under " << percentile(outcome.latencies, 0.99) << " ms\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
