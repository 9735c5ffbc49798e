// SPDX-License-Identifier: BSD-3-Clause
// Returns. What is left is start-up and finalisation.     empty

int main(void) { return 0; }
