// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/picture.h"

#include <algorithm>

#include "tools/top/proc.h"

namespace epik::top {
namespace {

std::string PathName(const std::vector<event::Key>& keys, const Names& names) {
  std::string text;
  for (const event::Key key : keys) text += (text.empty() ? "" : " > ") + names.Of(key);
  return text;
}

std::string State(const ThreadLine& thread, int pid) {
  if (!thread.running) return "ended";
  return pid != 0 ? ThreadState(pid, static_cast<int>(thread.thread_id)) : "";
}

void Sum(Figures* sum, const Figures& more) {
  sum->exclusive += more.exclusive;
  sum->inclusive += more.inclusive;
  sum->calls += more.calls;
}

}  // namespace

void Picture::Add(const ProcessLine& process, const Sample& sample, const Sampler& sampler, const Names& names) {
  processes.push_back(process);
  seconds = std::max(seconds, sample.seconds);
  total_seconds = std::max(total_seconds, sample.total_seconds);
  calls += sample.calls;
  total_calls += sample.total_calls;
  for (const PathLine& line : sample.paths) {
    const std::vector<event::Key> keys = sampler.PathKeys(line.path);
    Path& path = paths[PathName(keys, names)];
    path.region = names.Of(keys.back());
    path.nested = std::count(keys.begin(), keys.end(), keys.back()) > 1;
    Sum(&path.now, line.now);
    Sum(&path.total, line.total);
    time += line.now.exclusive;
    total_time += line.total.exclusive;
  }
  cost += std::min(sample.computed, sample.cost);
  total_cost += std::min(sample.total_computed, sample.total_cost);
  computed += sample.computed;
  total_computed += sample.total_computed;
  for (const ThreadLine& line : sample.threads) {
    const bool somewhere = line.path != kNoPath;
    threads.push_back(
        {process, line, somewhere ? PathName(sampler.PathKeys(line.path), names) : "", State(line, process.pid)});
  }
}

}  // namespace epik::top
