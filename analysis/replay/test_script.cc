// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/test_script.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "archive/trace/record_names.h"

namespace epik::replay {
namespace {

class Listed : public EventSource {
 public:
  explicit Listed(const std::vector<archive::Event>& events) : events_(events) {}
  bool Next(archive::Event* event) override {
    if (next_ == events_.size()) return false;
    *event = events_[next_++];
    return true;
  }

 private:
  const std::vector<archive::Event>& events_;
  size_t next_ = 0;
};

}  // namespace

Script::Script(int ranks) {
  world_.ranks = ranks;
  world_.world_communicator = 0;
  world_.windows = {0};
  world_.communicators.resize(2);
  for (int r = 0; r < ranks; ++r) world_.communicators[0].ranks.push_back(r);
  world_.communicators[1].ranks = {-1};
  regions_.emplace_back();
}

uint32_t Script::Group(std::vector<int32_t> ranks, std::vector<int32_t> remote) {
  world_.communicators.push_back({std::move(ranks), std::move(remote)});
  return static_cast<uint32_t>(world_.communicators.size() - 1);
}

void Script::Add(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    if (colon == std::string::npos) throw std::invalid_argument("a line of a script begins with a rank: " + line);
    std::istringstream who(line.substr(0, colon));
    int rank = 0, thread = 0;
    char dot = 0;
    who >> rank >> dot >> thread;
    std::vector<archive::Event>& events = events_[{rank, thread}];
    std::istringstream parts(line.substr(colon + 1));
    for (std::string part; std::getline(parts, part, '|');) AddEvent(rank, thread, part, &events);
  }
}

std::vector<std::unique_ptr<EventSource>> Script::Sources() const {
  std::vector<std::unique_ptr<EventSource>> sources;
  for (const auto& [who, events] : events_) sources.push_back(std::make_unique<Listed>(events));
  return sources;
}

void Script::AddEvent(int rank, int thread, const std::string& part, std::vector<archive::Event>* events) {
  std::istringstream words(part);
  archive::Event event;
  std::string what, word;
  if (!(words >> event.time >> what)) return;
  std::vector<uint32_t>& stack = stacks_[{rank, thread}];
  event.location = static_cast<uint32_t>(thread);
  if (what == ">") {
    words >> word;
    stack.push_back(PathOf(stack.empty() ? kNone : stack.back(), word));
    event.kind = event::RecordKind::kEnter;
    event.node = stack.back() + 1;
  } else if (what == "<") {
    event.kind = event::RecordKind::kExit;
    event.node = stack.back() + 1;
    stack.pop_back();
  } else {
    std::replace(what.begin(), what.end(), '_', ' ');
    for (uint32_t kind = 0; kind < epilog::kKinds; ++kind) {
      if (archive::NameOf(static_cast<event::RecordKind>(kind)).name == what) {
        event.kind = static_cast<event::RecordKind>(kind);
      }
    }
    event.node = stack.empty() ? 0 : stack.back() + 1;
    const archive::RecordName& name = archive::NameOf(event.kind);
    for (; words >> word; ++event.fields) event.field[event.fields] = Field(name.field[event.fields].kind, word);
  }
  events->push_back(event);
}

uint64_t Script::Field(std::string_view kind, const std::string& word) {
  if (kind == "comm") return word == "w" ? 0 : word == "s" ? 1 : std::stoull(word);
  if (kind == "region") return RegionOf(word);
  if (kind == "node") return PathOf(kNone, word) + 1;
  return static_cast<uint64_t>(std::stoll(word));
}

uint64_t Script::RegionOf(const std::string& name) {
  for (size_t r = 1; r < regions_.size(); ++r) {
    if (regions_[r] == name) return r;
  }
  regions_.push_back(name);
  return regions_.size() - 1;
}

uint32_t Script::PathOf(uint32_t parent, const std::string& region) {
  const std::string name = parent == kNone ? region : paths_[parent] + " > " + region;
  const auto [at, is_new] = path_of_.emplace(name, static_cast<uint32_t>(paths_.size()));
  if (is_new) {
    paths_.push_back(name);
    const Operation construct = OperationOfConstruct(region);
    operations_.push_back(construct.role != Role::kNone ? construct : OperationOf(region));
  }
  return at->second;
}

void Script::Build() {
  world_.processes.clear();
  world_.locations.clear();
  for (const auto& [who, events] : events_) {
    if (world_.processes.empty() || world_.processes.back().rank != who.first) {
      Process process;
      process.rank = who.first;
      process.partial = partial_[who.first];
      process.end_ticks = end_ticks_;
      std::vector<std::pair<uint32_t, NodeFacts>> nodes;
      for (uint32_t p = 0; p < paths_.size(); ++p)
        nodes.emplace_back(p + 1, NodeFacts{p, operations_[p], paths_[p] == window_});
      for (const Operation& operation : operations_) process.waits_for_locks |= GivesMutex(operation.role);
      process.nodes.Assign(nodes);
      std::vector<std::pair<uint32_t, Operation>> regions;
      for (uint32_t r = 1; r < regions_.size(); ++r) regions.emplace_back(r, OperationOf(regions_[r]));
      process.regions.Assign(regions);
      std::vector<std::pair<uint32_t, Known>> communicators;
      for (uint32_t c = 0; c < world_.communicators.size(); ++c) communicators.emplace_back(c, Known{c});
      process.communicators.Assign(communicators);
      process.windows.Assign({{0, Known{0}}});
      world_.processes.push_back(std::move(process));
    }
    world_.processes.back().locations.push_back(static_cast<uint32_t>(world_.locations.size()));
    world_.locations.push_back({static_cast<uint32_t>(world_.processes.size() - 1), static_cast<uint32_t>(who.second),
                                static_cast<uint32_t>(world_.locations.size())});
  }
  world_.has_windows = !window_.empty();
  world_.Index();
}

}  // namespace epik::replay
