#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
analysis/patterns/reference | diff docs/patterns.md -
