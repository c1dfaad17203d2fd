#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Signal-to-noise ratios of quantized networks, as a table in markdown (docs/quantizer.md).

usage: accuracy_table.py --bin BIN --data DATA [--siblings DIR] --work DIR [--variants A,B,...] [--calibration N]
                         [--validation N] [MODEL...]

DATA holds models/NAME/*.xml, images/calibration, images/validation and make_batches.py, which makes
inputs of pictures (python3-numpy, python3-pil). For each model: the variants, and the first of
DIR/NAME-*, an int8 model that other tools made of the same network. The variants "equalization",
"channel scales", "concat ranges", "bias correction", "measured biases", "best calibration" and "second order" are ranges
alone with one method each.
Writes a line as soon as it has it; what lies in --work is used again.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ALONE = ["-no_equalization", "-no_channel_scales", "-no_concat_ranges", "-no_bias_correction", "-no_measured_biases",
         "-no_integers_for_time"]


def alone_but(flag):
    return [other for other in ALONE if other != flag]


VARIANTS = {
    "ranges alone": ALONE,
    "defaults": [],
    "-everything": ["-everything"],
    "symmetric_with_uint8": ["-quantization_schema", "symmetric_with_uint8"],
    "defaults and best calibration": ["-quantization_calibration", "best"],
    "equalization": alone_but("-no_equalization"),
    "channel scales": alone_but("-no_channel_scales"),
    "concat ranges": alone_but("-no_concat_ranges"),
    "bias correction": alone_but("-no_bias_correction"),
    "measured biases": alone_but("-no_measured_biases"),
    "best calibration": [*ALONE, "-quantization_calibration", "best"],
    "second order": [*ALONE, "-second_order_rounding"],
}


def xml_in(folder):
    return str(sorted(folder.glob("*.xml"))[0])


def make_inputs(arguments, name, part, count):
    target = arguments.work / name / part
    if not target.is_dir():
        subprocess.run([sys.executable, str(arguments.data / "make_batches.py"), str(arguments.data / "models" / name),
                        str(arguments.data / "images" / part), str(target), "-n", str(count)], check=True)
    return target


def quantize(arguments, name, xml, data):
    """{variant: quantized model}; the profile is made once."""
    tool, profile = str(arguments.bin / "quantize"), arguments.work / name / "profile.yaml"
    if not profile.exists():
        subprocess.run([tool, "-q", "-m", xml, "-i", str(data), "-dump_profile", str(profile)], check=True)
    made = {}
    for variant in arguments.variants:
        out = arguments.work / name / f"{variant.replace(' ', '_')}.xml"
        if not out.exists():
            command = [tool, "-q", "-m", xml, "-i", str(data), "-load_profile", str(profile), "-o", str(out)]
            log = subprocess.run([*command, *VARIANTS[variant]], check=True, capture_output=True, text=True).stdout
            out.with_suffix(".log").write_text(log)
        made[variant] = str(out)
    return made


def measure(arguments, xml, inputs, models):
    """[{output: dB}], one a model."""
    command = [sys.executable, str(HERE / "measure_sqnr.py"), "--bin", str(arguments.bin), "--float", xml, "--inputs",
               str(inputs), *models]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [dict(re.findall(r"(\S+) (-?[\d.]+|inf)(?:,|$)", line.split(": ", 1)[1])) for line in lines]


def models_of(arguments, name):
    """The float model, {variant: quantized model}, and the sibling, None where there is none."""
    xml = xml_in(arguments.data / "models" / name)
    models = quantize(arguments, name, xml, make_inputs(arguments, name, "calibration", arguments.calibration))
    # A folder may hold the float model too.
    files = sorted(arguments.siblings.glob(f"{name}-*/*.xml")) if arguments.siblings else []
    siblings = [str(file) for file in files if "FakeQuantize" in file.read_text()]
    return xml, models, siblings[0] if siblings else None


def rows(arguments, name):
    xml, models, sibling = models_of(arguments, name)
    judge = make_inputs(arguments, name, "validation", arguments.validation)
    files = [*models.values(), *([sibling] if sibling else [])]
    figures = measure(arguments, xml, judge, files)
    if not sibling:
        figures.append({})
    for output in figures[0]:
        cells = [figure.get(output, "") for figure in figures]
        yield f"| {name} | {output} | " + " | ".join(cells) + " |"


def add_arguments(parser, variants):
    """Those that all scripts about these models take."""
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--siblings", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--variants", type=variant_names, default=variants, help="some of: " + ", ".join(VARIANTS))
    parser.add_argument("--calibration", type=int, default=48)
    parser.add_argument("--validation", type=int, default=24)
    parser.add_argument("models", nargs="*")


def variant_names(text):
    names_of_variants = text.split(",")
    for variant in names_of_variants:
        if variant not in VARIANTS:
            raise argparse.ArgumentTypeError(f"unknown variant '{variant}'; known are {', '.join(VARIANTS)}")
    return names_of_variants


def names(arguments):
    return arguments.models or sorted(path.name for path in (arguments.data / "models").iterdir())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_arguments(parser, ["ranges alone", "defaults", "-everything"])
    arguments = parser.parse_args()
    columns = ["model", "output", *arguments.variants, "sibling"]
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for name in names(arguments):
        try:
            for row in rows(arguments, name):
                print(row, flush=True)
        except subprocess.CalledProcessError as error:
            print(f"| {name} | not measured: {(error.stderr or '').strip()[-200:] or error}" +
                  " |" * len(columns), flush=True)


if __name__ == "__main__":
    main()
