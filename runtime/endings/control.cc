// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/control.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/log.h"
#include "runtime/endings/handlers.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"
#include "runtime/event/control.h"

namespace epik::endings {

using config::ControlSignal;
using config::SignalAction;

namespace {

// Plain memory: a handler reads it.
constexpr size_t kMostSignals = 64;  // no system has more
struct Listened {
  ControlSignal listened[kMostSignals] = {};
  size_t listened_count = 0;
};
constinit Listened ours;

const ControlSignal* Find(int signal) {
  for (size_t i = 0; i < ours.listened_count; ++i) {
    if (ours.listened[i].number == signal) return &ours.listened[i];
  }
  return nullptr;
}

void Act(SignalAction action) {
  const event::MappedArena arena = {base::arena_base, event::Process()->arena.bytes};
  const bool traces = event::Process()->trace_bytes != 0;
  if (action == SignalAction::kTrace && traces) return epilog::SwitchTrace(event::IsWanted(arena, event::kTraceOff));
  if (action == SignalAction::kFlush) return event::FlushOf(arena);
  event::PauseOf(arena, !event::IsWanted(arena, event::kPaused));
}

void OnControlSignal(int signal, siginfo_t*, void*) {
  const int saved_errno = errno;
  const ControlSignal* known = Find(signal);
  const bool measures =
      episode::CurrentStage() == episode::Stage::kOn && event::Process()->pid == static_cast<uint32_t>(getpid());
  if (known != nullptr && measures) Act(known->action);
  errno = saved_errno;
}

}  // namespace

namespace {

void Start(const episode::Options& options) {
  const std::vector<ControlSignal>& signals = options.settings.control_signal;
  if (RealSigaction() == nullptr) return;
  ours.listened_count = std::min(signals.size(), kMostSignals);
  std::copy_n(signals.begin(), ours.listened_count, ours.listened);
  for (const ControlSignal& signal : signals) {
    struct sigaction present;
    if (RealSigaction()(signal.number, nullptr, &present) != 0) continue;
    if (IsControlHandler(present.sa_handler)) continue;
    if (present.sa_handler == SIG_DFL) {
      Handle(signal.number, OnControlSignal);
    } else {
      base::Say("EPK_CONTROL_SIGNAL: the program uses signal %d (%s) itself; it controls nothing", signal.number,
                strsignal(signal.number));
    }
  }
}

}  // namespace

bool ListenAgain(int signal) {
  if (Find(signal) == nullptr) return false;
  Handle(signal, OnControlSignal);
  return true;
}

bool IsControlHandler(void (*handler)(int)) {
  return reinterpret_cast<void*>(handler) == reinterpret_cast<void*>(&OnControlSignal);
}

// Before the last signals, which leave these alone.
const episode::Part control_part = {.name = "control", .start = Start};

}  // namespace epik::endings
