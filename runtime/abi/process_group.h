// SPDX-License-Identifier: BSD-3-Clause
// The processes of one job as an adapter hands them over: the own rank, and functions that move bytes. The MPI adapter
// fills it in; without an adapter a process is alone.
#ifndef EPIK_RUNTIME_ABI_PROCESS_GROUP_H_
#define EPIK_RUNTIME_ABI_PROCESS_GROUP_H_

#include <stdint.h>

extern "C" {

// Messages between two processes arrive in the order in which they were sent. All functions block. They return 0, or an
// error of the adapter, after which the caller sends nothing more. Only the thread that was given the group calls them.
struct EpikProcessGroup {
  int rank;
  int size;
  void* context;  // passed to every function
  int (*send)(void* context, int to, const void* bytes, uint64_t size);
  // The size of the next message from a process, and then its bytes.
  int (*next_size)(void* context, int from, uint64_t* size);
  int (*receive)(void* context, int from, void* bytes, uint64_t size);
};
}

#endif  // EPIK_RUNTIME_ABI_PROCESS_GROUP_H_
