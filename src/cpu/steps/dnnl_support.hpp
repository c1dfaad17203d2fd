// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From tensors of the plan to oneDNN's descriptors, and a runner for any primitive.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/steps/step.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {

// oneDNN 2.6.3's jit:uni reorder gives wrong results with more than one thread: s32 of
// 2x8x1080x1920, plain to channels-last, leaves a quarter of the elements in wrong places, with one
// thread none (reorder_test.cpp has the case). Its descriptors fix the number of threads when they
// are made and read it again when they run: both must happen in the scope of such an object.
class OneThread : public ThreadCount {
public:
    OneThread() : ThreadCount(1) {}
};

// For a ThreadCount: 1 where a primitive of so many products is done before other threads have
// begun (1 us), 0 for as many threads as there are. A primitive on one thread does not end the team
// of the steps around it.
constexpr int threads_for(std::int64_t macs) {
    constexpr std::int64_t kFewMacs = std::int64_t{1} << 17;
    return macs <= kFewMacs ? 1 : 0;
}

// One engine for the whole plugin.
const dnnl::engine& cpu_engine();

// Throws Error for a type that oneDNN does not have.
dnnl::memory::data_type dnnl_type(ElementType type);
dnnl::memory::dims dnnl_dims(const Shape& shape);
// What only moves bytes passes an element as one or two of a type that oneDNN moves unchanged. Its
// types of two bytes are reals, of which a reorder flushes denormals.
struct Carrier {
    ElementType type = ElementType::u8;
    dnnl::memory::dim parts = 1;
};
Carrier carrier(ElementType type);
// Dimensions from the outermost in memory to the innermost.
std::vector<std::size_t> memory_order(std::size_t rank, Layout layout);
// Descriptor with the strides of the tensor's layout. Ranks 1 to 6.
dnnl::memory::desc dnnl_desc(ElementType type, const Shape& dims, Layout layout);
// For steps that only move bytes: any type, those that a carrier takes in parts with a dimension
// more.
dnnl::memory::desc bytes_desc(ElementType type, const Shape& dims, Layout layout);
dnnl::memory::desc dnnl_desc(const PlanTensor& tensor);

// Memory that all requests share: packed weights, bias, constants of post-ops.
dnnl::memory shared_memory(const dnnl::memory::desc& desc);
dnnl::memory shared_memory(const std::vector<float>& values);

// The short name of an implementation: "brgconv:avx512_core_vnni".
std::string implementation_name(const dnnl::primitive_desc_base& desc);

// The implementation of that name among those that oneDNN has for a primitive; the first one when
// the name is empty or not there. To be called while the operation descriptor lives: oneDNN keeps
// a pointer to it for the search.
dnnl::primitive_desc implementation_named(const dnnl::primitive_desc& first,
                                          const std::string& name);

// The first implementation whose name does not begin with `prefix`; the first of all when there is
// none. Called as implementation_named() is.
dnnl::primitive_desc implementation_without(const dnnl::primitive_desc& first,
                                            const std::string& prefix);

// A primitive with its arguments. Arguments are tensors of the plan or memory that all share.
struct DnnlCall {
    dnnl::primitive primitive;
    struct TensorArgument {
        int argument;
        TensorId tensor;
        dnnl::memory::desc desc;
    };
    std::vector<TensorArgument> tensors;
    // See OneThread and threads_for().
    bool one_thread = false;
    std::unordered_map<int, dnnl::memory> shared;
};

// Runs one call for one request.
class DnnlRunner final : public Runner {
public:
    DnnlRunner(const DnnlCall& call, RequestMemory& memory);
    void run() override;

private:
    void execute();

    const DnnlCall& call_;
    RequestMemory& memory_;
    dnnl::stream stream_;
    std::vector<dnnl::memory> memories_;      // of the arguments
    std::vector<dnnl_exec_arg_t> arguments_;  // as the C interface takes them: without a copy
    // Arguments in the user's memory: their addresses are read anew at each run.
    std::vector<std::pair<dnnl::memory, TensorId>> moving_;
};

// A step that is one call.
class DnnlStep : public Step {
public:
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override {
        return std::make_unique<DnnlRunner>(call_, memory);
    }
    std::size_t packed_bytes() const override;
    bool starts_regions() const override { return !call_.one_thread; }

protected:
    DnnlCall call_;
};

}  // namespace fuseq::cpu
