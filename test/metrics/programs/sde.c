// SPDX-License-Identifier: BSD-3-Clause
// Events that a program defines in software, as PAPI counts them.
#include <sde_lib.h>

static long long steps;

__attribute__((noinline, noclone)) void walk(int times) {
  for (int i = 0; i < times; ++i) ++steps;
}

papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t* sde) {
  papi_handle_t handle = sde->init("walker");
  sde->register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
  return handle;
}

int main(void) {
  papi_handle_t handle = papi_sde_init("walker");
  papi_sde_register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
  walk(5);
  walk(8);
  return 0;
}
