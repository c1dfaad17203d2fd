// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The main program of the fuzzers of readers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::test {

// A damaged form of the bytes of a file, by a seed.
using Damage = std::function<std::string(const std::string& bytes, std::uint64_t seed)>;
using Import = std::function<std::shared_ptr<Model>(const std::string& bytes)>;

// `program SECONDS SEED FILES`: imports damaged FILES until the time is over and compiles for CPU what was
// read. An Error is what is expected; anything else, 30 seconds for one file included, ends the program,
// which then says the seed. With 0 seconds: writes the damaged file of SEED to the standard output.
// `own`: what stands in for FILES; a program that has it takes none.
int fuzz_loop(int argc,
              char** argv,
              const Damage& damage,
              const Import& import,
              std::vector<std::string> own = {});

}  // namespace fuseq::test
