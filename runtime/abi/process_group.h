// SPDX-License-Identifier: BSD-3-Clause
// The processes of one job, as far as the runtime knows them: who am I, and bytes to and from others. An MPI adapter
// fills it in; without one a process is alone.
#ifndef EPIK_RUNTIME_ABI_PROCESS_GROUP_H_
#define EPIK_RUNTIME_ABI_PROCESS_GROUP_H_

#include <stdint.h>

extern "C" {

// Messages between two processes arrive in the order they were sent. All functions return 0, or an error of the
// adapter's after which no more is sent. They block; only the thread that was given the group calls them.
struct EpikProcessGroup {
  int rank;
  int size;
  void* context;  // passed back
  int (*send)(void* context, int to, const void* bytes, uint64_t size);
  // The size of the next message from a process, and then its bytes.
  int (*next_size)(void* context, int from, uint64_t* size);
  int (*receive)(void* context, int from, void* bytes, uint64_t size);
};
}

#endif  // EPIK_RUNTIME_ABI_PROCESS_GROUP_H_
