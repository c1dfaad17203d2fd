#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The lint scripts find what they are there to find."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_files  # noqa: E402
import check_frames  # noqa: E402
import check_includes  # noqa: E402
import check_local_names  # noqa: E402
import check_tests  # noqa: E402
import check_types  # noqa: E402
import run_clang_tidy  # noqa: E402


class CheckIncludes(unittest.TestCase):
    def findings(self, path, text, others=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in [(path, text)] + [(other, "") for other in others]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            return list(check_includes.check_file(root, path))

    def test_lower_layer_is_allowed(self):
        self.assertEqual(self.findings("src/ir/a.cpp", '#include "model/b.hpp"\n#include <map>\n',
                                       ["src/model/b.hpp"]), [])

    def test_upper_layer_is_refused(self):
        found = self.findings("src/runtime/a.cpp", '\n#include "cpu/plan/b.hpp"\n',
                              ["src/cpu/plan/b.hpp"])
        self.assertEqual(len(found), 1)
        self.assertIn("src/runtime/a.cpp:2: includes", found[0])
        self.assertIn("may include only", found[0])

    def refused(self, path, include):
        return self.findings(path, f'#include "{include}"\n', ["src/" + include]) != []

    def test_folders_of_the_cpu_device_see_only_what_is_below(self):
        order = ["threading", "steps", "plan", "exec", "compile", "cache", "plugin"]
        for place, folder in enumerate(order):
            for above in order[place + 1:]:
                self.assertTrue(self.refused(f"src/cpu/{folder}/a.cpp", f"cpu/{above}/b.hpp"),
                                f"{folder} includes {above}")
        for below in ("steps", "plan", "exec", "compile", "cache"):
            self.assertFalse(self.refused("src/cpu/plugin/a.cpp", f"cpu/{below}/b.hpp"), below)

    def test_kernels_see_the_machine_common_parts_and_basic_ops(self):
        path = "src/cpu/kernels/gemm/a.cpp"
        for allowed in ("cpu/machine/b.hpp", "cpu/kernels/common/b.hpp",
                        "cpu/post_ops/basic_ops.hpp", "cpu/kernels/gemm/b.hpp"):
            self.assertFalse(self.refused(path, allowed), allowed)
        for refused in ("cpu/steps/b.hpp", "cpu/threading/b.hpp", "cpu/post_ops/simplify.hpp",
                        "cpu/kernels/reduce/b.hpp", "ops/b.hpp"):
            self.assertTrue(self.refused(path, refused), refused)

    def test_steps_are_not_lowered_nor_planned_by_themselves(self):
        for refused in ("lowering", "plan", "compile"):
            self.assertTrue(self.refused("src/cpu/steps/a.cpp", f"cpu/{refused}/b.hpp"), refused)

    def test_rooms_to_come(self):
        self.assertFalse(self.refused("src/readers/onnx/a.cpp", "ops/b.hpp"))
        for path, include in [("src/readers/onnx/a.cpp", "readers/tflite/b.hpp"),
                              ("src/readers/tflite/a.cpp", "cpu/plan/b.hpp"),
                              ("src/quantizer/a.cpp", "cpu/plan/b.hpp"),
                              ("src/python/a.cpp", "model/b.hpp"),
                              ("src/compat/a.cpp", "runtime/b.hpp")]:
            self.assertTrue(self.refused(path, include), f"{path} includes {include}")

    def test_rows_of_the_cpu_device_allow_no_cycle(self):
        rows = {"src/cpu/a": ["cpu/a", "cpu/b"], "src/cpu/b": ["cpu/b", "cpu/c/d.hpp"],
                "src/cpu/c": ["cpu/c"]}
        self.assertEqual(list(check_includes.cycles(rows)), [])
        rows["src/cpu/c"].append("cpu/a")
        found = list(check_includes.cycles(rows))
        self.assertEqual([line.split(":")[0] for line in found],
                         ["src/cpu/a", "src/cpu/b", "src/cpu/c"])
        self.assertEqual(list(check_includes.cycles(check_includes.LAYERS)), [])

    def test_public_headers_see_only_public_headers(self):
        self.assertEqual(len(self.findings("include/fuseq/a.hpp", '#include "model/b.hpp"\n',
                                           ["src/model/b.hpp"])), 1)

    def test_transformations_do_not_see_the_plugin(self):
        self.assertEqual(len(self.findings("transformations/common/a.cpp",
                                           '#include "cpu/post_ops/basic_ops.hpp"\n',
                                           ["src/cpu/post_ops/basic_ops.hpp"])), 1)

    def test_programs_see_their_own_folder_and_the_public_api(self):
        files = ["samples/infer/args.hpp", "samples/explain/report.hpp", "include/fuseq/core.hpp"]
        text = '#include "infer/args.hpp"\n#include "fuseq/core.hpp"\n'
        self.assertEqual(self.findings("samples/infer/main.cpp", text, files), [])
        text = '#include "explain/report.hpp"\n'
        self.assertEqual(len(self.findings("samples/infer/main.cpp", text, files)), 1)

    def test_onednn_only_in_the_plugin(self):
        include = "#include <oneapi/dnnl/dnnl.hpp>\n"
        self.assertEqual(self.findings("src/cpu/steps/a.cpp", include), [])
        self.assertEqual(len(self.findings("src/ops/a.cpp", include)), 1)
        self.assertEqual(len(self.findings("src/cpu/post_ops/simplify.cpp", include)), 1)
        self.assertEqual(self.findings("src/cpu/post_ops/dnnl_post_ops_composer.cpp", include), [])

    def test_missing_file_and_unknown_folder(self):
        self.assertIn("no such file", self.findings("src/ir/a.cpp", '#include "ir/none.hpp"\n')[0])
        self.assertIn("no layer", self.findings("src/new_part/a.cpp", "")[0])


class CheckTests(unittest.TestCase):
    def findings(self, *texts):
        return list(check_tests.check([(f"f{i}", text) for i, text in enumerate(texts)]))

    def test_a_body_asserts(self):
        self.assertEqual(self.findings("TEST(A, B) {\n    EXPECT_EQ(f(), 1);\n}\n"), [])
        self.assertEqual(self.findings("TEST_F(A, B) {\n    if (!f()) {\n        FAIL();\n    }\n}\n"), [])
        self.assertEqual(self.findings("\nTEST_P(A, B) {\n    f();\n}\n"), ["f0:2: A.B asserts nothing"])
        self.assertEqual(self.findings("TEST(A, B) {}\nTEST(A, C) {\n    EXPECT_TRUE(f());\n}\n"),
                         ["f0:1: A.B asserts nothing"])

    def test_comments_and_literals_are_no_assertions(self):
        for line in ("// EXPECT_EQ(a, b);", "/* EXPECT_EQ(\n1, 1) */", 'f("EXPECT_EQ(a, b)");',
                     'f(R"x(EXPECT_EQ(")x");', "EXPECT_TRUE(true);", "ASSERT_FALSE( false );"):
            self.assertEqual(self.findings("TEST(A, B) {\n    " + line + "\n}\n"),
                             ["f0:1: A.B asserts nothing"])
        self.assertEqual(self.findings('TEST(A, B) {\n    f("}", \'{\', "//");\n    EXPECT_EQ(a, 1\'000);\n}\n'), [])

    def test_helpers_assert(self):
        helper = "void same(const A& a, const B& b = {}) {\n    ASSERT_EQ(a, b);\n}\n"
        outer = "template <class T>\nvoid all(T a) {\n    same(a);\n}\n"
        self.assertEqual(self.findings(helper, outer, "TEST(A, B) {\n    all<int>(1);\n}\n"), [])
        self.assertEqual(self.findings("TEST(A, B) {\n    same(1);\n}\n"), ["f0:1: A.B asserts nothing"])
        named = "TEST(A, B) {\n    const auto same = [&](int a) { EXPECT_EQ(a, 1); };\n    same(1);\n}\n"
        self.assertEqual(self.findings(named), [])

    def test_a_return_before_an_assertion_skips(self):
        text = "TEST(A, B) {\n    if (!fast()) {\n        return;\n    }\n    EXPECT_EQ(f(), 1);\n}\n"
        self.assertEqual(self.findings(text), ["f0:1: A.B returns before it asserts; GTEST_SKIP says why"])
        self.assertEqual(self.findings(text.replace("return;", 'GTEST_SKIP() << "slow";')), [])
        late = "TEST(A, B) {\n    EXPECT_EQ(f(), 1);\n    if (!fast()) {\n        return;\n    }\n}\n"
        self.assertEqual(self.findings(late), [])
        value = 'TEST(A, B) {\n    const auto f = [] { return "x"; };\n    EXPECT_EQ(f(), 1);\n}\n'
        self.assertEqual(self.findings(value), [])


class CheckTypes(unittest.TestCase):
    def findings(self, *texts):
        return list(check_types.findings([(f"f{i}", text) for i, text in enumerate(texts)]))

    def test_one_name_in_one_namespace(self):
        a = "namespace a {\n\nstruct Box {\n    float x;\n};\n\n}  // namespace a\n"
        self.assertEqual(self.findings(a, a), ["a::Box is defined in f0 and in f1"])
        b = a.replace("struct Box {", "class Box final : public Shape {")
        self.assertEqual(self.findings(a, b), ["a::Box is defined in f0 and in f1"])

    def test_what_the_linker_keeps_apart(self):
        a = "namespace a {\nstruct Box {\n};\n}  // namespace a\n"
        hidden = "namespace a {\nnamespace {\nstruct Box {\n};\n}  // namespace\n}  // namespace a\n"
        other = a.replace("namespace a", "namespace b")
        after = hidden.replace("}  // namespace a", "struct Bag {\n};\n}  // namespace a")
        self.assertEqual(self.findings(a, hidden, other), [])
        self.assertEqual(self.findings(after, after), ["a::Bag is defined in f0 and in f1"])

    def test_declarations_specializations_and_nested_types(self):
        text = ("namespace a {\nclass Box;\nstruct Names<Box> {\n};\nstruct Box::Impl {\n};\n"
                "enum class Kind : int;\n}  // namespace a\n")
        self.assertEqual(self.findings(text, text), [])


class CheckLocalNames(unittest.TestCase):
    def findings(self, *bodies, namespace="a"):
        text = "namespace {0} {{\nnamespace {{\n{1}\n}}  // namespace\n}}  // namespace {0}\n"
        return list(check_local_names.findings([(f"f{i}", text.format(namespace, body))
                                                for i, body in enumerate(bodies)]))

    def test_what_collides(self):
        for body, name in (("struct Box {\n};", "Box"), ("constexpr int kMax = 3;", "kMax"),
                           ("const Row kRows[] = {", "kRows"), ("enum Input : int { kX, kY };", "kX")):
            self.assertIn(f"a::{name} is local to f0 and to f1", self.findings(body, body))
        one = "bool takes(const Node& node) {\n}"
        two = "int takes(const Node&\n              reader) {\n}"
        self.assertEqual(self.findings(one, two), ["a::takes(const Node&) is local to f0 and to f1"])
        self.assertEqual(self.findings("struct Work {\n};", "void Work(int x) {"),
                         ["a::Work is something else in each of f0 and f1"])

    def test_what_does_not(self):
        self.assertEqual(self.findings("void run(int x) {", "void run(int x, float y) {"), [])
        self.assertEqual(self.findings("using Clock = std::clock;", "using Clock = std::clock;"), [])
        self.assertEqual(len(self.findings("using Ints = A;", "using Ints = B;")), 1)
        member = "class Box {\nprotected:\n    int kind() const { return 0; }\n};"
        self.assertEqual(self.findings(member, member.replace("Box", "Bag")), [])
        shown = "namespace a {\nint run(int x) {\n}\n}  // namespace a\n"
        self.assertEqual(list(check_local_names.findings([("f0", shown), ("f1", shown)])), [])

    def test_a_namespace_of_the_file_keeps_apart(self):
        text = "namespace a::{0} {{\nnamespace {{\nconst Op kOps[] = {{\n}}  // namespace\n}}  // namespace a::{0}\n"
        files = [(name, text.format(name)) for name in ("roll_ops", "tile_ops")]
        self.assertEqual(list(check_local_names.findings(files)), [])

    def test_groups_are_those_of_cmake(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in (("src/ops/CMakeLists.txt", "fuseq_quick_build(x headers TOGETHER)"),
                               ("src/ops/bits/a.cpp", ""), ("src/quantizer/b.cpp", ""),
                               ("src/quantizer/CMakeLists.txt", "fuseq_quick_build(y headers)"),
                               ("src/cpu/CMakeLists.txt", "foreach(folder plan exec)\n    fuseq_cpu_folder("
                                "${folder} LIBS z TOGETHER)\nendforeach()\nfuseq_cpu_folder(plan/passes LIBS z)\n"),
                               ("src/cpu/plan/c.cpp", ""), ("src/cpu/plan/passes/d.cpp", ""),
                               ("transformations/CMakeLists.txt", "")):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            names = sorted(path.name for group in check_local_names.groups(root) for path in group)
            self.assertEqual(names, ["a.cpp", "c.cpp"])


class CheckFiles(unittest.TestCase):
    header = "// Copyright (C) 2026 Fuseq authors\n// SPDX-License-Identifier: Apache-2.0\n"

    def kinds(self, path, text):
        return [kind for kind, _ in check_files.check_file(path, text)]

    def test_good_file(self):
        self.assertEqual(self.kinds("a.hpp", self.header + "#pragma once\n"), [])

    def test_length(self):
        self.assertEqual(self.kinds("a.cpp", self.header + "\n" * 600), ["warning"])
        self.assertEqual(self.kinds("a.cpp", self.header + "\n" * 699), ["error"])

    def test_header_and_guard(self):
        self.assertEqual(self.kinds("a.cpp", "int a;\n"), ["error"])
        self.assertEqual(self.kinds("a.hpp", self.header), ["error"])

    def test_length_of_functions(self):
        body = "    call();\n" * 60
        for head in ("void run() {\n", "struct A {\nint run() const {\n",
                     "namespace a {\nA::A() : a_{1}, b_(2) {\n"):
            end = "}\n" * head.count("{\n")
            self.assertEqual(self.kinds("a.cpp", self.header + head + body + end), [])
            self.assertEqual(self.kinds("a.cpp", self.header + head + body + "\n" + end), ["error"])

    def test_what_is_no_function_may_be_long(self):
        rows = "    {1, 2},\n" * 70
        for head in ("constexpr int kRows[][2] = {\n", "struct alignas(64) Rows {\n",
                     "enum class Rows : std::uint8_t {\n", "namespace rows {\n"):
            self.assertEqual(self.kinds("a.cpp", self.header + head + rows + "};\n"), [])

    def test_braces_in_literals_and_comments_do_not_count(self):
        line = "    call(\"{\", '{', R\"({)\");  // {\n#define A {\n"
        text = self.header + "void run() {\n" + line + "}\nint rows[] = {\n" + "1,\n" * 70 + "};\n"
        self.assertEqual(self.kinds("a.cpp", text), [])


class CheckFrames(unittest.TestCase):
    def test_an_entry_without_code_is_found(self):
        listing = ("000258c0 000000000000001c 000258c4 FDE cie=00000000 pc=000000000089dd2e..000000000089dd2e\n"
                   "0003a370 0000000000000024 0000fa8c FDE cie=0002a8e8 pc=000000000089dd2e..000000000089dd52\n")
        self.assertEqual(check_frames.empty_frames(listing), ["000000000089dd2e"])


class ClangTidy(unittest.TestCase):
    def test_what_changed_comes_first(self):
        order = run_clang_tidy.in_order({"a.cpp", "b.cpp", "c.cpp"}, {"c.cpp", "b.cpp", "gone.cpp"})
        self.assertEqual(order, ["b.cpp", "c.cpp", "a.cpp"])

    def run_with(self, finding):
        commands = [{"directory": str(run_clang_tidy.ROOT), "file": "src/a.cpp", "command": "c++ a.cpp"}]
        with mock.patch.multiple(run_clang_tidy, compile_commands=lambda build: commands,
                                 tidy=lambda database, path: finding), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            status = run_clang_tidy.main([])
        return status, printed.getvalue()

    def test_a_finding_anywhere_fails(self):
        status, printed = self.run_with(["src/a.cpp:1:2: error: x"])
        self.assertEqual(status, 1)
        self.assertIn("1 files checked, 1 findings", printed)

    def test_no_finding_passes(self):
        status, printed = self.run_with([])
        self.assertEqual(status, 0)
        self.assertIn("1 files checked, 0 findings", printed)

    def test_a_build_of_sources_together_is_refused(self):
        commands = [{"directory": "/d", "file": "/d/Unity/unity_0_cxx.cxx", "command": "c++ unity_0_cxx.cxx"}]
        with mock.patch.multiple(run_clang_tidy, compile_commands=lambda build: commands):
            with self.assertRaisesRegex(SystemExit, "compiles sources together"):
                run_clang_tidy.main([])

    def test_options_of_gcc_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "compile_commands.json").write_text(
                '[{"directory": "/d", "file": "f.cpp", "command": "c++ -O2 -fno-gnu-unique -c f.cpp"}]')
            self.assertEqual(run_clang_tidy.compile_commands(build)[0]["command"],
                             "c++ -O2 -c f.cpp")


if __name__ == "__main__":
    unittest.main()
