#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# The pictures that README.md begins with are those that the samples draw, and those that infer -draw does.
#   usage: readme_pictures_test.sh SOURCE BIN WORK
set -euo pipefail
source=$1 bin=$2 work=$3/readme_pictures
models=$source/samples/models
mkdir -p "$work"

same() {
    cmp "$work/$1" "$source/docs/images/shapes_$2.png" || { echo "copy $work/$1 there if the change is meant"; exit 1; }
}

"$bin/detect_objects" "$models/shape_detector.xml" "$models/shapes.bmp" "$models/shapes.txt" "$work/boxes.png"
same boxes.png boxes
"$bin/segment_picture" "$models/shape_segmenter.xml" "$models/shapes.bmp" "$work/classes.png"
same classes.png classes
"$bin/infer" -m "$models/shape_detector.xml" -i "$models/shapes.bmp" -draw boxes -labels "$models/shapes.txt" -out "$work/tool.png"
same tool.png boxes
"$bin/infer" -m "$models/shape_segmenter.xml" -i "$models/shapes.bmp" -draw mask -out "$work/tool.png"
same tool.png classes
