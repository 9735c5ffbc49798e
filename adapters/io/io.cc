// SPDX-License-Identifier: BSD-3-Clause
// io:: counters: wraps read, write and related functions of libc. It is a library of its own, so that programs that do
// not ask for these counters do not pay for the wrappers. Calls that libc makes inside of itself are invisible, so the
// functions of C's streams count, with the bytes that the program gave or got. scanf does not tell how much it read, so
// only its time counts. C++ streams and Fortran call read and write.
//
// With _FORTIFY_SOURCE, and for code that is inlined, headers of libc define read, getchar and others themselves, and
// clang takes no second definition.
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "adapters/io/files.h"
#include "epik/metric_plugin.h"
#include "runtime/base/compiler.h"

extern "C" {
__attribute__((weak)) int epik_adapter_busy(void);
}

namespace {

enum Metric : uint32_t {
  kReads,
  kWrites,
  kBytesRead,
  kBytesWritten,
  kReadTime,
  kWriteTime,
  kSyncs,
  kSyncTime,
  kFiles,
  kFileTime,
  kMetrics
};
constexpr EpikMetric kOffers[kMetrics] = {
    {"reads", "occ", "calls that read", EPIK_METRIC_SUM, 1, nullptr},
    {"writes", "occ", "calls that wrote", EPIK_METRIC_SUM, 1, nullptr},
    {"bytes_read", "bytes", "bytes they got", EPIK_METRIC_SUM, 1, nullptr},
    {"bytes_written", "bytes", "bytes they gave", EPIK_METRIC_SUM, 1, nullptr},
    {"read_time", "sec", "time in calls that read", EPIK_METRIC_SUM, 1e-9, nullptr},
    {"write_time", "sec", "time in calls that wrote", EPIK_METRIC_SUM, 1e-9, nullptr},
    {"syncs", "occ", "calls that flush: fflush, fsync and their kin", EPIK_METRIC_SUM, 1, nullptr},
    {"sync_time", "sec", "time in them", EPIK_METRIC_SUM, 1e-9, nullptr},
    {"opens_closes", "occ", "calls that opened or closed a file", EPIK_METRIC_SUM, 1, nullptr},
    {"open_close_time", "sec", "time in them", EPIK_METRIC_SUM, 1e-9, nullptr},
};

__thread uint64_t counts[kMetrics] __attribute__((tls_model("initial-exec"))) = {};
std::atomic<bool> counting{false};
uint32_t chosen[kMetrics];
uint32_t choices = 0;

uint64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

bool Counts() {
  if (EPIK_LIKELY(!counting.load(std::memory_order_relaxed))) return false;
  return epik_adapter_busy == nullptr || epik_adapter_busy() == 0;
}

// The next function of that name, found at the first call.
template <class Function>
Function* Real(Function** known, const char* name) {
  Function* found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (EPIK_UNLIKELY(found == nullptr)) {
    found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  return found;
}

uint64_t Moved(int64_t result) { return result > 0 ? static_cast<uint64_t>(result) : 0; }
uint64_t Length(const char* text) { return text != nullptr ? strlen(text) : 0; }

// The metrics that a kind of call adds to, beside its number.
struct KindCounts {
  Metric bytes;  // kMetrics: the call moves no bytes
  Metric time;
};
constexpr KindCounts CountsOf(Metric kind) {
  switch (kind) {
    case kReads: return {kBytesRead, kReadTime};
    case kWrites: return {kBytesWritten, kWriteTime};
    case kSyncs: return {kMetrics, kSyncTime};
    default: return {kMetrics, kFileTime};
  }
}

constexpr uint32_t CallOf(Metric kind) {
  return kind == kReads ? 0 : kind == kWrites ? 1 : kind == kSyncs ? 2 : 3;  // event::FileCall
}

// A call that fails counts as a call and moves no bytes. `add` gets the result, bytes and nanoseconds, for the table of
// files.
template <Metric kind, class Call, class Bytes, class Add>
auto Counted(Call call, Bytes bytes, Add add) {
  if (!Counts()) return call();
  constexpr KindCounts kCounts = CountsOf(kind);
  const uint64_t before = Now();
  const auto result = call();
  const int saved_errno = errno;
  const uint64_t spent = Now() - before;
  uint64_t moved = 0;
  if constexpr (kCounts.bytes != kMetrics) counts[kCounts.bytes] += moved = bytes(result);
  ++counts[kind];
  counts[kCounts.time] += spent;
  add(result, moved, spent);
  errno = saved_errno;
  return result;
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
  for (uint32_t i = 0; i < choices; ++i) values[i] = counts[chosen[i]];
}

void Finish(EpikMetricAdd, void*) { counting.store(false, std::memory_order_relaxed); }

constexpr EpikMetricPlugin kPlugin = {EPIK_METRIC_PLUGIN_VERSION,
                                      "io",
                                      "read, write and their kin",
                                      Offers,
                                      Choose,
                                      nullptr,
                                      Read,
                                      nullptr,
                                      nullptr,
                                      Finish};

}  // namespace

extern "C" {

EPIK_EXPORT const EpikMetricPlugin* epik_metric_io(void) { return &kPlugin; }

// A function with the parameters in `declared` and the arguments in `given`.
#define EPIK_IO_ADDED(result, name, kind, bytes, declared, given, prepare, add)                      \
  EPIK_EXPORT result name declared {                                                                 \
    static result(*known) declared = nullptr;                                                        \
    auto* function = Real(&known, #name);                                                            \
    prepare;                                                                                         \
    return Counted<kind>([&]() -> result { return function given; },                                 \
                         [&]([[maybe_unused]] result got) -> uint64_t { return bytes; },             \
                         [&]([[maybe_unused]] result got, uint64_t moved, uint64_t spent) { add; }); \
  }
#define EPIK_IO(result, name, kind, bytes, fd, declared, given)      \
  EPIK_IO_ADDED(result, name, kind, bytes, declared, given, (void)0, \
                epik::io::AddToFile(fd, CallOf(kind), moved, spent))
#define EPIK_IO_OPENED(result, name, kind, bytes, fd, declared, given) \
  EPIK_IO_ADDED(result, name, kind, bytes, declared, given, (void)0,   \
                (epik::io::ForgetDescriptor(fd), epik::io::AddToFile(fd, CallOf(kind), moved, spent)))
#define EPIK_IO_REOPENED(result, name, kind, bytes, fd, declared, given)                  \
  EPIK_IO_ADDED(result, name, kind, bytes, declared, given,                               \
                if (Counts()) epik::io::ForgetDescriptor(epik::io::DescriptorOf(stream)), \
                (epik::io::ForgetDescriptor(fd), epik::io::AddToFile(fd, CallOf(kind), moved, spent)))
// Asks for the descriptor's file before the call closes it.
#define EPIK_IO_CLOSE(result, name, kind, bytes, fd, declared, given)        \
  EPIK_IO_ADDED(result, name, kind, bytes, declared, given,                  \
                const uint64_t file = Counts() ? epik::io::TakeFile(fd) : 0, \
                epik::io::AddCall(file, CallOf(kind), moved, spent))
// Opens a file. The mode is an argument only when the flags allow the call to make a file.
#define EPIK_IO_OPEN(name, declared, ...)                                                                         \
  EPIK_EXPORT int name declared {                                                                                 \
    mode_t mode = 0;                                                                                              \
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {                                             \
      va_list words;                                                                                              \
      va_start(words, flags);                                                                                     \
      mode = va_arg(words, mode_t);                                                                               \
      va_end(words);                                                                                              \
    }                                                                                                             \
    static int(*known) declared = nullptr;                                                                        \
    auto* function = Real(&known, #name);                                                                         \
    return Counted<kFiles>([&] { return function(__VA_ARGS__, flags, mode); }, [](int) -> uint64_t { return 0; }, \
                           [](int got, uint64_t, uint64_t spent) {                                                \
                             epik::io::ForgetDescriptor(got);                                                     \
                             epik::io::AddToFile(got, CallOf(kFiles), 0, spent);                                  \
                           });                                                                                    \
  }
EPIK_IO_OPEN(open, (const char* path, int flags, ...), path)
EPIK_IO_OPEN(open64, (const char* path, int flags, ...), path)
EPIK_IO_OPEN(openat, (int folder, const char* path, int flags, ...), folder, path)
EPIK_IO_OPEN(openat64, (int folder, const char* path, int flags, ...), folder, path)
#undef EPIK_IO_OPEN
// These put another file into a descriptor's place.
EPIK_EXPORT int dup2(int from, int to) {
  static int (*known)(int, int) = nullptr;
  const int result = Real(&known, "dup2")(from, to);
  epik::io::ForgetDescriptor(to);
  return result;
}
EPIK_EXPORT int dup3(int from, int to, int flags) {
  static int (*known)(int, int, int) = nullptr;
  const int result = Real(&known, "dup3")(from, to, flags);
  epik::io::ForgetDescriptor(to);
  return result;
}
// Other functions may put another file into the place of a descriptor that these close.
EPIK_EXPORT int pclose(FILE* stream) {
  static int (*known)(FILE*) = nullptr;
  epik::io::ForgetDescriptor(epik::io::DescriptorOf(stream));
  return Real(&known, "pclose")(stream);
}
EPIK_EXPORT int closedir(DIR* folder) {
  static int (*known)(DIR*) = nullptr;
  epik::io::ForgetDescriptor(epik::io::DescriptorOf(folder));
  return Real(&known, "closedir")(folder);
}
// Counts the call for no file, because it may close many, and forgets the files of all descriptors that it closes.
EPIK_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  static int (*known)(unsigned, unsigned, int) = nullptr;
  auto* function = Real(&known, "close_range");
  return Counted<kFiles>([=] { return function(first, last, flags); }, [](int) -> uint64_t { return 0; },
                         [=](int got, uint64_t, uint64_t) {
                           const bool closes = got == 0 && (flags & int{CLOSE_RANGE_CLOEXEC}) == 0;
                           if (closes) epik::io::ForgetDescriptors(first, last);
                         });
}
EPIK_EXPORT void closefrom(int first) {
  static void (*known)(int) = nullptr;
  auto* function = Real(&known, "closefrom");
  const auto close_all = [=] {
    function(first);
    return 0;
  };
  Counted<kFiles>(
      close_all, [](int) -> uint64_t { return 0; },
      [=](int, uint64_t, uint64_t) { epik::io::ForgetDescriptors(first > 0 ? static_cast<unsigned>(first) : 0, ~0u); });
}
#define EPIK_IO_WORDS(name, with_list, declared, given) \
  EPIK_EXPORT int name declared {                       \
    va_list words;                                      \
    va_start(words, format);                            \
    const int result = with_list given;                 \
    va_end(words);                                      \
    return result;                                      \
  }
#include "adapters/io/calls.inc"
}
