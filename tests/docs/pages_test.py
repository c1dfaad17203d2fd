#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Runs what README.md, CONTRIBUTING.md and docs/*.md show: shell commands, Python programs, C++.

usage: pages_test.py ROOT BUILD_DIR [PAGE...]

Everything runs in a scratch folder that looks like the tree, with build/release/bin in PATH, the models that the pages
speak of (scratch_models.py), and a benchmark_app that stops after 20 inferences. Parts of programs run after the
lines in page_preludes.py. skipped_commands.txt lists what is not run, with the reason.
"""
import collections
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import doc_blocks
import page_preludes

HERE = pathlib.Path(__file__).resolve().parent
LANGUAGES = {"sh", "python", "cpp"}
SECONDS = 120
BENCHMARK = '#!/bin/sh\ncase " $* " in *" -niter "*) set -- "$@" ;; *) set -- "$@" -niter 20 ;; esac\nexec "{}" "$@"\n'


def pages(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


def make_scratch(scratch, root, build):
    """The tree by links, with a folder of programs of its own."""
    for name in ("docs", "include", "samples", "src", "tests", "transformations"):
        (scratch / name).symlink_to(root / name)
    (scratch / "tmp").mkdir()
    programs = scratch / "build/release/bin"
    programs.mkdir(parents=True)
    for name in ("lib", "python"):
        (scratch / "build/release" / name).symlink_to(build / name)
    for program in (build / "bin").iterdir():
        if program.name != "benchmark_app":
            (programs / program.name).symlink_to(program)
    (programs / "python3").symlink_to("/usr/bin/python3")  # that the package is built for
    shim = programs / "benchmark_app"
    shim.write_text(BENCHMARK.format(build / "bin/benchmark_app"))
    shim.chmod(0o755)


class Runner:
    def __init__(self, scratch, skips):
        self.scratch = scratch
        self.skips = skips
        self.environment = dict(os.environ, PATH=f"{scratch}/build/release/bin:{os.environ['PATH']}",
                                PYTHONPATH=f"{scratch}/build/release/python", PYTHONDONTWRITEBYTECODE="1")
        self.problems = []
        self.count = collections.Counter()

    def run(self, what, command, **options):
        self.count[what.split("[")[1].split()[0].strip("],")] += 1
        result = subprocess.run(command, cwd=self.scratch, env=self.environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=SECONDS, check=False, **options)
        if result.returncode != 0:
            self.problems.append(f"{what}: status {result.returncode}\n{result.stdout[-2000:]}")
        return result.stdout

    def shell(self, block):
        """The commands of a block in one shell, which may set variables; each is a check of its own."""
        script = ["set -e", 'diff() { command diff "$@" > /dev/null || [ $? = 1 ]; }  # a difference is no failure']
        for command in doc_blocks.commands_of(block.text):
            if self.skips.reason(block, command) is None:
                command = command.replace("/tmp/", f"{self.scratch}/tmp/")
                script += [f"echo + {shlex.quote(command)}", command]
        if len(script) > 2:
            self.run(f"{block.page} [sh {block.number}]", ["bash", "-c", "\n".join(script)])

    def python(self, block, before):
        (self.scratch / "program.py").write_text(block.text)
        prelude = page_preludes.PYTHON.get((block.page, block.number), "")
        self.run(f"{block.page} [python {block.number}]", ["/usr/bin/python3", "-"], input=before + prelude + block.text)
        return before + prelude + block.text

    def cpp(self, blocks):
        """Whole programs are built and run; of parts it is checked that they compile, all in one file."""
        parts = []
        for block in blocks:
            if self.skips.reason(block) is not None:
                continue
            if "int main(" in block.text:
                self.program(block)
            else:
                prelude = page_preludes.CPP[(block.page, block.number)]
                parts.append(f"void part_{len(parts)}({prelude}) {{\n"
                             f"#line 1 \"{block.page} [cpp {block.number}]\"\n{block.text}}}\n")
        source = "#include <fuseq/fuseq.hpp>\n#include <fuseq/preprocess.hpp>\n" + "".join(parts)
        if parts:
            self.run("docs [cpp parts]", ["g++", "-std=c++20", "-fsyntax-only", "-Iinclude", "-x", "c++", "-"],
                     input=source)

    def program(self, block):
        self.run(f"{block.page} [cpp {block.number}, compiled]",
                 ["g++", "-std=c++20", "-Iinclude", "-x", "c++", "-", "-o", "program", "-Lbuild/release/lib", "-lfuseq",
                  f"-Wl,-rpath,{self.scratch}/build/release/lib"], input=block.text)
        self.run(f"{block.page} [cpp {block.number}, run]", ["./program", "samples/models/residual_cnn.xml"])


def main(root, build, names):
    build = pathlib.Path(build).resolve()
    root = pathlib.Path(root).resolve()
    if not (build / "python/fuseq").is_dir():
        print("skipped: without the Python package there are no models to run on")
        return 77
    skips = doc_blocks.SkipList(doc_blocks.read_skips((HERE / "skipped_commands.txt").read_text()))
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        make_scratch(scratch, root, build)
        runner = Runner(scratch, skips)
        runner.run("models [python]", ["/usr/bin/python3", str(HERE / "scratch_models.py"), str(scratch)])
        parts = []
        for page in pages(root):
            name = str(page.relative_to(root))
            if names and name not in names:
                continue
            before = ""
            for block in doc_blocks.blocks_of(name, page.read_text(), LANGUAGES):
                if block.language == "cpp":
                    parts.append(block)
                elif block.language == "sh":
                    runner.shell(block)
                elif skips.reason(block) is None:
                    before = runner.python(block, before)
        runner.cpp(parts)
    if not names:
        runner.problems += [f"skipped_commands.txt: nothing needs the line {' | '.join(map(str, skip))}"
                            for skip in skips.stale()]
    for problem in runner.problems:
        print(problem)
    print(f"{sum(runner.count.values())} runs ({dict(runner.count)}), {len(runner.problems)} problems")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
