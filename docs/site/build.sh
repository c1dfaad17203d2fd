#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes the documentation as a site to build/site/html: the pages of docs by mkdocs, the API reference by Doxygen.
# A link that leads nowhere and a mistake in a comment of a public header are errors.
# Needs: samples/install_deps.sh ci
set -euo pipefail
cd "$(dirname "$0")/../.."

rm -rf build/site
mkdir -p build/site/html
docs/site/collect_pages.py build/site/pages
mkdocs build --quiet --clean --config-file docs/site/mkdocs.yml
doxygen docs/site/Doxyfile
[ -s build/site/html/index.html ] && [ -s build/site/html/api/classfuseq_1_1Core.html ]
echo "build/site/html/index.html"
