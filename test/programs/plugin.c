// SPDX-License-Identifier: BSD-3-Clause
// Loaded, called and unloaded by plugin_host.

static int calls;

__attribute__((noinline)) int PluginHelper(int x) { return x * 3 + 1; }

__attribute__((constructor)) static void OnLoad(void) { calls = 100; }

int PluginRun(int x) {
  ++calls;
  return PluginHelper(PluginHelper(x)) + calls;
}
