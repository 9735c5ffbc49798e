// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/omp/gomp.h"

#include <dlfcn.h>

#include <cerrno>

#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"

namespace epik::omp {

uint64_t gomp_groups = kNotAsked;
__thread uint64_t single_at __attribute__((tls_model("initial-exec"))) = 0;

namespace {

// libomp's tool interface reports everything except locks, whose functions it shares with libgomp
bool seen_by_ompt = false;

}  // namespace

bool IsOnFirst(uint64_t group) {
  if (episode::CurrentStage() > episode::Stage::kOn) return false;
  if (!episode::EnsureStarted()) return false;
  const uint64_t asked = episode::adapter_options.omp_groups & (seen_by_ompt ? kLockGroup : ~kNotAsked);
  __atomic_store_n(&gomp_groups, asked, __ATOMIC_RELAXED);
  if ((asked & group) == 0) return false;
  return episode::CurrentLocation() != nullptr;
}

void TurnGompOff() {
  seen_by_ompt = true;
  __atomic_store_n(&gomp_groups, kNotAsked, __ATOMIC_RELAXED);
}

// A plug-in may bring its own libgomp, which the usual search does not find. And the linker may have linked a program
// to us instead of libgomp, because we define all functions that it needs from there; such a program still needs
// libgomp.
void* FindReal(const char* name) {
  const int saved_errno = errno;
  void* real = dlsym(RTLD_NEXT, name);
  for (const char* loaded : {"libgomp.so.1", "libomp.so.5", "libiomp5.so"}) {
    if (real != nullptr) break;
    if (void* library = dlopen(loaded, RTLD_NOLOAD | RTLD_NOW)) real = dlsym(library, name);
  }
  if (real == nullptr) {
    if (void* library = dlopen("libgomp.so.1", RTLD_NOW)) real = dlsym(library, name);
  }
  errno = saved_errno;
  return real;
}

void ExitOuterWork(bool (*is_it)(Construct), const void* stack) {
  const event::Location* location = episode::current;
  if (location == nullptr) return;
  for (uint32_t i = location->top; i > location->bottom; --i) {
    const Key key = episode::FrameAt(i)->key;
    const Construct construct = ConstructOf(key);
    if (construct == Construct::kParallel || construct == Construct::kTask) return;
    if (!is_it(construct)) continue;
    episode::Exit(key, stack);
    return;
  }
}

}  // namespace epik::omp
