// SPDX-License-Identifier: BSD-3-Clause
// Tasks of OpenMP: which location created them, when they begin and end, and which locations wait for that.
#include <algorithm>
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

using event::RecordKind;
using Why = TaskStretch::Why;

namespace {

uint64_t ImplicitOf(uint32_t location) { return uint64_t{1} << 63 | location; }
uint64_t TaskAt(uint32_t location, const LocationState& state) {
  return state.task != 0 ? state.task : ImplicitOf(location);
}

}  // namespace

void Engine::TakeTask(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t number = state->event.field[0];
  const bool tells = !state->frames.empty() && state->at_node == 0;
  switch (state->event.kind) {
    case RecordKind::kTaskCreate: CreateTask(location, state, ns); break;
    case RecordKind::kTaskBegin: return BeginTask(location, state, ns);
    case RecordKind::kTaskSwitch: return ResumeTask(location, state);
    case RecordKind::kTaskNeeds: return NeedTasks(location, *state);
    case RecordKind::kTaskDetached: return DetachTask(location, *state);
    case RecordKind::kTaskFulfilled: FulfilTask(location, *state, ns); break;
    default:
      if (tells) {
        TaskRun& run = *RunIn(state);
        run.ended = ns;
        run.task = 0;
      }
      state->task = 0;  // a switch follows when the thread goes on with a task that has a number
      EndTask(location, number, ns);
  }
  if (!tells) return;
  for (Observer* observer : threads_) observer->Handed(location, ns);
  if (state->event.kind != RecordKind::kTaskCreate) return;
  for (Observer* observer : threads_) observer->TaskMade(location, number);
}

// A task never gets the number of an existing one, so that none is above itself.
void Engine::CreateTask(uint32_t location, LocationState* state, int64_t ns) {
  auto& tasks = StateAt(location).tasks;
  const uint64_t number = state->event.field[0], up = TaskAt(location, *state);
  if (number == 0 || number == up || tasks.contains(number)) return;
  TaskState& above = tasks[up];
  ++above.below;
  tasks[number] = {.up = up, .above = &above, .creator = location, .created = ns};
  if (OpenTaskWait* wait = TaskWaitAround(state); wait != nullptr) wait->for_task = number;
}

// Returns the wait for tasks that is the innermost frame, or null.
OpenTaskWait* Engine::TaskWaitAround(LocationState* state) {
  const bool is_in = !state->task_waits.empty() && state->frames.size() == state->task_waits.back().depth;
  return is_in ? &state->task_waits.back() : nullptr;
}

void Engine::NeedTasks(uint32_t location, const LocationState& state) {
  const uint64_t* field = state.event.field;
  ProcessState& process = StateAt(location);
  const auto task = process.tasks.find(field[0]);
  if (task == process.tasks.end()) return;
  process.dependences.Add(task->second.up, field[0], field[1], field[2]);
}

// The task ends when its event is fulfilled, unless the program was faster than the thread that begins it.
void Engine::DetachTask(uint32_t location, const LocationState& state) {
  ProcessState& process = StateAt(location);
  const uint64_t number = state.event.field[0];
  const auto task = process.tasks.find(number);
  if (task == process.tasks.end()) return;
  const auto [event, is_new] = process.task_events.try_emplace(state.event.field[1], number);
  task->second.waits_for_event = is_new || event->second != 0;
  if (task->second.waits_for_event) {
    event->second = number;
  } else {
    process.task_events.erase(event);
  }
}

void Engine::FulfilTask(uint32_t location, const LocationState& state, int64_t ns) {
  ProcessState& process = StateAt(location);
  const auto [event, is_new] = process.task_events.try_emplace(state.event.field[0], 0);
  if (is_new) return;
  const uint64_t number = event->second;
  process.task_events.erase(event);
  const auto task = process.tasks.find(number);
  if (task == process.tasks.end()) return;
  task->second.waits_for_event = false;
  if (task->second.body_ended) EndTask(location, number, ns);
}

// Returns the task that began or ended in the innermost frame.
TaskRun* Engine::RunIn(LocationState* state) {
  OpenFrame& open = state->frames.back();
  if (open.task_run == kNone) {
    open.task_run = static_cast<uint32_t>(state->task_runs.size());
    state->task_runs.emplace_back();
  }
  return &state->task_runs[open.task_run];
}

// If the thread was waiting for tasks, it had no work until now.
void Engine::BeginTask(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t number = state->event.field[0];
  if (number == 0) return;
  const TaskState& task = StateAt(location).tasks[number];
  if (!state->frames.empty() && state->at_node == 0) {
    const OpenFrame& open = state->frames.back();
    const std::vector<TaskReady> needs = StateAt(location).dependences.Of(number);
    for (Observer* observer : threads_) observer->TaskBegan(location, number, needs);
    TaskRun& run = *RunIn(state);
    run.task = number;
    run.creator = task.creator;
    run.created = task.created;
    run.ready = LastOf(needs);
    if (!state->task_waits.empty() && state->task_waits.back().for_task == number) {
      state->task_waits.back().needs = needs;
    }
    if (InterruptsWait(*state)) EndStretch(location, state, open.frame.enter, &run);
    if (task.created != INT64_MIN && TaskWaitAround(state) == nullptr) {
      for (Observer* observer : teams_) observer->Started({location, open.frame.path, task.created, ns});
    }
  }
  state->task = number;
}

// Whether the innermost frame is a call within a wait for tasks.
bool Engine::InterruptsWait(const LocationState& state) {
  return !state.task_waits.empty() && state.frames.size() == state.task_waits.back().depth + 1;
}

// A thread leaves an untied task, which any thread of the team may go on with.
void Engine::PauseTask(uint32_t location, uint64_t number, int64_t ns) {
  const auto task = StateAt(location).tasks.find(number);
  if (number == 0 || task == StateAt(location).tasks.end()) return;
  task->second.paused = {ns, location};
  for (Observer* observer : threads_) observer->Handed(location, ns);
}

// The thread goes on with a task of its own, or with an untied one that it or another thread has left.
void Engine::ResumeTask(uint32_t location, LocationState* state) {
  state->task = state->event.field[0];
  const auto task = StateAt(location).tasks.find(state->task);
  if (task == StateAt(location).tasks.end() || task->second.paused.by == kNone) return;
  const TaskReady paused = std::exchange(task->second.paused, {});
  if (state->frames.empty() || state->at_node != 0) return;
  TaskRun& run = *RunIn(state);
  run.task = state->task;
  run.ready = paused;
  if (InterruptsWait(*state)) EndStretch(location, state, state->frames.back().frame.enter, &run);
}

// Returns the first task above that has not ended, or null, and takes those between out of the way: a task that has
// ended waits for nothing any more, so its tasks become those of the one above. So each is passed about once, in chains
// as well.
TaskState* Engine::LivingAbove(Tasks* tasks, TaskState* task) {
  TaskState* living = task->above;
  uint64_t number_of_living = task->up;
  for (; living != nullptr && living->ended; living = living->above) number_of_living = living->up;
  if (living == task->above) return living;
  TaskState* on_way = task;
  for (uint64_t number = 0;;) {
    TaskState* const above = on_way->above;
    const uint64_t number_above = on_way->up;
    if (above != living) {
      on_way->above = living;
      on_way->up = number_of_living;
      --above->below;
      if (living != nullptr) ++living->below;
    }
    if (on_way != task && on_way->below == 0) {
      tasks->erase(number);
      if (living != nullptr) --living->below;
    }
    if (above == living) return living;
    on_way = above;
    number = number_above;
  }
}

void Engine::EndTask(uint32_t location, uint64_t number, int64_t ns) {
  auto& tasks = StateAt(location).tasks;
  const auto ended = tasks.find(number);
  if (ended == tasks.end()) return;
  TaskState& task = ended->second;
  task.body_ended = true;
  if (task.waits_for_event) return;
  StateAt(location).dependences.End(number, ns, location);
  task.ended = true;
  KeepLast(&task.awaits, {ns, location});
  bool is_told = false;
  for (TaskState* above = &task; (above = LivingAbove(&tasks, above)) != nullptr;) {
    above->last_end = {ns, location};
    if (std::exchange(is_told, true)) continue;
    for (const TaskReady& end : task.awaits) KeepLast(&above->awaits, end);
  }
  task.awaits.clear();
  ForgetTask(location, number);
}

// The thread goes on with its task, which has waited for all tasks below it. Returns the ends of those tasks that other
// threads ran.
std::vector<TaskReady> Engine::TakeAwaited(uint32_t location, const LocationState& state) {
  auto& tasks = StateAt(location).tasks;
  const auto mine = tasks.find(TaskAt(location, state));
  if (mine == tasks.end()) return {};
  std::vector<TaskReady> awaited = std::exchange(mine->second.awaits, {});
  std::erase_if(awaited, [&](const TaskReady& end) { return end.by == location; });
  return awaited;
}

// A task is not needed any more when it and all tasks below it have ended.
void Engine::ForgetTask(uint32_t location, uint64_t number) {
  auto& tasks = StateAt(location).tasks;
  const auto found = tasks.find(number);
  TaskState* task = found == tasks.end() ? nullptr : &found->second;
  while (task != nullptr && task->ended && task->below == 0) {
    TaskState* const above = task->above;
    const uint64_t number_above = task->up;
    tasks.erase(number);
    if (above != nullptr) --above->below;
    task = above;
    number = number_above;
  }
}

void Engine::EnterTaskWait(uint32_t location, LocationState* state) {
  const OpenFrame& open = state->frames.back();
  if (open.made_up || open.folded) return;
  OpenTaskWait made{state->frames.size(), {}, open.frame.enter};
  made.wait.call.location = location;
  made.wait.call.path = open.frame.path;
  made.wait.call.operation = open.frame.operation;
  made.wait.call.enter = made.since;
  made.wait.call.logged = true;
  state->task_waits.push_back(std::move(made));
}

// Ends what the thread waited for until now: first for the creation of the task that it runs next, then for the last
// end of a task that this task needs, and then for the last end of a task that another thread ran.
void Engine::EndStretch(uint32_t location, LocationState* state, int64_t ns, const TaskRun* next) {
  OpenTaskWait& open = state->task_waits.back();
  const auto take = [&](TaskStretch stretch) {
    stretch.from = open.since;
    stretch.to = std::min(stretch.to, ns);
    if (stretch.whom == location || stretch.to <= stretch.from) return;
    open.since = stretch.to;
    open.wait.stretches.push_back(stretch);
  };
  if (next != nullptr) {
    take({Why::kCreated, next->creator, 0, next->created});
    take({Why::kEnded, next->ready.by, 0, next->ready.ns});
  }
  const TaskReady last = LastAwaited(location, *state);
  take({Why::kEnded, last.by, 0, last.ns});
}

// Returns the last end, so far, of a task that the thread waits for.
TaskReady Engine::LastAwaited(uint32_t location, const LocationState& state) const {
  const OpenTaskWait& open = state.task_waits.back();
  const ProcessState& process = processes_[world_.locations[location].process];
  if (!open.needs.empty()) return LastOf(open.needs);
  if (open.for_task != 0) return LastOf(process.dependences.Of(open.for_task));
  const auto mine = process.tasks.find(TaskAt(location, state));
  return mine == process.tasks.end() ? TaskReady() : mine->second.last_end;
}

// The frame that the thread leaves is the wait itself, or a call within it.
void Engine::LeaveTaskWait(uint32_t location, LocationState* state, int64_t ns) {
  OpenTaskWait& open = state->task_waits.back();
  if (state->frames.size() == open.depth + 1) open.since = std::max(open.since, ns);
  if (state->frames.size() > open.depth) return;
  EndStretch(location, state, ns, nullptr);
  open.wait.call.leave = ns;
  open.wait.needs = open.for_task != 0 ? open.needs : TakeAwaited(location, *state);
  for (Observer* observer : teams_) observer->Awaited(open.wait);
  state->task_waits.pop_back();
}

}  // namespace epik::replay
