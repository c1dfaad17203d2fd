#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Every model of a folder: latency, throughput of two streams, compile time, memory, share of the peak.

usage: real_models.py [MODELS] [--seconds 1] [--rounds 3] [--only part,of,names] [--out FILE]

MODELS holds a folder a model (../shared/models). Beside each figure stands what OpenVINO reaches on the
machine of ../shared/perf/README.md, read from its table: its efficiency can be compared, its milliseconds
cannot. A model that the table does not list has none.
"""
import argparse
import pathlib
import re
import sys
import tempfile

import measure

# | model | GMAC dense | depthwise MMAC | 1T | 2T | efficiency 1T |
PEER_ROW = re.compile(r"^\| ([\w.-]+)( \([^|]*\))? \| [\d.]+ \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \| "
                      r"(\d+) % \|$", re.MULTILINE)


def peer_efficiency(text):
    """Model name without its release -> OpenVINO's efficiency; from the README's table. The name
    with the release wins where a table lists several."""
    return {row[0]: int(row[4]) / 100 for row in PEER_ROW.findall(text)}


def peer_of(name, efficiency):
    stem = re.sub(r"-v1[01](fq)?$", "", name)
    return efficiency.get(name, efficiency.get(stem))


def model_file(folder):
    files = [path for path in sorted(folder.glob("*.xml"))
             if ".fp16." not in path.name and ".fp32." not in path.name]
    return files[0] if files else None


def models(options):
    found = []
    for folder in sorted(path for path in options.models.iterdir() if path.is_dir()):
        path = model_file(folder)
        if path and (not options.only or any(p in folder.name for p in options.only.split(","))):
            found.append((folder.name, path))
    if not found:
        raise measure.Missing(f"no models in {options.models}")
    return found


def load_cached(tools, path, cache):
    """A load with a cache folder, or None when the device has no cache."""
    try:
        return tools.benchmark(path, "-api", "sync", "-niter", 1, "-cache_dir", cache,
                               "-load_from_file")
    except measure.Missing as error:
        if "no property 'CACHE_DIR'" in str(error):
            return None
        raise


def measure_model(options, tools, path):
    """Medians over the rounds of what benchmark_app reports, the forms in alternation."""
    forms = {
        "1T": ["-api", "sync", "-nthreads", 1, "-t", options.seconds],
        "2T": ["-api", "sync", "-nthreads", 2, "-t", options.seconds],
        "1S": ["-api", "async", "-nthreads", 1, "-nstreams", 1, "-nireq", 1, "-t", options.seconds],
        "2S": ["-api", "async", "-nthreads", 2, "-nstreams", 2, "-nireq", 2, "-t", options.seconds],
    }
    reports = {form: [] for form in forms}
    cached = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(options.rounds):
            for form, arguments in forms.items():
                reports[form].append(tools.benchmark(path, *arguments))
            cached.append(load_cached(tools, path, cache))

    def of(form, key):
        return measure.median([report[key] for report in reports[form]])

    hits = [report["read_ms"] + report["compile_ms"] for report in cached
            if report and report["loaded_from_cache"]]
    return {
        "1T": of("1T", "median_ms"), "2T": of("2T", "median_ms"),
        "fps1": of("1S", "throughput_fps"), "fps2": of("2S", "throughput_fps"),
        "load": measure.median([r["read_ms"] + r["compile_ms"] for r in reports["1T"]]),
        "cached": measure.median(hits) if hits else None,
        "rss": of("1T", "peak_rss_mb"),
    }


HEAD = ["model", "GMAC dense + depthwise", "1T, ms", "2T, ms", "2T over 1T", "2 streams over 1",
        "read + compile, ms", "from cache, ms", "peak RSS, MB (.bin)", "of peak", "OpenVINO", "times"]


def row(name, macs, bin_bytes, times, peer, peak):
    dense, depthwise = macs
    reached = dense / 1e6 / peak / times["1T"] if peak else None
    return [name, f"{dense / 1e9:.3f}" + (f" + {depthwise / 1e9:.3f}" if depthwise else ""),
            measure.number(times["1T"]), measure.number(times["2T"]),
            f"{times['1T'] / times['2T']:.2f}", f"{times['fps2'] / times['fps1']:.2f}",
            measure.number(times["load"]), measure.number(times["cached"]),
            f"{times['rss']:.0f} ({bin_bytes / 1e6:.1f})", measure.percent(reached),
            measure.percent(peer), f"{reached / peer:.2f}" if peer and reached else ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path, nargs="?", default=measure.SHARED / "models")
    parser.add_argument("--seconds", type=float, default=1, help="of each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="parts of names, with commas")
    measure.add_common_options(parser)
    options = parser.parse_args()
    readme = options.perf / "README.md"
    if not options.models.is_dir() or not readme.exists():
        raise measure.Missing(f"{options.models} and {readme} are needed: give their folders")
    tools = measure.Tools(options)
    count = measure.load_macs(options.perf)
    efficiency = peer_efficiency(readme.read_text(encoding="utf-8"))
    peaks, measured = measure.Peaks(tools), []
    for name, path in models(options):
        times = measure_model(options, tools, path)
        if len(measured) % 4 == 0:
            peaks.sample()
        size = path.with_suffix(".bin").stat().st_size
        measured.append((name, count(path), size, times, peer_of(name, efficiency)))
        print(name, times, file=sys.stderr)
    rows = [row(*what, peaks.of(1, "int8_gmacs")) for what in measured]
    return measure.finish(options, "\n\n".join([
        measure.machine() + ". " + peaks.text(), measure.table(HEAD, rows)]))


if __name__ == "__main__":
    measure.run_script(main)
