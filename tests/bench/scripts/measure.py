# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What the measuring scripts share: running the tools, medians, tables."""
import datetime
import importlib.util
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"


class Missing(Exception):
    """Something the measurement needs is not there; the text says how to get it."""


def add_common_options(parser):
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder, configured with -DFUSEQ_BENCH=ON")
    parser.add_argument("--perf", type=pathlib.Path, default=SHARED / "perf",
                        help="folder of macs.py and of the peers' figures (README.md)")
    parser.add_argument("--prefix", type=shlex.split, default=[],
                        help="words before every measured command, for instance 'taskset -c 1'")
    parser.add_argument("--out", type=pathlib.Path, help="write the table (markdown) here too")


def run_script(main):
    """Runs main(); what is missing is one line on stderr and exit status 1."""
    try:
        sys.exit(main())
    except Missing as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        text = (done.stderr.strip() or done.stdout.strip())[-400:]
        raise Missing(f"{' '.join(map(str, command))} failed: {text}")
    return done.stdout


class Tools:
    """The programs of a build."""

    def __init__(self, options):
        self.folder = options.build / "bin"
        self.prefix = options.prefix

    def path(self, name):
        path = self.folder / name
        if not path.exists():
            raise Missing(f"{path} is missing: cmake --preset release -DFUSEQ_BENCH=ON && "
                          f"cmake --build --preset release --target {name}")
        return path

    def peak(self, threads):
        """Ceilings of this machine: int8_gmacs, f32_gmacs, read_24mb, read_1gb."""
        return json.loads(run([*self.prefix, self.path("bench_peak"), threads]))

    def plan(self, model, threads, rounds):
        return json.loads(run([*self.prefix, self.path("bench_plan"), model, threads, rounds]))

    def benchmark(self, model, *arguments, inputs=None):
        """One run of benchmark_app; its report."""
        with tempfile.TemporaryDirectory() as folder:
            command = [*self.prefix, self.path("benchmark_app"), "-m", model, "-d", "CPU",
                       "-json_stats", "-report_folder", folder, *arguments]
            if inputs is not None:
                command += ["-i", inputs]
            run(command)
            return json.loads((pathlib.Path(folder) / "benchmark_report.json").read_text())


def load_macs(perf):
    """macs.count(xml) of ../shared/perf: dense and depthwise multiply-accumulates of an IR."""
    path = perf / "macs.py"
    if not path.exists():
        raise Missing(f"{path} is missing: give its folder with --perf")
    spec = importlib.util.spec_from_file_location("macs", path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise Missing(f"{path}: {error}; run with /usr/bin/python3 after apt-get install "
                      "python3-numpy") from error
    return module.count


def median(values):
    return statistics.median(values)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def number(value, digits=3):
    """With `digits` significant digits, as people write them: 0.0123, 1.23, 123, 1234."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text else text


def percent(value):
    return "" if value is None else f"{100 * value:.0f} %"


def machine():
    """One line: processor, CPUs, date, commit."""
    name, cpus = "unknown processor", 0
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(": ", 1)[1]
            cpus += 1
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True,
                            capture_output=True, check=False).stdout.strip()
    return f"{name}, {cpus} CPUs, {datetime.date.today()}, commit {commit or 'unknown'}"


class Peaks:
    """The ceilings with 1 and 2 threads, sampled now and then: processors change their clock, and what
    is held against them must have been measured in the same minutes. Medians count."""

    def __init__(self, tools):
        self.tools = tools
        self.samples = {1: [], 2: []}
        self.sample()

    def sample(self):
        for threads, samples in self.samples.items():
            samples.append(self.tools.peak(threads))

    def of(self, threads, key):
        values = [sample[key] for sample in self.samples[threads] if sample[key] is not None]
        return median(values) if values else None

    def text(self):
        sides = [f"{threads} thread(s): int8 {number(self.of(threads, 'int8_gmacs'))}, "
                 f"f32 {number(self.of(threads, 'f32_gmacs'))} GMAC/s, "
                 f"read {number(self.of(threads, 'read_24mb'))} GB/s (24 MB), "
                 f"{number(self.of(threads, 'read_1gb'))} GB/s (1 GB)" for threads in self.samples]
        return "Peak, " + "; ".join(sides) + "."


def finish(options, text):
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0
