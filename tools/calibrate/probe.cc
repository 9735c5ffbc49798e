// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/probe.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "runtime/event/layout.h"
#include "runtime/event/trace.h"
#include "tools/calibrate/callees.h"

namespace epik::calibrate {
namespace {

// Small: batches of one event that is always the same. An interruption spoils one batch, and the median batch counts.
constexpr int kBatches = 101, kInBatch = 1000;
// Large: different callees each time, after other data have filled the caches.
constexpr uint32_t kSingles = 4000, kLinesBetween = 300;
constexpr size_t kBytes = size_t{16} << 20, kLine = 64;
constexpr auto kSendRecord = static_cast<uint32_t>(event::RecordKind::kSend);
constexpr auto kMpiParadigm = static_cast<uint16_t>(event::Paradigm::kMpi);

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The mean of the middle half: it is finer than the steps of the clock, and without interrupted batches.
double MiddleOf(std::vector<double>* times) {
  std::sort(times->begin(), times->end());
  const auto quarter = static_cast<std::ptrdiff_t>(times->size() / 4);
  const auto half = static_cast<std::ptrdiff_t>(times->size()) - 2 * quarter;
  return std::accumulate(times->begin() + quarter, times->end() - quarter, 0.0) / static_cast<double>(half);
}

// An event whose cost is sought. `number` selects one of its kind.
using Event = std::function<void(uint32_t number)>;

double Small(const Event& event) {
  std::vector<double> times;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double start = Now();
    for (int i = 0; i < kInBatch; ++i) event(0);
    times.push_back((Now() - start) / kInBatch);
  }
  return MiddleOf(&times);
}

double Large(const Event& event) {
  std::vector<uint8_t> data(kBytes);
  uint32_t seed = 20061;
  const auto next = [&seed] {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
  };
  for (uint32_t callee = 0; callee < kCallees; ++callee) event(callee);
  std::vector<double> times;
  for (uint32_t i = 0; i < kSingles; ++i) {
    for (uint32_t line = 0; line < kLinesBetween; ++line) ++data[next() % (kBytes / kLine) * kLine];
    const uint32_t callee = next();
    const double start = Now();
    event(callee);
    times.push_back(Now() - start);
  }
  return MiddleOf(&times);
}

template <class Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Without measurement their hooks are those of libc, which do nothing. An uninstrumented program has none at all, so
// the bare time is that of no call.
Event Functions() {
  return [](uint32_t number) { callees[number % kCallees](); };
}

// Makes the calls of the core that the wrapper of MPI_Send makes. Other calls of MPI ask for less, or for the same.
Event MpiCalls(bool with_call) {
  auto* define = Find<uint32_t(uint16_t, const char*)>("epik_adapter_region");
  auto* enter = Find<int(uint32_t, const void*)>("epik_adapter_enter");
  auto* exit = Find<void(uint32_t, const void*)>("epik_adapter_exit");
  auto* sent = Find<uint64_t(uint64_t, int32_t)>("epik_adapter_sent");
  auto* record = Find<uint64_t(uint32_t, const uint64_t*)>("epik_adapter_record");
  if (define == nullptr || enter == nullptr || exit == nullptr || sent == nullptr || record == nullptr) return nullptr;
  const uint32_t region = define(kMpiParadigm, "MPI_Send");
  if (region == 0) return nullptr;
  const auto* stack = __builtin_frame_address(0);
  if (!with_call) {
    enter(region, stack);
    return [record](uint32_t number) {
      const uint64_t fields[] = {number % 4, 1, 0, 1000};
      record(kSendRecord, fields);
    };
  }
  return [=](uint32_t number) {
    const int wanted = enter(region, stack);
    constexpr int kCounts = 1, kTraces = 2;
    if ((wanted & kTraces) != 0) {
      const uint64_t fields[] = {number % 4, 1, 0, 1000};
      record(kSendRecord, fields);
    }
    if ((wanted & kCounts) != 0) sent(1000, static_cast<int32_t>(number % 4));
    exit(region, stack);
  };
}

Event CriticalSections() {
  // Loads libgomp as the program would have it, below the measuring library.
  if (dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr) return nullptr;
  auto* begin = Find<void()>("GOMP_critical_start");
  auto* end = Find<void()>("GOMP_critical_end");
  if (begin == nullptr || end == nullptr) return nullptr;
  return [begin, end](uint32_t) {
    begin();
    end();
  };
}

Event EventOf(const std::string& name) {
  if (name == "nothing") {
    return [](uint32_t number) { __asm__ volatile("" : : "r"(callees[number % kCallees])); };
  }
  if (name == "function") return Functions();
  if (name == "mpi") return MpiCalls(true);
  if (name == "message") return MpiCalls(false);
  if (name == "openmp") return CriticalSections();
  return nullptr;
}

}  // namespace

void Probe(const std::string& name) {
  const Event event = EventOf(name);
  if (!event) return;
  Small(event);  // warms up the caches, and makes the call path hot (EPK_HOT)
  const double small = Small(event), large = Large(event);
  printf("small %.3f large %.3f\n", small, large);
  fflush(stdout);
  kill(getpid(), SIGKILL);
}

void BeBusy() {
  std::vector<uint64_t> data(kBytes / sizeof(uint64_t));
  pollfd input{STDIN_FILENO, POLLIN, 0};
  uint64_t at = 1;
  while (poll(&input, 1, 0) == 0) {
    for (int i = 0; i < 100'000; ++i) {
      at = at * 6364136223846793005u + 1442695040888963407u;
      data[(at >> 20) % data.size()] += at;
    }
  }
}

}  // namespace epik::calibrate
