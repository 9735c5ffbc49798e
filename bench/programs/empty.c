// SPDX-License-Identifier: BSD-3-Clause
// Returns at once: only start-up and end are left.     empty

int main(void) { return 0; }
