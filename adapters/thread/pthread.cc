// SPDX-License-Identifier: BSD-3-Clause
// pthread_create (and so std::thread, and C11's thrd_create): a new thread hangs below the call path that created it.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include <cstdlib>

#include "adapters/thread/waits.h"
#include "runtime/base/compiler.h"
#include "runtime/choice/windows.h"
#include "runtime/epilog/births.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace {

using epik::episode::BeginThread;
using epik::episode::Origin;

template <class Result>
struct Birth {
  Result (*function)(void*);
  void* argument;
  Origin origin;
  uint64_t windows;  // the trace's windows that its creator is in
  uint64_t number;   // of the thread
};

template <class Result>
Result Run(void* heap) {
  const auto birth = *static_cast<Birth<Result>*>(heap);
  free(heap);
  BeginThread(birth.origin);
  epik::epilog::BeginBirth(birth.number);
  epik::choice::InheritAtBirth(birth.windows);
  return birth.function(birth.argument);
}

// Allocates a block that heap:: does not count as the program's.
void* OwnBlock(size_t bytes) {
  const epik::episode::Inside guard;
  EPIK_ORDER();  // to the compiler, malloc reads nothing
  void* block = malloc(bytes);
  EPIK_ORDER();
  return block;
}

// Null when EPIK does not measure the thread: the caller makes it as it would without EPIK.
template <class Result>
Birth<Result>* MakeBirth(Result (*function)(void*), void* argument, const void* caller) {
  if (epik::episode::CurrentStage() != epik::episode::Stage::kOn) return nullptr;
  // The libraries of MPI and OpenMP make threads, too. The adapters of these paradigms log events for them.
  const uint64_t number = epik::thread::IsForParadigm(caller) ? 0 : epik::epilog::NewBirth();
  auto* birth = static_cast<Birth<Result>*>(OwnBlock(sizeof(Birth<Result>)));
  if (birth != nullptr) {
    *birth = {function, argument, epik::episode::OriginOfNewThread(),
              epik::choice::WindowsAround(epik::episode::current), number};
  }
  return birth;
}

template <class Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

EPIK_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                               void* argument) {
  static const auto real = Real<decltype(&pthread_create)>("pthread_create");
  if (real == nullptr) return EAGAIN;
  Birth<void*>* birth = MakeBirth(function, argument, __builtin_return_address(0));
  if (birth == nullptr) return real(thread, attributes, function, argument);
  const int error = real(thread, attributes, Run<void*>, birth);
  if (error != 0) free(birth);
  return error;
}

EPIK_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  static const auto real = Real<decltype(&thrd_create)>("thrd_create");
  if (real == nullptr) return thrd_error;
  Birth<int>* birth = MakeBirth(function, argument, __builtin_return_address(0));
  if (birth == nullptr) return real(thread, function, argument);
  const int error = real(thread, Run<int>, birth);
  if (error != thrd_success) free(birth);
  return error;
}
}
