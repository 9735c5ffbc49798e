// SPDX-License-Identifier: BSD-3-Clause
// A library whose constructor waits for the program if the program defines the function for it.
__attribute__((weak)) void wait_in_the_loader(void);

__attribute__((constructor)) static void begin(void) {
  if (wait_in_the_loader) wait_in_the_loader();
}
