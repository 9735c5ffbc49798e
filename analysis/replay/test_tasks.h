// SPDX-License-Identifier: BSD-3-Clause
// Random teams with tasks, made step by step. A search at each nanosecond finds what they wait for.
#ifndef EPIK_ANALYSIS_REPLAY_TEST_TASKS_H_
#define EPIK_ANALYSIS_REPLAY_TEST_TASKS_H_

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/replay/test_script.h"

namespace epik::replay {

// Thread 0 creates the tasks of each round, and waits for them at a taskwait now and then. All threads run them, at the
// barrier that ends the round.
class TaskProgram {
 public:
  TaskProgram(int threads, int rounds, unsigned seed) : random_(seed), now_(threads, 3), lines_(threads) {
    for (int t = 0; t < threads; ++t) lines_[t] = "1 > m | 2 team_begin 0 1 " + std::to_string(t) + " | ";
    for (int r = 0; r < rounds; ++r) Round();
    for (int t = 0; t < threads; ++t) Say(t, now_[t], "<");
  }
  void Write(Script* script) const {
    for (size_t t = 0; t < lines_.size(); ++t) script->Add("0." + std::to_string(t) + ": " + lines_[t]);
  }

  std::map<std::string, int64_t> expected;  // "pattern thread call path" -> ns

 private:
  struct Task {
    int64_t created, begun, ended;
    int thread;
  };
  // A thread is in a barrier or a taskwait.
  struct Stay {
    int thread;
    std::string call;
    int64_t from, to;
  };

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int threads() const { return static_cast<int>(now_.size()); }
  void Say(int thread, int64_t ns, const std::string& what) {
    lines_[thread] += std::to_string(ns) + " " + what + " | ";
  }
  void Expect(const std::string& pattern, const Stay& stay, int64_t ns) {
    if (ns > 0) expected[pattern + " " + std::to_string(stay.thread) + " m > " + stay.call] += ns;
  }

  void Round() {
    std::vector<Task> tasks;
    std::vector<int64_t> comes;
    for (int t = 0; t < threads(); ++t) comes.push_back(now_[t] + 1 + Pick(40));
    int64_t at = now_[0];
    for (int n = Pick(6); n > 0; --n) {
      at += 1 + Pick(20);
      tasks.push_back({at, 0, 0, 0});
      Say(0, at, "task_create " + std::to_string(numbers_ + static_cast<int64_t>(tasks.size())));
    }
    comes[0] = std::max(comes[0], at + 1);
    Run(comes, &tasks);
    Stay waits{0, "omp_taskwait", comes[0], comes[0]};
    if (Pick(2) == 0) {
      for (const Task& task : tasks) waits.to = std::max(waits.to, task.ended);
      ++waits.to;
      comes[0] = waits.to + Pick(20);
      Enter(waits, tasks);
      LookAtTaskwait(waits, tasks);
    }
    int64_t leave = *std::max_element(comes.begin(), comes.end());
    for (const Task& task : tasks) leave = std::max(leave, task.ended);
    std::vector<Stay> barrier;
    for (int t = 0; t < threads(); ++t) {
      barrier.push_back({t, "omp_ibarrier", comes[t], leave + 1 + Pick(3)});
      Enter(barrier.back(), tasks);
      now_[t] = barrier.back().to;
    }
    for (const Stay& stay : barrier) LookAtBarrier(stay, *std::max_element(comes.begin(), comes.end()), tasks, barrier);
    numbers_ += static_cast<int64_t>(tasks.size());
  }

  // The thread that is free first takes the next task. Tasks begin at even times and end at odd ones, so that no end is
  // at a begin.
  void Run(const std::vector<int64_t>& comes, std::vector<Task>* tasks) {
    std::vector<int64_t> free = comes;
    for (Task& task : *tasks) {
      const auto first = std::min_element(free.begin(), free.end());
      task.thread = static_cast<int>(first - free.begin());
      task.begun = (std::max(*first, task.created) + 2) / 2 * 2;
      task.ended = task.begun + 1 + 2 * Pick(30);
      *first = task.ended + 1;
    }
  }

  static bool IsIn(const Stay& stay, const Task& task) {
    return task.thread == stay.thread && task.begun >= stay.from && task.ended <= stay.to;
  }

  void Enter(const Stay& stay, const std::vector<Task>& tasks) {
    Say(stay.thread, stay.from, "> " + stay.call);
    if (stay.call == "omp_ibarrier") Say(stay.thread, stay.from, "barrier");
    for (size_t n = 0; n < tasks.size(); ++n) {
      if (!IsIn(stay, tasks[n])) continue;
      const std::string number = std::to_string(numbers_ + static_cast<int64_t>(n) + 1);
      Say(stay.thread, tasks[n].begun, "> task");
      Say(stay.thread, tasks[n].begun, "task_begin " + number);
      Say(stay.thread, tasks[n].ended, "task_end " + number);
      Say(stay.thread, tasks[n].ended, "<");
      Expect("omp_task_start", {stay.thread, stay.call + " > task", 0, 0}, tasks[n].begun - tasks[n].created);
    }
    Say(stay.thread, stay.to, "<");
  }

  // Returns the task that the thread runs next, or null if it runs no other task. `at_work`: the thread is running a
  // task.
  static const Task* Next(const Stay& stay, const std::vector<Task>& tasks, int64_t ns, bool* at_work) {
    *at_work = false;
    for (const Task& task : tasks) {
      if (!IsIn(stay, task)) continue;
      if (task.begun <= ns && ns < task.ended) *at_work = true;
      if (task.begun > ns) return &task;
    }
    return nullptr;
  }

  void LookAtTaskwait(const Stay& stay, const std::vector<Task>& tasks) {
    int64_t waited = 0;
    for (int64_t ns = stay.from; ns < stay.to; ++ns) {
      bool at_work = false;
      const Task* next = Next(stay, tasks, ns, &at_work);
      const int64_t until = next != nullptr ? next->begun : stay.to;
      const bool ends = std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
        return task.thread != stay.thread && task.ended > ns && task.ended <= until;
      });
      if (!at_work && ends) ++waited;
    }
    Expect("omp_taskwait_wait", stay, waited);
  }

  void LookAtBarrier(const Stay& stay, int64_t latest, const std::vector<Task>& tasks, const std::vector<Stay>& all) {
    int64_t waited = 0, creation = 0, after = 0;
    for (int64_t ns = stay.from; ns < stay.to; ++ns) {
      bool at_work = false;
      const Task* next = Next(stay, tasks, ns, &at_work);
      if (at_work) continue;
      const int64_t until = next != nullptr ? next->begun : stay.to;
      const bool creates = next != nullptr && stay.thread != 0 && next->created > ns;
      const bool ends = std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
        const Stay& other = all[static_cast<size_t>(task.thread)];
        return task.thread != stay.thread && IsIn(other, task) && task.ended > ns && task.ended <= until;
      });
      waited += ns < latest ? 1 : 0;
      creation += ns < latest && creates ? 1 : 0;
      after += ns >= latest && (creates || ends) ? 1 : 0;
    }
    Expect("omp_ibarrier_wait", stay, waited);
    Expect("omp_ibarrier_creation", stay, creation);
    Expect("omp_ibarrier_tasks", stay, after);
  }

  std::mt19937 random_;
  std::vector<int64_t> now_;
  std::vector<std::string> lines_;
  int64_t numbers_ = 0;  // of tasks so far
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TEST_TASKS_H_
