// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/calls.h"

#include <bit>

namespace epik::archive {

using event::RecordKind;

std::vector<CallSums> SumsByNode::Take() {
  std::erase_if(all_, [](const CallSums& sums) { return !sums.called; });
  std::sort(all_.begin(), all_.end(), [](const CallSums& a, const CallSums& b) { return a.node < b.node; });
  return std::move(all_);
}

uint32_t Calls::PlaceOf(uint32_t node) {
  return sums_.PlaceOf(node, [this](CallSums* sums) {
    sums->path = archive_.CallPath(process_, sums->node);
    sums->is_artificial = IsOfRole(*sums, "artificial");
  });
}

bool Calls::IsOfRole(const CallSums& sums, std::string_view role) const {
  const Profile& profile = archive_.definitions().profile;
  return sums.path != kNone && profile.regions[profile.call_paths[sums.path].region].role == role;
}

// MPI_Finalize and the calls around it are open when the measurement of a job ends.
bool Calls::IsInFinalize() {
  if (open_.empty()) return false;
  const uint32_t path = sums_[open_.back().place].path;
  if (path == kNone) return false;
  const Profile& profile = archive_.definitions().profile;
  const Region& region = profile.regions[profile.call_paths[path].region];
  return region.name == "MPI_Finalize" && region.paradigm == "mpi";
}

void Calls::Take(const Event& event) {
  last_ = event.time;
  if (event.kind == RecordKind::kEnter) {
    Enter(event.node, Measured(event.time));
  } else if (event.kind == RecordKind::kExit) {
    if (!open_.empty()) Close(Measured(event.time), false, false);
  } else {
    TakeRecord(event);
  }
}

// Nobody knows which calls a thread made while its trace was off: that time belongs to no call.
void Calls::Switch(uint64_t time, bool on) {
  if (on != is_off_) return;
  if (on) skipped_ += time - off_since_;
  is_off_ = !on;
  off_since_ = time;
}

void Calls::Enter(uint32_t node, uint64_t time) {
  const uint32_t place = PlaceOf(node);
  if (!open_.empty() && !sums_[place].is_artificial) open_.back().is_new = false;
  open_.push_back({.place = place, .entered = time});
  if (back_ != 0) GoOn();
}

void Calls::TakeRecord(const Event& event) {
  switch (event.kind) {
    case RecordKind::kTaskBegin:
    case RecordKind::kTaskSwitch: BeginTask(event); break;
    case RecordKind::kTaskEnd: EndTask(); break;
    case RecordKind::kFoldedBegin:
      open_.push_back({.place = PlaceOf(static_cast<uint32_t>(event.field[0])),
                       .is_folded = true,
                       .entered = Measured(event.time)});
      break;
    case RecordKind::kFoldedEnd:
      if (!open_.empty() && open_.back().is_folded) Close(Measured(event.time), false, false);
      break;
    case RecordKind::kSwitched: Switch(event.time, event.field[0] != 0); break;
    case RecordKind::kStackLeft: LeaveStack(event.field[0], event.field[1]); break;
    case RecordKind::kStackBack: ComeBack(event.field[0], event.field[1]); break;
    default: break;
  }
}

// Notes which task the innermost call is, or that the thread is back at the call that a task had interrupted. Between
// the call and its record, only the measurement itself was active.
void Calls::BeginTask(const Event& event) {
  if (open_.empty()) return;
  Open& call = open_.back();
  if (call.is_folded || !call.is_new || !IsOfRole(sums_[call.place], "task")) return;
  call.task = event.field[0];
  call.is_new = false;
  call.is_task = true;
  call.is_part = true;
  call.is_resumed = event.kind == RecordKind::kTaskSwitch;
}

void Calls::EndTask() {
  for (size_t i = open_.size(); i-- > 0;) {
    if (open_[i].is_folded && !open_[i].has_ended) {
      open_[i].has_ended = true;
      return;
    }
    if (!open_[i].is_part) continue;
    open_[i].is_part = false;
    return;
  }
}

void Calls::LeaveStack(uint64_t stack, uint64_t calls) {
  back_ = 0;
  for (size_t i = open_.size(); i-- > 0 && calls-- > 0;) open_[i].stack = stack;
  if (const auto left = stacks_.find(stack); left != stacks_.end()) Abandon(&left->second, 0);
}

// The inner calls have ended without an event.
void Calls::ComeBack(uint64_t stack, uint64_t calls) {
  const auto left = stacks_.find(stack);
  if (left == stacks_.end()) return;
  Abandon(&left->second, calls);
  back_ = stack;
}

void Calls::Abandon(Suspended* suspended, uint64_t but) {
  const auto gone = suspended->begin() + static_cast<ptrdiff_t>(suspended->size() - std::min(suspended->size(), but));
  for (auto call = suspended->begin(); call != gone; ++call) sums_[call->place].AddVisit(call->before);
  suspended->erase(suspended->begin(), gone);
}

// The call that was just entered may be one that continues.
void Calls::GoOn() {
  Suspended& suspended = stacks_[back_];
  if (suspended.empty() || suspended.back().place != open_.back().place) return;
  open_.back().before = suspended.back().before;
  suspended.pop_back();
  if (!suspended.empty()) return;
  stacks_.erase(back_);
  back_ = 0;
}

void Calls::Close(uint64_t time, bool unfinished, bool cut_off) {
  const Open call = open_.back();
  open_.pop_back();
  Open* caller = open_.empty() ? nullptr : &open_.back();
  const uint64_t ticks = time > call.entered ? time - call.entered : 0;
  CallSums& sums = sums_[call.place];
  if (sums.path == kNone) {
    // Calls without room: their time belongs to their caller.
    if (caller != nullptr) caller->below += call.below;
    return;
  }
  if (caller != nullptr) caller->below += ticks;
  sums.called = true;
  sums.exclusive += ticks - std::min(ticks, call.below);
  if (call.is_folded) return;
  if (caller != nullptr && !call.is_task && archive_.Folds(process_, sums_[caller->place].node, sums.node)) return;
  if (!cut_off && Suspend(call, ticks)) return;
  const uint64_t shortest = sums.min;
  const bool counts = !cut_off || sums.visits == sums.cut_off;
  sums.AddVisit(cut_off ? ticks : call.before + ticks);
  if (!counts) sums.min = shortest;
  sums.cut_off += cut_off ? 1 : 0;
  sums.unfinished += unfinished ? 1 : 0;
}

// Returns true when the call is one of several parts, and not a visit yet.
bool Calls::Suspend(const Open& call, uint64_t ticks) {
  if (call.is_part) {  // it is a visit where the task ends
    found_.parts[call.task] += ticks;
  } else if (call.is_resumed) {
    found_.resumed.push_back({sums_[call.place].node, call.task, ticks});
  } else if (call.stack != 0) {
    stacks_[call.stack].push_back(call);
    stacks_[call.stack].back().before += ticks;
  } else {
    return false;
  }
  return true;
}

LocationCalls Calls::Finish() {
  const uint64_t end = Measured(std::max(archive_.processes()[process_]->map.last_ticks, last_));
  // The outermost call is always open at the end. A visit that was cut off is not the shortest, unless all were cut
  // off.
  const bool in_finalize = IsInFinalize();
  while (!open_.empty()) Close(end, open_.size() > 1 && !in_finalize, true);
  for (auto& [stack, calls] : stacks_) Abandon(&calls, 0);
  found_.sums = sums_.Take();
  return std::move(found_);
}

namespace {

void Put(double scale, uint32_t path, const CallSums& sums, std::vector<Value>* values) {
  const auto put = [&](uint32_t metric, auto value) {
    values->push_back({metric, path, std::bit_cast<uint64_t>(value)});
  };
  if (sums.visits != 0) {
    put(kVisits, sums.visits);
    put(kMinTime, static_cast<double>(sums.min) * scale);
    put(kMaxTime, static_cast<double>(sums.max) * scale);
    put(kTimeSquares, sums.squares * scale * scale);
  }
  put(kTime, static_cast<double>(sums.exclusive) * scale);
  if (sums.unfinished != 0) put(kUnfinished, sums.unfinished);
}

// If other threads had begun a task, it is a visit of the thread that ended it.
void AddResumed(const TaskParts& parts, LocationCalls* calls) {
  for (const ResumedTask& task : calls->resumed) {
    const auto sums = std::lower_bound(calls->sums.begin(), calls->sums.end(), task.node,
                                       [](const CallSums& a, uint32_t node) { return a.node < node; });
    if (sums == calls->sums.end() || sums->node != task.node) continue;
    const auto before = parts.find(task.task);
    sums->AddVisit(task.ticks + (before == parts.end() ? 0 : before->second));
  }
}

}  // namespace

std::vector<Value> ValuesOf(const TraceArchive& archive, uint32_t process, LocationCalls calls, const TaskParts& parts,
                            const LimitedVisits& limited) {
  AddResumed(parts, &calls);
  const Profile& profile = archive.definitions().profile;
  const uint32_t limited_path = limited.visits == 0 ? kNone : LimitedPath(profile);
  const double scale = archive.processes()[process]->map.clock.seconds_per_tick;
  std::vector<Value> values;
  const auto put_limited = [&] {
    CallSums part;
    part.visits = limited.visits;
    part.exclusive = limited.ticks;
    part.min = limited.min;
    part.max = limited.max;
    part.squares = limited.squares;
    Put(scale, limited_path, part, &values);
  };
  bool idled = false;
  for (CallSums& sums : calls.sums) {
    const bool idles = limited_path != kNone && sums.path == profile.call_paths[limited_path].parent;
    if (idles) sums.exclusive -= std::min(sums.exclusive, limited.ticks);
    Put(scale, sums.path, sums, &values);
    if (idles) put_limited();
    idled = idled || idles;
  }
  // Threads of nested regions may end without having been idle.
  if (limited_path != kNone && !idled) put_limited();
  return values;
}

}  // namespace epik::archive
