// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables of a request: counters worked out by hand.
#include <thread>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/ir.hpp"
#include "support/small_model.hpp"
#include "unit/state/state_testing.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// out = v + x; v = v + x
std::shared_ptr<Model> counter() {
    return Model::from_text(R"(model "counter"
        %x = Parameter : f32[2]
        %v = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[2]
        %sum = Add(%v, %x)
        %keep = Assign.6(%sum) variable_id="v"
        %out = Result(%sum))");
}

// The same from 10 * x on, and another variable that counts runs.
std::shared_ptr<Model> counter_with_start() {
    return Model::from_text(R"(model "counter_with_start"
        %x = Parameter : f32[2]
        %ten = Const value={10} : f32[]
        %start = Multiply(%x, %ten)
        %v = ReadValue.3(%start) variable_id="v"
        %sum = Add(%v, %x)
        %keep = Assign.3(%sum) variable_id="v"
        %n = ReadValue.6 variable_id="n" variable_type=i64 variable_shape=[1]
        %one = Const value={1} : i64[1]
        %more = Add(%n, %one)
        %keep_n = Assign.6(%more) variable_id="n"
        %out = Result(%sum)
        %runs = Result(%more))");
}

// v = rows of x so far; out = their sum.
std::shared_ptr<Model> history() {
    return Model::from_text(R"(model "history"
        %x = Parameter : f32[?,2]
        %v = ReadValue.6 variable_id="rows" variable_type=f32 variable_shape=[?,2]
        %all = Concat(%v, %x) axis=0
        %keep = Assign.6(%all) variable_id="rows"
        %axis = Const value={0} : i64[1]
        %sum = ReduceSum(%all, %axis) keep_dims=false
        %out = Result(%sum))");
}

std::vector<float> run(InferRequest& request, const std::vector<float>& x) {
    request.set_input_tensor(0, Tensor::of<float>(Shape{x.size()}, x));
    request.infer();
    return floats(request.get_output_tensor(0));
}

std::vector<float> run_rows(InferRequest& request, const std::vector<float>& x) {
    request.set_input_tensor(Tensor::of<float>(Shape{x.size() / 2, 2}, x));
    request.infer();
    return floats(request.get_output_tensor());
}

class Requests : public OnBothDevices {};

TEST_P(Requests, KeepTheirVariablesFromRunToRun) {
    InferRequest request = request_of(counter());
    EXPECT_THAT(run(request, {1, 2}), ElementsAre(1, 2));
    EXPECT_THAT(run(request, {10, 20}), ElementsAre(11, 22));
    EXPECT_THAT(run(request, {0, -2}), ElementsAre(11, 20));
    const std::vector<VariableState> states = request.query_state();
    ASSERT_EQ(states.size(), 1u);
    EXPECT_EQ(states[0].get_name(), "v");
    EXPECT_THAT(floats(states[0].get_state()), ElementsAre(11, 20));
}

TEST_P(Requests, BeginAtTheInitialValueAndAfterAReset) {
    InferRequest request = request_of(counter_with_start());
    EXPECT_THAT(run(request, {1, 2}), ElementsAre(11, 22));
    EXPECT_THAT(run(request, {1, 1}), ElementsAre(12, 23));
    EXPECT_THAT(to_ints(request.get_output_tensor(1)), ElementsAre(2));
    request.reset_state();
    EXPECT_THAT(floats(request.query_state()[1].get_state()), ElementsAre(0, 0));
    EXPECT_THAT(run(request, {3, 4}), ElementsAre(33, 44));
    EXPECT_THAT(to_ints(request.get_output_tensor(1)), ElementsAre(1));
    request.query_state()[1].reset();  // "n" goes on
    EXPECT_THAT(run(request, {1, 0}), ElementsAre(11, 0));
    EXPECT_THAT(to_ints(request.get_output_tensor(1)), ElementsAre(2));
}

TEST_P(Requests, TakeValuesOfTheUser) {
    InferRequest request = request_of(counter_with_start());
    std::vector<VariableState> states = request.query_state();
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[0].get_name(), "n");
    states[1].set_state(Tensor::of<float>({2}, {100, 200}));  // instead of the initial value too
    EXPECT_THAT(run(request, {1, 2}), ElementsAre(101, 202));
    EXPECT_THAT(message_of([&] { states[1].set_state(Tensor(ElementType::i64, Shape{2})); }),
                HasSubstr("variable 'v': the value is a tensor of i64, expected f32"));
    EXPECT_THAT(message_of([&] { states[1].set_state(Tensor(ElementType::f32, Shape{3})); }),
                HasSubstr("variable 'v': the value has shape [3], expected [2]"));
    EXPECT_THAT(floats(states[1].get_state()), ElementsAre(101, 202));
}

TEST_P(Requests, DoNotShareTheirVariables) {
    CompiledModel compiled = core_.compile_model(counter(), GetParam());
    std::vector<std::thread> threads;
    std::vector<std::vector<float>> last(4);
    for (std::size_t t = 0; t < last.size(); ++t) {
        threads.emplace_back([&, t] {
            InferRequest request = compiled.create_infer_request();
            for (int i = 0; i < 50; ++i) {
                last[t] = run(request, {static_cast<float>(t), 1});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t t = 0; t < last.size(); ++t) {
        EXPECT_THAT(last[t], ElementsAre(50.0F * static_cast<float>(t), 50));
    }
}

TEST_P(Requests, KeepThemInAsynchronousRuns) {
    CompiledModel compiled = core_.compile_model(counter(), GetParam(), {{"NUM_STREAMS", 2}});
    std::vector<InferRequest> requests;
    for (int i = 0; i < 3; ++i) {
        requests.push_back(compiled.create_infer_request());
        requests.back().set_input_tensor(Tensor::of<float>({2}, {static_cast<float>(i), 1}));
    }
    for (int round = 0; round < 20; ++round) {
        for (InferRequest& request : requests) {
            request.start_async();
        }
        for (InferRequest& request : requests) {
            request.wait();
        }
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_THAT(floats(requests[static_cast<std::size_t>(i)].query_state()[0].get_state()),
                    ElementsAre(20 * i, 20));
    }
}

TEST_P(Requests, MayHaveVariablesThatGrow) {
    InferRequest request = request_of(history());
    EXPECT_EQ(request.query_state()[0].get_state().get_shape(), (Shape{0, 2}));
    EXPECT_THAT(run_rows(request, {1, 2}), ElementsAre(1, 2));
    EXPECT_THAT(run_rows(request, {1, 2, 3, 4}), ElementsAre(5, 8));
    EXPECT_THAT(run_rows(request, {1, 1}), ElementsAre(6, 9));
    const Tensor rows = request.query_state()[0].get_state();
    EXPECT_EQ(rows.get_shape(), (Shape{4, 2}));
    EXPECT_THAT(floats(rows), ElementsAre(1, 2, 1, 2, 3, 4, 1, 1));
    request.reset_state();
    EXPECT_THAT(run_rows(request, {7, 7}), ElementsAre(7, 7));
    request.query_state()[0].set_state(Tensor::of<float>({1, 2}, {1, 1}));
    EXPECT_THAT(run_rows(request, {7, 7}), ElementsAre(8, 8));
    EXPECT_THAT(message_of([&] {
                    request.query_state()[0].set_state(Tensor(ElementType::f32, Shape{1, 3}));
                }),
                HasSubstr("the value has shape [1,3], expected [?,2]"));
}

// Three rows are more than the variable may have.
TEST_P(Requests, LeaveVariablesAloneWhenARunFails) {
    InferRequest request = request_of(Model::from_text(R"(
        %x = Parameter : f32[?,2]
        %v = ReadValue.6 variable_id="rows" variable_type=f32 variable_shape=[0..2,2]
        %all = Concat(%v, %x) axis=0
        %keep = Assign.6(%all) variable_id="rows"
        %out = Result(%all))"));
    EXPECT_THAT(run_rows(request, {1, 2}), ElementsAre(1, 2));
    EXPECT_THAT(
        message_of([&] {
            run_rows(request, {5, 5, 6, 6});
        }),
        HasSubstr("variable 'rows': the assigned value has shape [3,2], expected [0..2,2]"));
    EXPECT_THAT(floats(request.query_state()[0].get_state()), ElementsAre(1, 2));
    EXPECT_THAT(run_rows(request, {3, 4}), ElementsAre(1, 2, 3, 4));
}

// The type is that of the file, whatever the device computes with.
TEST_P(Requests, KeepHalvesAsHalves) {
    InferRequest request = request_of(Model::from_text(R"(
        %x = Parameter : f16[1]
        %v = ReadValue.6 variable_id="v" variable_type=f16 variable_shape=[1]
        %sum = Add(%v, %x)
        %keep = Assign.6(%sum) variable_id="v"
        %out = Result(%sum))"));
    for (int i = 0; i < 3; ++i) {
        request.set_input_tensor(Tensor::of<float>({1}, {0.5F}).to(ElementType::f16));
        request.infer();
    }
    const Tensor value = request.query_state()[0].get_state();
    EXPECT_EQ(value.get_element_type(), ElementType::f16);
    EXPECT_THAT(to_floats(value), ElementsAre(1.5F));
}

// A result that is a variable, and one that is assigned to two of them, have memory of their own.
TEST_P(Requests, OutputsAreNotTheVariables) {
    InferRequest request = request_of(Model::from_text(R"(
        %x = Parameter : f32[1]
        %v = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[1]
        %u = ReadValue.6 variable_id="u" variable_type=f32 variable_shape=[1]
        %relu = ReLU(%x)
        %keep = Assign.6(%relu) variable_id="v"
        %keep_u = Assign.6(%relu) variable_id="u"
        %old = Result(%v)
        %new = Result(%relu))"));
    EXPECT_THAT(run(request, {3}), ElementsAre(0));
    const Tensor old = request.get_output_tensor(0);
    request.query_state()[0].set_state(Tensor::of<float>({1}, {8}));  // "u"
    EXPECT_THAT(floats(old), ElementsAre(0));
    EXPECT_THAT(floats(request.get_output_tensor(1)), ElementsAre(3));
    EXPECT_THAT(run(request, {-5}), ElementsAre(3));
    EXPECT_THAT(floats(request.query_state()[1].get_state()), ElementsAre(0));
}

TEST_P(Requests, OfAModelWithoutVariablesHaveNone) {
    InferRequest request = request_of(relu_model());
    EXPECT_TRUE(request.query_state().empty());
    request.reset_state();
}

TEST_P(Requests, ReportNamesTheVariables) {
    const CompiledModel compiled = core_.compile_model(counter_with_start(), GetParam());
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    ASSERT_EQ(report["variables"].size(), 2u);
    EXPECT_EQ(report["variables"][0]["name"], "n");
    EXPECT_EQ(report["variables"][0]["shape"], "[1]");
    EXPECT_EQ(report["variables"][1]["type"], "f32");
    EXPECT_EQ(report["variables"][1]["initial"], true);
}

INSTANTIATE_TEST_SUITE_P(State, Requests, testing::Values("CPU", "REFERENCE"));

TEST(StateFiles, AreReadAsTheyWereWritten) {
    TemporaryFolder folder;
    const auto model = counter_with_start();
    write_ir(*model, folder.path("m.xml"));
    Core core;
    const auto read = core.read_model(folder.path("m.xml"));
    EXPECT_EQ(compare_models(*read, *model, {.layer_names = true}), "");
    InferRequest request = core.compile_model(read, "CPU").create_infer_request();
    EXPECT_THAT(run(request, {1, 2}), ElementsAre(11, 22));
    EXPECT_THAT(run(request, {1, 2}), ElementsAre(12, 24));
}

// As OpenVINO writes it: the Assign has an output that nobody reads.
TEST(StateFiles, WithoutAResultOrAPairAreRefused) {
    const auto ir = [](const std::string& assign) {
        return R"(<net name="m" version="11"><layers>
            <layer id="0" name="x" type="Parameter" version="opset1">
                <data shape="1,?" element_type="f32"/><output><port id="0"/></output></layer>
            <layer id="1" name="r" type="ReadValue" version="opset6">
                <data variable_id="v" variable_type="f32" variable_shape="1,?"/>
                <output><port id="0"/></output></layer>
            <layer id="2" name="c" type="Concat" version="opset1"><data axis="1"/>
                <input><port id="0"/><port id="1"/></input><output><port id="2"/></output></layer>
            <layer id="3" name="a" type="Assign" version="opset6">)" +
               assign + R"(<input><port id="0"/></input><output><port id="1"/></output></layer>
            </layers><edges>
            <edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
            <edge from-layer="0" from-port="0" to-layer="2" to-port="1"/>
            <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>)";
    };
    EXPECT_THAT(
        message_of([&] { read_ir_from_memory(ir("<data variable_id=\"other\"/>"), Tensor()); }),
        HasSubstr("has no "));
    // Nothing but a variable: enough to run.
    const auto model = read_ir_from_memory(ir("<data variable_id=\"v\"/>"), Tensor());
    Core core;
    InferRequest request = core.compile_model(model, "CPU").create_infer_request();
    for (float x = 1; x < 4; ++x) {
        request.set_input_tensor(Tensor::of<float>({1, 1}, {x}));
        request.infer();
    }
    EXPECT_THAT(floats(request.query_state()[0].get_state()), ElementsAre(1, 2, 3));
}

TEST(StateFiles, CompiledOnesKeepTheVariables) {
    Core core;
    for (const auto& model : {counter_with_start(), history()}) {
        std::stringstream file;
        core.compile_model(model, "CPU").export_model(file);
        CompiledModel imported = core.import_model(file, "CPU");
        InferRequest request = imported.create_infer_request();
        EXPECT_EQ(request.query_state().size(), variables_of(*model).size());
        if (model->name() == "history") {
            run_rows(request, {1, 2});
            EXPECT_THAT(run_rows(request, {1, 2}), ElementsAre(2, 4));
        } else {
            EXPECT_THAT(run(request, {1, 2}), ElementsAre(11, 22));
            EXPECT_THAT(run(request, {1, 2}), ElementsAre(12, 24));
        }
        EXPECT_EQ(compare_models(*imported.model(), *model), "");
    }
}

TEST(StateFiles, CacheKeepsTheVariables) {
    TemporaryFolder folder;
    write_ir(*counter_with_start(), folder.path("m.xml"));
    Core core;
    for (const bool hit : {false, true}) {
        CompiledModel compiled = core.compile_model(folder.path("m.xml"), "CPU",
                                                    {{property::kCacheDir, folder.path("cache")}});
        EXPECT_EQ(compiled.get_property(property::kLoadedFromCache).as_bool(), hit);
        InferRequest request = compiled.create_infer_request();
        EXPECT_THAT(run(request, {1, 2}), ElementsAre(11, 22));
        EXPECT_THAT(run(request, {1, 2}), ElementsAre(12, 24));
    }
}

}  // namespace
}  // namespace fuseq::test
