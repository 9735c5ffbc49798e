// SPDX-License-Identifier: BSD-3-Clause
// Loaded by late.
__attribute__((noinline)) int library_tiny(int x) { return x + 1; }

int library_run(int x) { return library_tiny(library_tiny(x)); }
