# SPDX-License-Identifier: BSD-3-Clause
"""Each line of docs/security.md names cases that exist, and each case is named there."""
import os

from guarantees import compare

compare(os.path.dirname(os.path.abspath(__file__)), "security.md")
