// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/process_facts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>

namespace epik::archive {

using event::Ending;

void SlowestChain::Join(const SlowestChain& other) {
  constexpr double kAboutAsMuch = 0.9;
  own = std::max(own, other.own);
  most = std::max(most, other.most);
  const bool is_chain = other.computed > computed;
  const SlowestChain& longer = is_chain ? other : *this;
  const SlowestChain& shorter = is_chain ? *this : other;
  const bool alike = shorter.computed >= kAboutAsMuch * longer.computed && shorter.computed > 0;
  least = alike ? std::min(longer.least, shorter.least) : longer.least;
  if (!is_chain) return;
  computed = other.computed;
  cost = other.cost;
}

void Pack(const ProcessFacts& facts, BytesOut* bytes) {
  bytes->Put(facts.numbers);
  for (const std::string* text : {&facts.host, &facts.program, &facts.title, &facts.configuration}) bytes->Put(*text);
  bytes->Put(facts.command);
  bytes->PutAll(facts.threads);
  bytes->PutAll(facts.peers);
  bytes->Put(static_cast<uint64_t>(facts.files.size()));
  for (const FileDefinition& file : facts.files) {
    bytes->Put(file.path);
    bytes->Put(file.use);
  }
  bytes->Put(static_cast<uint64_t>(facts.topologies.size()));
  for (const TopologyDefinition& topology : facts.topologies) {
    bytes->Put(topology.id);
    bytes->Put(topology.name);
    bytes->PutAll(topology.dimensions);
    bytes->Put(topology.dimension_names);
  }
}

bool Unpack(BytesIn* bytes, ProcessFacts* facts) {
  facts->numbers = bytes->Get<ProcessFacts::Numbers>();
  for (std::string* text : {&facts->host, &facts->program, &facts->title, &facts->configuration}) {
    *text = bytes->GetText();
  }
  facts->command = bytes->GetTexts();
  facts->threads = bytes->GetAll<ProcessFacts::Thread>();
  facts->peers = bytes->GetAll<PeerTraffic>();
  facts->files.resize(bytes->GetCount(sizeof(event::FileUse)));
  for (FileDefinition& file : facts->files) {
    file.path = bytes->GetText();
    file.use = bytes->Get<event::FileUse>();
  }
  facts->topologies.resize(bytes->GetCount(sizeof(uint64_t)));
  for (TopologyDefinition& topology : facts->topologies) {
    topology.id = bytes->Get<uint64_t>();
    topology.name = bytes->GetText();
    topology.dimensions = bytes->GetAll<event::TopologyDimension>();
    topology.dimension_names = bytes->GetTexts();
  }
  return bytes->good();
}

namespace {

// As a shell shows it: the last eight bits.
int32_t StatusOf(int32_t value) { return value & 0xff; }

// The process with the highest number decides how the run ended. That is the process that failed by itself, rather than
// those that were killed because of it.
int Gravity(const ProcessFacts& facts) {
  const int value = facts.numbers.ending_value;
  switch (facts.numbers.ending) {
    case Ending::kMpiFinalize: return 0;
    case Ending::kExit:
    case Ending::kQuickExit: return StatusOf(value) == 0 ? 1 : 6;
    case Ending::kUnderscoreExit: return StatusOf(value) == 0 ? 2 : 6;
    case Ending::kExec: return 3;
    case Ending::kSignal: return value == SIGTERM || value == SIGHUP ? 4 : value == SIGINT ? 5 : 9;
    case Ending::kNone: return 5;
    case Ending::kMpiAbort: return 7;
    case Ending::kAbort: return 8;
  }
  return 0;
}

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

void DescribeEnding(const ProcessFacts& facts, const EndingHint& hint, Manifest* manifest) {
  const std::string value = std::to_string(facts.numbers.ending_value);
  switch (facts.numbers.ending) {
    case Ending::kExit: manifest->ended = "exit"; break;
    case Ending::kQuickExit: manifest->ended = "quick_exit"; break;
    case Ending::kUnderscoreExit: manifest->ended = "_exit"; break;
    case Ending::kAbort: manifest->ended = "abort"; return;
    case Ending::kExec: manifest->ended = "exec"; return;
    case Ending::kMpiFinalize:
      manifest->ended = "exit";
      manifest->ended_detail = "MPI_Finalize";
      return;
    case Ending::kMpiAbort:
      manifest->ended = "MPI_Abort";
      manifest->ended_detail = "code " + value;
      return;
    case Ending::kSignal:
      manifest->ended = "signal";
      manifest->ended_detail = SignalName(facts.numbers.ending_value);
      return;
    case Ending::kNone:
      manifest->ended = hint.running ? "running" : "killed";
      if (!hint.running) manifest->ended_detail = "without a last word: SIGKILL, power or memory";
      return;
  }
  manifest->ended_detail = "status " + std::to_string(StatusOf(facts.numbers.ending_value));
}

// In a job, the rank of the process matters.
void DescribeEndings(const std::vector<ProcessFacts>& processes, const EndingHint& hint, Manifest* manifest) {
  const ProcessFacts* gravest = &processes.front();
  for (const ProcessFacts& facts : processes) {
    if (Gravity(facts) > Gravity(*gravest)) gravest = &facts;
  }
  DescribeEnding(*gravest, hint, manifest);
  const ProcessFacts::Numbers& numbers = gravest->numbers;
  if (numbers.ranks < 2 || numbers.ending == Ending::kMpiFinalize || hint.running) return;
  if (manifest->ended == "exit") {
    // This is normal for a program, but not for a job, which ends with MPI_Finalize.
    manifest->ended = "exit without MPI_Finalize";
  }
  const auto like = std::count_if(processes.begin(), processes.end(), [&](const ProcessFacts& facts) {
    return facts.numbers.ending == numbers.ending && facts.numbers.ending_value == numbers.ending_value;
  });
  const std::string who = like == 1 ? "rank " + std::to_string(numbers.rank)
                                    : std::to_string(like) + " of " + std::to_string(numbers.ranks) + " ranks";
  manifest->ended_detail += (manifest->ended_detail.empty() ? "" : ", ") + who;
}

std::string Started(uint64_t unix_ns) {
  const time_t seconds = static_cast<time_t>(unix_ns / 1'000'000'000u);
  tm parts;
  char text[64];
  const bool good =
      localtime_r(&seconds, &parts) != nullptr && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts) != 0;
  return good ? text : "";
}

// Notes ranks of the job without any data. Goes by the ranks with data, because the size of the job is a number that a
// damaged file may have wrong by billions.
void NoteMissing(const std::vector<ProcessFacts>& processes, Manifest* manifest) {
  const int64_t ranks = processes.front().numbers.ranks;
  std::set<int64_t> there;
  for (const ProcessFacts& facts : processes) {
    if (facts.numbers.rank >= 0 && facts.numbers.rank < ranks) there.insert(facts.numbers.rank);
  }
  const auto missing = ranks - static_cast<int64_t>(there.size());
  if (static_cast<int64_t>(processes.size()) >= ranks || missing == 0) return;
  constexpr int64_t kMostNamed = 10;
  std::string text;
  int64_t named = 0;
  for (int64_t rank = 0; named < std::min(missing, kMostNamed); ++rank) {
    if (there.count(rank) != 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
    ++named;
  }
  if (missing > named) text += " and " + std::to_string(missing - named) + " more";
  manifest->notes.push_back("nothing was found of rank " + text);
}

void AddTrace(const ProcessFacts::Numbers& numbers, Manifest::Trace* trace) {
  trace->there = true;
  trace->events += numbers.trace_events;
  trace->bytes += numbers.trace_bytes;
  trace->flushes += numbers.trace_flushes;
  trace->lost += numbers.trace_lost;
  if (numbers.trace_bytes <= trace->largest_bytes) return;
  trace->largest_bytes = numbers.trace_bytes;
  trace->largest_rank = numbers.ranks == 0 ? 0 : numbers.rank;
}

std::string Paths(uint64_t paths, const char* what, double since) {
  char text[96];
  snprintf(text, sizeof text, "%llu call path%s %s since %.1f s", static_cast<unsigned long long>(paths),
           paths == 1 ? "" : "s", what, since);
  return text;
}

double Earliest(double since, double other) { return since < 0 || (other >= 0 && other < since) ? other : since; }

// Sums up the effects of EPK_HOT and EPK_BUDGET.
void DescribeHotPaths(const std::vector<ProcessFacts>& processes, Manifest* manifest) {
  Manifest::Hot& hot = manifest->hot;
  hot.sampled_since_s = hot.dropped_since_s = -1;
  for (const ProcessFacts& facts : processes) {
    const ProcessFacts::Numbers& numbers = facts.numbers;
    hot.sampled_paths += numbers.sampled_paths;
    hot.dropped_paths += numbers.dropped_paths;
    hot.probed_paths += numbers.probed_paths;
    hot.untimed_visits += numbers.untimed_calls;
    hot.dropped_calls += numbers.dropped_calls;
    hot.untimed_cost_ns = std::max(hot.untimed_cost_ns, numbers.untimed_cost_ns);
    hot.sampled_since_s = Earliest(hot.sampled_since_s, numbers.sampled_since);
    hot.dropped_since_s = Earliest(hot.dropped_since_s, numbers.dropped_since);
  }
  std::string note;
  if (hot.sampled_paths != 0) note = Paths(hot.sampled_paths, "sampled", hot.sampled_since_s);
  if (hot.dropped_paths != 0)
    note += (note.empty() ? "" : ", ") + Paths(hot.dropped_paths, "dropped", hot.dropped_since_s);
  hot.sampled_since_s = std::max(hot.sampled_since_s, 0.0);
  hot.dropped_since_s = std::max(hot.dropped_since_s, 0.0);
  if (note.empty()) return;
  if (hot.untimed_visits != 0) {
    note += "; times of " + std::to_string(hot.untimed_visits) + " visits are estimated";
  }
  if (hot.dropped_calls != 0) {
    note += "; the hooks of " + std::to_string(hot.dropped_calls) + " dropped calls could not be saved";
  }
  manifest->notes.push_back(note);
}

// Notes the results of EPK_HOT=probe.
void DescribeProbes(Manifest* manifest) {
  const Manifest::Hot& hot = manifest->hot;
  if (hot.untimed_visits == 0 || hot.sampled_paths != 0) return;
  const std::string untimed = std::to_string(hot.untimed_visits) + " visits";
  manifest->notes.push_back(hot.probed_paths == 0
                                ? "EPK_HOT=probe found no price, as no small function was called again and again; " +
                                      untimed + " have estimated times"
                                : "the price of a visit was measured on " + std::to_string(hot.probed_paths) +
                                      (hot.probed_paths == 1 ? " call path" : " call paths") + "; for that, " +
                                      untimed + " were not timed, and are estimated");
}

// Describes the cost of measuring, in CPU time and in wall time.
void DescribeCost(const std::vector<ProcessFacts>& processes, Manifest* manifest) {
  SlowestChain chain;
  double error = 0, least = 0, timed = 0, visits = 0;
  for (const ProcessFacts& facts : processes) {
    const ProcessFacts::Numbers& numbers = facts.numbers;
    manifest->own_seconds += numbers.own_seconds;
    manifest->cost_seconds += numbers.cost_seconds;
    manifest->cpu_seconds += numbers.computed_seconds;
    manifest->cpu_most_seconds += numbers.computed_most_seconds;
    manifest->ran_seconds += numbers.ran_seconds;
    manifest->queued_seconds += numbers.queued_seconds;
    manifest->preemptions += numbers.preemptions;
    error += numbers.cost_error_seconds;
    least += numbers.cost_least_seconds;
    timed += numbers.timed_cost_seconds;
    const uint64_t calls = numbers.calls + numbers.folded_visits;
    visits += static_cast<double>(calls - std::min(numbers.untimed_calls, calls));
    chain.Join(numbers.chain);
  }
  manifest->cost_by_prices_seconds = manifest->cost_seconds;
  // The cost cannot have been more than the CPU time. Prices that say so are too high, also the least ones: by no less
  // than that.
  if (manifest->cost_seconds > manifest->cpu_seconds && manifest->cpu_seconds > 0) {
    const double kept = manifest->cpu_seconds / manifest->cost_seconds;
    timed *= kept;
    least *= kept;
    chain.least *= kept;
    manifest->cost_seconds = manifest->cpu_seconds;
  }
  const double wall = manifest->wall_seconds, cpu = manifest->cpu_seconds, cost = manifest->cost_seconds;
  manifest->pair_cost_ns = visits > 0 ? timed / visits * 1e9 : processes.front().numbers.pair_cost_ns;
  manifest->cost_error_seconds = error;
  manifest->cost_least_seconds = std::min(least, cost);
  const ProcessFacts::Numbers& first = processes.front().numbers;
  manifest->pair_alone_ns = first.pair_alone_ns;
  manifest->pair_behind_least_ns = first.pair_behind_least_ns;
  manifest->pair_behind_most_ns = first.pair_behind_most_ns;
  manifest->cost_percent = cpu > 0 ? 100 * cost / cpu : 0;
  manifest->cpu_without_seconds = cpu - cost;
  // The location that computed longest computed at least this long.
  const double computes = cpu > 0 ? std::min(manifest->cpu_without_seconds * chain.computed / cpu, wall) : 0;
  const auto without = [=, own = chain.own](double saved) { return std::max(computes, wall - saved - own); };
  // Some of the run is left, whatever the estimates are.
  manifest->wall_without_seconds = without(std::min(chain.cost, wall));
  manifest->wall_without_least_seconds = without(chain.most);
  manifest->wall_without_most_seconds = without(chain.least);
}

// The budget as a share of the time, from "5%" in the settings of the run; 0: there was none.
double BudgetOf(const std::string& configuration) {
  constexpr std::string_view kLine = "\nEPK_BUDGET = ";
  const size_t at = configuration.find(kLine);
  if (at == std::string::npos) return 0;
  const std::string value =
      configuration.substr(at + kLine.size(), configuration.find('\n', at + 1) - at - kLine.size());
  const size_t number = value.find_first_of("0123456789");  // none in "off"
  return number == std::string::npos ? 0 : strtod(value.c_str() + number, nullptr) / 100;
}

// EPK_BUDGET can leave out the measuring of a call, but not the call of the hook that the compiler inserted.
void DescribeBudget(const std::string& configuration, Manifest* manifest) {
  constexpr double kMet = 1.3, kWorthWords = 1e-3;  // s
  const double budget = BudgetOf(configuration), program = manifest->cpu_most_seconds - manifest->cost_seconds;
  if (budget <= 0 || manifest->cost_seconds < kWorthWords) return;
  if (manifest->cost_seconds <= kMet * budget * program) return;
  char text[400];
  snprintf(text, sizeof text,
           "EPK_BUDGET=%g%% was not met: measuring took %.2g s beside %.2g s of the program itself. Hooks are called "
           "also where nothing is measured, functions that call themselves are counted, and calls of MPI and tasks of "
           "OpenMP are timed. Build with epk instrument --filter: epk score --suggest writes the filter",
           100 * budget, manifest->cost_seconds, program);
  manifest->notes.push_back(text);
}

}  // namespace

void DescribeRun(const std::vector<ProcessFacts>& processes, const EndingHint& hint, Manifest* manifest) {
  const ProcessFacts& first = processes.front();
  manifest->program = first.program;
  manifest->command = first.command;
  manifest->host = first.host;
  manifest->timer = first.numbers.timer == base::Timer::kTsc ? "tsc" : "monotonic";
  manifest->started = Started(first.numbers.start_unix_ns);
  constexpr size_t kMost = std::numeric_limits<int>::max();
  manifest->ranks = static_cast<int>(std::min(std::max<size_t>(processes.size(), first.numbers.ranks), kMost));
  manifest->recovered = hint.recovered;
  DescribeEndings(processes, hint, manifest);
  NoteMissing(processes, manifest);
  uint64_t calls = 0;
  for (const ProcessFacts& facts : processes) {
    const ProcessFacts::Numbers& numbers = facts.numbers;
    manifest->threads = std::max(manifest->threads, static_cast<int>(facts.threads.size()));
    manifest->wall_seconds = std::max(manifest->wall_seconds, numbers.wall_seconds);
    manifest->clock_residual_s = std::max(manifest->clock_residual_s, numbers.clock_error_ns * 1e-9);
    manifest->clock_measurements = std::max(manifest->clock_measurements, numbers.clock_measurements);
    manifest->open_frames += numbers.open_frames;
    manifest->folded_visits += numbers.folded_visits;
    manifest->dropped_events += numbers.dropped_events;
    manifest->repairs += numbers.repairs;
    manifest->unmatched_exits += numbers.unmatched_exits;
    manifest->mpi_fortran_calls += numbers.fortran_calls;
    if (numbers.traced != 0) AddTrace(numbers, &manifest->trace);
    calls += numbers.calls + numbers.folded_visits;
  }
  DescribeHotPaths(processes, manifest);
  DescribeProbes(manifest);
  manifest->ticks_per_second = first.numbers.seconds_per_tick > 0 ? 1 / first.numbers.seconds_per_tick : 0;
  manifest->events = 2 * calls;
  DescribeCost(processes, manifest);
  DescribeBudget(first.configuration, manifest);
}

void DescribeSystem(const std::vector<ProcessFacts>& processes, Profile* profile) {
  std::unordered_map<std::string, uint32_t> nodes;
  for (const ProcessFacts& facts : processes) {
    const auto [at, is_new] = nodes.try_emplace(facts.host, static_cast<uint32_t>(nodes.size()));
    if (is_new) profile->hosts.push_back({facts.host});
    const uint32_t node = at->second;
    const auto process = static_cast<uint32_t>(profile->processes.size());
    const int rank = facts.numbers.ranks == 0 ? 0 : facts.numbers.rank;
    profile->processes.push_back({node, rank, "Process " + std::to_string(rank)});
    for (const ProcessFacts::Thread& thread : facts.threads) {
      const std::string name = thread.omp_thread != 0 ? "OpenMP thread " + std::to_string(thread.omp_thread - 1)
                                                      : "Thread " + std::to_string(thread.number);
      profile->locations.push_back({process, static_cast<int>(thread.number), name});
    }
  }
}

}  // namespace epik::archive
