// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/births.h"

#include <atomic>

#include "runtime/base/clock.h"
#include "runtime/base/thread_memory.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/location_hot.h"
#include "runtime/event/control.h"

namespace epik::epilog {

namespace {

using event::Location;
using event::RecordKind;

// libc gives the memory of an ended thread, and so its handle, to a later one. So there are about as many handles as
// threads that live at the same time.
constexpr uint32_t kHandles = 8192;  // a power of two

struct Handle {
  std::atomic<uint64_t> thread;
  std::atomic<uint64_t> birth;
};
Handle handles[kHandles];
std::atomic<uint64_t> births;

struct Birth {
  uint64_t number = 0;
  bool logged = false;
};
EPIK_PER_THREAD base::PerThread<Birth> mine;

// Null: there is no room for it.
Handle* FindHandle(pthread_t thread, bool makes) {
  const auto wanted = static_cast<uint64_t>(thread);
  const auto first = static_cast<uint32_t>(wanted * 0x9e3779b97f4a7c15 >> 51) % kHandles;
  for (uint32_t i = 0; i < kHandles; ++i) {
    Handle& handle = handles[(first + i) % kHandles];
    uint64_t known = handle.thread.load(std::memory_order_relaxed);
    if (known == 0 && !makes) return nullptr;
    if (known == 0 && handle.thread.compare_exchange_strong(known, wanted, std::memory_order_relaxed)) return &handle;
    if (known == wanted) return &handle;
  }
  return nullptr;
}

uint64_t NumberOf(pthread_t thread) {
  const Handle* handle = FindHandle(thread, false);
  return handle != nullptr ? handle->birth.load(std::memory_order_acquire) : 0;
}

bool Logs(const Location* location) { return (location->log_kinds & event::kLogRecords) != 0; }

void LogBegin(Location* location, bool /*within*/) {
  Birth& birth = *mine;
  if (birth.number == 0 || birth.logged || !Logs(location) || !IsRecordChosen(location)) return;
  birth.logged = true;
  LogRecord(RecordKind::kThreadBegin, &birth.number);
}

void LogEnd(Location* location, uint64_t now) {
  Birth& birth = *mine;
  if (!birth.logged) return;
  birth.logged = false;
  LogRecordAt(location, now, RecordKind::kThreadEnd, &birth.number);
}

}  // namespace

uint64_t NewBirth() {
  if (event::Process()->trace_kinds == 0) return 0;
  const uint64_t birth = births.fetch_add(1, std::memory_order_relaxed) + 1;
  LogRecord(RecordKind::kThreadCreate, &birth);
  return birth;
}

// release, and acquire in NumberOf: the thread that joins finds what the joined one wrote.
void BeginBirth(uint64_t birth) {
  if (birth == 0) return;
  *mine = {birth, false};
  if (Handle* handle = FindHandle(pthread_self(), true)) handle->birth.store(birth, std::memory_order_release);
}

Joined::Joined(pthread_t thread)
    : thread_(thread), number_(NumberOf(thread)), latest_(births.load(std::memory_order_relaxed)) {}

uint64_t Joined::NumberAtEnd() {
  uint64_t now = NumberOf(thread_);
  if (now != 0 && now <= latest_) number_ = now;
  // The next thread with this handle must not be taken for this one before it begins.
  Handle* handle = FindHandle(thread_, false);
  if (handle != nullptr && now == number_) {
    handle->birth.compare_exchange_strong(now, 0, std::memory_order_relaxed);
  }
  return number_;
}

const episode::Part births_part = {.name = "births", .begins = LogBegin, .closing = LogEnd};

}  // namespace epik::epilog
