// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/watch.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "archive/directory/archive.h"
#include "archive/image/program_name.h"

namespace epik::top {

bool Watch::Process::HasEnded() const {
  const event::ProcessState state = arena->State();
  return state == event::ProcessState::kFinishing || state == event::ProcessState::kDone || handle.HasEnded();
}

std::unique_ptr<Watch> Watch::Open(const std::string& word, std::string* error) {
  std::vector<Target> targets;
  if (!FindTargets(word, &targets, error)) return nullptr;
  std::unique_ptr<Watch> watch(new Watch(targets.front().unfinished));
  for (const Target& target : targets) {
    if (!watch->Add(target, error)) return nullptr;
  }
  watch->whole_job_ = targets.size() > 1 || word != std::to_string(targets.front().pid);
  return watch;
}

bool Watch::Add(const Target& target, std::string* error) {
  auto process = std::make_unique<Process>(target);
  process->arena = ArenaFile::Open(target.arena, error);
  if (process->arena == nullptr) return false;
  processes_.push_back(std::move(process));
  return true;
}

void Watch::AddNewcomers() {
  const std::string folder = whole_job_ ? folder_.Name() : "";
  if (folder.empty()) return;
  const auto knows = [&](int pid) {
    return std::any_of(processes_.begin(), processes_.end(),
                       [&](const auto& process) { return process->target.pid == pid; });
  };
  std::string not_yet;  // the arena lacks its first bytes: tries again next time
  for (const Target& target : RunningIn(folder, knows)) Add(target, &not_yet);
}

bool Watch::Take(Picture* picture, std::string* error) {
  AddNewcomers();
  struct Taken {
    Process* process;
    Sample sample;
  };
  std::vector<Taken> taken;
  // At the end, reads once more the arenas that they left.
  const bool ended = HasEnded();
  for (const auto& process : processes_) {
    if (!ended && process->HasEnded()) continue;
    if (!process->arena->Read(&process->reading, error)) {
      *error = process->target.arena + ": " + *error;
      if (processes_.size() == 1) return false;
      continue;  // a process of a job that is just leaving
    }
    const archive::ProcessImage& image = process->reading.image;
    if (!ended) ReadCpuTimes(process->target.pid, &process->reading.image);
    process->names.Learn(image);
    process->rank = image.header.ranks > 1 ? image.header.rank : -1;
    if (taken.empty()) program_ = archive::ProgramName(image.program, image.command);
    taken.push_back({process.get(), process->sampler.Add(process->reading)});
  }
  std::stable_sort(taken.begin(), taken.end(),
                   [](const Taken& a, const Taken& b) { return a.process->rank < b.process->rank; });
  *picture = {};
  for (const Taken& each : taken) {
    const ProcessLine line{each.process->target.pid, each.process->rank};
    picture->Add(line, each.sample, each.process->sampler, each.process->names);
  }
  return true;
}

bool Watch::HasEnded() const {
  return std::all_of(processes_.begin(), processes_.end(), [](const auto& process) { return process->HasEnded(); });
}

std::string Watch::Afterwards() const {
  const auto exists = [this] {
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const auto& process) { return !process->handle.HasEnded(); });
  };
  std::string name = folder_.Name();
  const auto unfinished = [&name] { return name.ends_with(archive::kUnfinishedSuffix); };
  for (int i = 0; i < 100 && unfinished() && exists(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    name = folder_.Name();
  }
  if (unfinished()) name = folder_.Name();
  const std::string who = processes_.size() > 1 ? std::to_string(processes_.size()) + " processes have"
                                                : "process " + std::to_string(processes_.front()->target.pid) + " has";
  return who + " ended; type: epk " + (name.empty() ? "report" : (unfinished() ? "recover " : "report ") + name);
}

}  // namespace epik::top
