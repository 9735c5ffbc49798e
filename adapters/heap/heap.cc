// SPDX-License-Identifier: BSD-3-Clause
// heap:: counters: wraps the allocation functions of libc. It is a library of its own, so that programs that do not ask
// for these counters do not pay for the wrappers.
//
// Only allocations of the program count, not those of the measurement. A block counts as freed only if it counted as
// allocated. realloc frees the old size and allocates the new one.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "adapters/heap/live.h"
#include "epik/metric_plugin.h"
#include "runtime/base/compiler.h"

extern "C" {
// libepk.so defines these; they are null without it.
__attribute__((weak)) uint64_t epik_adapter_place(void);
__attribute__((weak)) int epik_adapter_busy(void);
// glibc's own functions serve until the next library's are found: dlsym itself may allocate.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

enum Metric : uint32_t { kAllocations, kAllocated, kFrees, kFreed, kPeak, kLeaks, kLeaked, kMetrics };
constexpr EpikMetric kOffers[kMetrics] = {
    {"allocations", "occ", "blocks allocated", EPIK_METRIC_SUM, 1, nullptr},
    {"bytes_allocated", "bytes", "bytes allocated", EPIK_METRIC_SUM, 1, nullptr},
    {"frees", "occ", "blocks freed", EPIK_METRIC_SUM, 1, nullptr},
    {"bytes_freed", "bytes", "bytes freed", EPIK_METRIC_SUM, 1, nullptr},
    {"peak", "bytes", "most bytes that the process held after an allocation here", EPIK_METRIC_PEAK, 1, nullptr},
    {"leaks", "occ", "blocks allocated here that nobody had freed at the end", EPIK_METRIC_SUM, 1, nullptr},
    {"bytes_leaked", "bytes", "bytes of these blocks", EPIK_METRIC_SUM, 1, nullptr},
};

struct Tally {
  uint64_t of[kMetrics];
};
__thread Tally counts __attribute__((tls_model("initial-exec"))) = {};
std::atomic<bool> counting{false};
std::atomic<uint64_t> held{0};  // bytes that are allocated now
uint32_t chosen[kMetrics];
uint32_t choices = 0;

struct Real {
  void* (*malloc)(size_t) = __libc_malloc;
  void* (*calloc)(size_t, size_t) = __libc_calloc;
  void* (*realloc)(void*, size_t) = __libc_realloc;
  void* (*memalign)(size_t, size_t) = __libc_memalign;
  void (*free)(void*) = __libc_free;
};
Real real;

template <class Function>
void Find(const char* name, Function** function) {
  if (void* found = dlsym(RTLD_NEXT, name)) *function = reinterpret_cast<Function*>(found);
}

// The measurement allocates, too; its blocks are not the program's.
bool Counts() {
  if (EPIK_LIKELY(!counting.load(std::memory_order_relaxed))) return false;
  return epik_adapter_busy == nullptr || epik_adapter_busy() == 0;
}

void* Allocated(void* block, size_t bytes) {
  if (block == nullptr || !Counts()) return block;
  const int saved_errno = errno;
  const uint64_t place = epik_adapter_place != nullptr ? epik_adapter_place() : 0;
  if (epik::heap::Keep({reinterpret_cast<uint64_t>(block), bytes, place})) {
    const uint64_t now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    ++counts.of[kAllocations];
    counts.of[kAllocated] += bytes;
    if (now > counts.of[kPeak]) counts.of[kPeak] = now;
  }
  errno = saved_errno;
  return block;
}

// Call this before the block is freed: another thread may get the same address at once.
epik::heap::Block Taken(void* block) {
  if (block == nullptr || !counting.load(std::memory_order_relaxed)) return {};
  return epik::heap::Take(reinterpret_cast<uint64_t>(block));
}

void CountFreed(const epik::heap::Block& block) {
  if (block.address == 0) return;
  held.fetch_sub(block.bytes, std::memory_order_relaxed);
  ++counts.of[kFrees];
  counts.of[kFreed] += block.bytes;
}

const EpikMetric* Offers(uint32_t* count) {
  *count = kMetrics;
  return kOffers;
}

void Choose(const uint32_t* wanted, uint32_t count) {
  choices = count < kMetrics ? count : uint32_t{kMetrics};
  for (uint32_t i = 0; i < choices; ++i) chosen[i] = wanted[i];
  counting.store(true, std::memory_order_relaxed);
}

void Read(void*, uint64_t* values) {
  for (uint32_t i = 0; i < choices; ++i) values[i] = counts.of[chosen[i]];
  counts.of[kPeak] = 0;
}

struct Leaks {
  EpikMetricAdd add;
  void* context;
};

void AddLeak(const epik::heap::Block& block, void* context) {
  const auto* leaks = static_cast<Leaks*>(context);
  if (block.place == 0) return;
  leaks->add(leaks->context, block.place, kLeaks, 1);
  leaks->add(leaks->context, block.place, kLeaked, block.bytes);
}

void Finish(EpikMetricAdd add, void* context) {
  counting.store(false, std::memory_order_relaxed);
  Leaks leaks{add, context};
  epik::heap::ForEach(AddLeak, &leaks);
}

void BeforeFork() { epik::heap::LockAll(); }
void AfterFork() { epik::heap::UnlockAll(); }
void InChild() {
  epik::heap::ForgetPlaces();
  epik::heap::UnlockAll();
}

__attribute__((constructor)) void OnLoad() {
  Find("malloc", &real.malloc);
  Find("calloc", &real.calloc);
  Find("realloc", &real.realloc);
  Find("memalign", &real.memalign);
  Find("free", &real.free);
  pthread_atfork(BeforeFork, AfterFork, InChild);
}

constexpr EpikMetricPlugin kPlugin = {EPIK_METRIC_PLUGIN_VERSION,
                                      "heap",
                                      "memory of malloc and its kin",
                                      Offers,
                                      Choose,
                                      nullptr,
                                      Read,
                                      nullptr,
                                      nullptr,
                                      Finish};

}  // namespace

extern "C" {

EPIK_EXPORT const EpikMetricPlugin* epik_metric_heap(void) { return &kPlugin; }

EPIK_EXPORT void* malloc(size_t bytes) { return Allocated(real.malloc(bytes), bytes); }

EPIK_EXPORT void* calloc(size_t count, size_t bytes) { return Allocated(real.calloc(count, bytes), count * bytes); }

EPIK_EXPORT void* realloc(void* block, size_t bytes) {
  const epik::heap::Block before = Taken(block);
  void* moved = real.realloc(block, bytes);
  if (moved == nullptr && bytes != 0) {  // it failed, and the block is unchanged
    if (before.address != 0) epik::heap::Keep(before);
    return nullptr;
  }
  CountFreed(before);
  return Allocated(moved, bytes);
}

EPIK_EXPORT void* reallocarray(void* block, size_t count, size_t bytes) {
  size_t whole;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, whole);
}

EPIK_EXPORT void free(void* block) {
  CountFreed(Taken(block));
  real.free(block);
}

EPIK_EXPORT void* memalign(size_t alignment, size_t bytes) { return Allocated(real.memalign(alignment, bytes), bytes); }

EPIK_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  return Allocated(real.memalign(alignment, bytes), bytes);
}

EPIK_EXPORT int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int saved_errno = errno;
  void* made = real.memalign(alignment, bytes);
  errno = saved_errno;
  if (made == nullptr) return ENOMEM;
  *block = Allocated(made, bytes);
  return 0;
}
}
