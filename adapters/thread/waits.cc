// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/waits.h"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/thread_memory.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/modules.h"

extern "C" {
__attribute__((weak)) void __tsan_init();
__attribute__((weak)) int _dl_find_object(void* address, struct dl_find_object* result);
}

namespace epik::thread {

std::atomic<uint64_t> callers[kCallers];

namespace {

// Libraries whose waiting belongs to the region that called them: our own, OpenMP's idle threads, and calls of MPI.
constexpr const char* kLibraries[] = {"libepk_",  "libgomp",  "mca_",     "libomp.",    "libomp-",
                                      "libomp5",  "libiomp",  "libmpi",   "libmpich",   "libpmpi",
                                      "libopen-", "libpmix",  "libprrte", "libuc",      "libfabric",
                                      "libpsm",   "libhwloc", "libevent", "libibverbs", "librdmacm"};

bool IsLibraryOfParadigm(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  for (const char* library : kLibraries) {
    if (std::strncmp(name, library, std::strlen(library)) == 0) return true;
  }
  return false;
}

void LookAtPath(const char* path, uint64_t, void* found) { *static_cast<bool*>(found) = IsLibraryOfParadigm(path); }

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc 2.35
bool FindsWithoutLock(const void* caller, bool* found) {
  if (_dl_find_object == nullptr) return false;
  struct dl_find_object object;
  *found = _dl_find_object(const_cast<void*>(caller), &object) == 0 && object.dlfo_link_map->l_name != nullptr &&
           IsLibraryOfParadigm(object.dlfo_link_map->l_name);
  return true;
}
#else
bool FindsWithoutLock(const void*, bool*) { return false; }
#endif

// Avoids the loader's lock if libc allows it: the thread that holds the lock may be waiting for this one.
bool IsOfParadigm(const void* caller) {
  bool found = false;
  if (FindsWithoutLock(caller, &found)) return found;
  episode::FindMappedModule(reinterpret_cast<uint64_t>(caller), LookAtPath, &found);
  return found;
}

// A call of MPI may wait in any function of its libraries and their plug-ins.
bool IsInMpi() {
  const event::Location* location = episode::current;
  if (location == nullptr) return false;
  const event::Key key = episode::FrameAt(location->top)->key;
  if (!event::IsRegion(key) || event::IsRetired(key)) return false;
  return episode::IsNameOfMpi(episode::NameOfRegion(event::RegionOf(key)));
}

bool CallerIsOfParadigm(const void* caller) {
  std::atomic<uint64_t>& known = AnswerAbout(caller);
  const uint64_t address = reinterpret_cast<uint64_t>(caller) << 1;
  const uint64_t answer = known.load(std::memory_order_relaxed);
  if ((answer & ~uint64_t{1}) == address) return (answer & 1) != 0;
  const bool is = IsOfParadigm(caller);
  known.store(address | (is ? 1 : 0), std::memory_order_relaxed);
  return is;
}

EPIK_PER_THREAD base::PerThread<bool> at_it;  // in FindNext

}  // namespace

void* FindNext(const char* name, const char* version) {
  if (*at_it) return nullptr;  // dlsym itself wants the lock
  *at_it = true;
  const int saved_errno = errno;
  void* next = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (next == nullptr) next = dlsym(RTLD_NEXT, name);
  errno = saved_errno;
  *at_it = false;
  return next;
}

bool IsForParadigm(const void* caller) { return IsInMpi() || CallerIsOfParadigm(caller); }

event::Key KeyOfWait(WaitRegion* region, const void* caller) {
  // A wait alone does not give a thread a location: libraries have threads of their own that only wait.
  if (episode::current == nullptr || episode::inside || __tsan_init != nullptr) return 0;
  const int saved_errno = errno;
  uint32_t number = 0;
  if (!IsForParadigm(caller)) {
    number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
    if (EPIK_UNLIKELY(number == 0)) {
      const episode::Inside guard;
      number = episode::DefineRegion(region->name, "", -1, event::Role::kFunction, kThreads);
      __atomic_store_n(&region->number, number, __ATOMIC_RELAXED);
    }
  }
  errno = saved_errno;
  return number != 0 ? event::RegionKey(number) : 0;
}

}  // namespace epik::thread
