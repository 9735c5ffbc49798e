// SPDX-License-Identifier: BSD-3-Clause
// A plug-in with a parallel region. late PLUGIN [close]: the plug-in is unloaded after each region.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  for (int flags = 0; flags < 2; ++flags) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) return 1;
    int (*region)(void) = (int (*)(void))dlsym(plugin, "Region");
    printf("sum %d\n", region());
    if (argc < 3) continue;
    dlclose(plugin);
    usleep(20000);  // the threads of the region are idle
  }
  return 0;
}
