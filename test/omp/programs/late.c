// SPDX-License-Identifier: BSD-3-Clause
// A plug-in brings libgomp for itself alone.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  (void)argc;
  for (int flags = 0; flags < 2; ++flags) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) return 1;
    int (*region)(void) = (int (*)(void))dlsym(plugin, "Region");
    printf("sum %d\n", region());
  }
  return 0;
}
