# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The older place of OpenVINO's names: from fuseq.runtime import Core."""
from fuseq import *  # noqa: F401,F403
from fuseq import __all__  # noqa: F401
