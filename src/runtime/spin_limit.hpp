// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How long threads of OpenMP wait in a loop before they sleep. libgomp's own choice, 300 000 turns,
// is some 14 ms on CPUs whose pause takes 140 cycles: as soon as another process wants a core, a
// thread that waits burns the time slice that the one it waits for needs, at each of the some
// hundred barriers of an inference. libgomp reads the number from the environment, once, when it is
// loaded, and has no function for it.
#pragma once

namespace fuseq {

// While it lives, the environment tells libgomp to wait kSpinCount turns. Does nothing where the
// user has said how to wait (GOMP_SPINCOUNT, OMP_WAIT_POLICY) or libgomp is loaded already. Changes
// the environment of the process for that time, so it must not meet a setenv() in another thread.
class SpinLimit {
public:
    static constexpr const char* kSpinCount = "3000";

    SpinLimit();
    ~SpinLimit();
    SpinLimit(const SpinLimit&) = delete;
    SpinLimit& operator=(const SpinLimit&) = delete;

private:
    bool set_ = false;
};

}  // namespace fuseq
