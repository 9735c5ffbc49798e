// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/counters/chosen.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/options.h"
#include "runtime/metrics/plugin.h"
#include "runtime/metrics/spec.h"

namespace epik::counters {

using event::CounterKind;
using metrics::Asked;
using metrics::Counter;
using metrics::Source;

namespace {

constexpr size_t kMostSources = 16;

bool speaks = true;

void DefineCounter(uint32_t number, CounterKind kind, const Counter& counter, const std::string& text) {
  const event::CounterRecord record = {number, kind, counter.scale};
  const episode::Piece pieces[] = {{&record, sizeof record},
                                   {counter.name.c_str(), counter.name.size() + 1},
                                   {counter.unit.c_str(), counter.unit.size() + 1},
                                   {text.c_str(), text.size() + 1}};
  episode::Define(event::RecordType::kCounter, pieces, 4);
}

using Plugins = std::vector<const EpikMetricPlugin*>;

Plugins LoadPlugins(const std::vector<std::string>& paths) {
  Plugins plugins;
  for (const std::string& path : paths) {
    std::string error;
    const EpikMetricPlugin* plugin = metrics::LoadPlugin(path, &error);
    if (plugin != nullptr) {
      plugins.push_back(plugin);
    } else {
      NoteAboutCounters("EPK_METRIC_PLUGINS: " + path + " is not used: " + error);
    }
  }
  return plugins;
}

// The source or plug-in that a name leads to; neither: the name is unknown.
struct Way {
  const metrics::Registered* ours = nullptr;
  const EpikMetricPlugin* plugin = nullptr;
  std::string name;  // as the source knows it

  bool IsKnown() const { return ours != nullptr || plugin != nullptr; }
  bool IsSameSource(const Way& other) const { return ours == other.ours && plugin == other.plugin; }
  Source* Make() const { return ours != nullptr ? ours->make() : metrics::MakePlugin(plugin); }
};

const metrics::Registered* SourceCalled(const std::string& name) {
  for (const metrics::Registered* each = metrics::kSources; each->name != nullptr; ++each) {
    if (name == each->name) return each;
  }
  return nullptr;
}

Way Find(const std::string& name, const Plugins& plugins) {
  Way way;
  const size_t colons = name.find("::");
  const std::string source = colons == std::string::npos ? "" : name.substr(0, colons);
  way.ours = SourceCalled(source);
  for (const EpikMetricPlugin* plugin : plugins) {
    if (way.ours == nullptr && source == plugin->name) way.plugin = plugin;
  }
  way.name = way.IsKnown() ? name.substr(colons + 2) : name;
  // Names of PAPI have many forms, and stand without the name of the source.
  const bool is_papis = colons != std::string::npos || name.compare(0, 5, "PAPI_") == 0;
  if (!way.IsKnown() && is_papis) way.ours = SourceCalled("papi");
  return way;
}

bool CanBeHad(const std::string& name, const Plugins& plugins) {
  const Way way = Find(name, plugins);
  if (!way.IsKnown()) return false;
  std::vector<Counter> alone(1);
  alone[0].name = way.name;
  way.Make()->Choose(&alone);
  return alone[0].missing.empty();
}

// Returns "", or why the file cannot be read. Refuses pipes and devices: they would keep the program waiting, or never
// end.
std::string ReadSmallFile(const std::string& path, std::string* text) {
  constexpr off_t kLargest = 1 << 20;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return std::strerror(errno);
  struct stat info;
  const bool fits = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= kLargest;
  char part[4096];
  for (ssize_t n; fits && (n = read(fd, part, sizeof part)) > 0;) text->append(part, static_cast<size_t>(n));
  close(fd);
  return fits ? "" : "it is no regular file of at most 1 MiB";
}

metrics::Spec ReadSpec(const std::string& path) {
  metrics::Spec spec;
  std::vector<std::string> problems;
  if (!path.empty()) {
    std::string text;
    const std::string why = ReadSmallFile(path, &text);
    if (!why.empty()) problems.push_back("EPK_METRICS_SPEC: " + path + " cannot be read: " + why);
    metrics::ParseSpec(text, path, &spec, &problems);
  }
  // Definitions of the user's file take precedence over the built-in ones.
  metrics::ParseSpec(metrics::kDefaultSpec, "METRICS.SPEC", &spec, &problems);
  for (const std::string& problem : problems) NoteAboutCounters(problem);
  return spec;
}

// The counters of one source, in the order in which the user named them.
struct Wanted {
  Way way;
  std::vector<Counter> all;
  std::vector<Asked> asked;
};

std::vector<Wanted> BySource(const std::vector<Asked>& asked, const Plugins& plugins) {
  std::vector<Wanted> all;
  for (const Asked& each : asked) {
    const Way way = Find(each.name, plugins);
    Wanted* wanted = nullptr;
    for (Wanted& other : all) {
      if (other.way.IsSameSource(way)) wanted = &other;
    }
    if (wanted == nullptr) wanted = &all.emplace_back(Wanted{way, {}, {}});
    wanted->asked.push_back(each);
    wanted->all.emplace_back();
    wanted->all.back().name = way.name;
  }
  return all;
}

// Fills in what the counters are. Null: there is no such source.
Source* Open(Wanted* wanted, bool room, bool in_turns) {
  Source* source = wanted->way.IsKnown() && room ? wanted->way.Make() : nullptr;
  if (source != nullptr && in_turns) source->AllowTurns();
  if (source != nullptr) source->Choose(&wanted->all);
  for (size_t i = 0; i < wanted->all.size(); ++i) {
    Counter& counter = wanted->all[i];
    if (source == nullptr) counter.missing = "no source of counters has this name (epk doctor --metrics)";
    if (wanted->asked[i].shown != wanted->asked[i].name) counter.name = wanted->asked[i].shown;
  }
  return source;
}

// The time to read all chosen counters of the source: the shortest of a few batches. 0: this thread cannot read them.
double NanosecondsToRead(Source* source) {
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> state(source->StateBytes() / sizeof(Line) + 1);
  if (source->OpenThread(state.data()) != nullptr) return 0;
  constexpr int kBatches = 4, kReads = 25;
  uint64_t values[event::kMostCounters];
  uint64_t best = ~uint64_t{0};
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t start = base::MonotonicRawNs();
    for (int i = 0; i < kReads; ++i) source->Read(state.data(), values);
    best = std::min(best, base::MonotonicRawNs() - start);
  }
  source->CloseThread(state.data());
  return static_cast<double>(best) / kReads;
}

// "page faults; read in 950 ns (rusage)", with the others of its source: reports add it up.
std::string WithCost(const std::string& text, double ns, const Way& way) {
  const char* source = way.ours != nullptr ? way.ours->name : way.plugin->name;
  char cost[48];
  std::snprintf(cost, sizeof cost, "%sread in %.0f ns (", text.empty() ? "" : "; ", ns);
  return ns > 0 ? text + cost + source + ")" : text;
}

// Defines the counters in their order, and the formulas that reports compute from them.
void DefineAll(const metrics::Spec& spec, const std::vector<Counter>& counted) {
  std::vector<std::string> there;
  for (const Counter& counter : counted) there.push_back(counter.name);
  const auto part_of = [&](const std::string& name) {
    const std::string whole = metrics::WholeOf(spec, name, there);
    return whole.empty() ? "" : "; part of " + whole;
  };
  for (uint32_t number = 0; number < counted.size(); ++number) {
    const Counter& counter = counted[number];
    DefineCounter(number, counter.kind, counter, counter.text + part_of(counter.name));
  }
  for (const metrics::Definition& definition : metrics::Computable(spec, there)) {
    Counter counter;
    counter.name = definition.name;
    std::string text = "computed:";
    for (const std::string& word : definition.words) text += " " + word;
    DefineCounter(~uint32_t{0}, CounterKind::kMissing, counter, text + part_of(definition.name));
  }
}

}  // namespace

void NoteAboutCounters(const std::string& text) {
  if (speaks) base::Say("%s", text.c_str());
  episode::Note(text.c_str());
}

std::vector<ChosenSource> ChooseCounters(const episode::Options& options) {
  static bool has_spoken = false;
  speaks = options.launcher_rank <= 0 && !has_spoken;
  has_spoken = true;
  const Plugins plugins = LoadPlugins(options.metric_plugins);
  const metrics::Spec spec = ReadSpec(options.metrics_spec);
  std::vector<Asked> asked =
      metrics::Expand(spec, options.settings.metrics, [&](const std::string& name) { return CanBeHad(name, plugins); });
  if (asked.size() > event::kMostCounters) {
    NoteAboutCounters("there is room for " + std::to_string(event::kMostCounters) + " counters: those after " +
                      asked[event::kMostCounters - 1].shown + " are left out");
    asked.resize(event::kMostCounters);
  }
  std::vector<ChosenSource> chosen;
  std::vector<Counter> counted;
  for (Wanted& wanted : BySource(asked, plugins)) {
    ChosenSource each = {Open(&wanted, chosen.size() < kMostSources, options.settings.metrics_multiplex), {}};
    const bool any =
        std::any_of(wanted.all.begin(), wanted.all.end(), [](const Counter& c) { return c.missing.empty(); });
    const double ns = any ? NanosecondsToRead(each.source) : 0;
    for (Counter& counter : wanted.all) {
      if (!counter.missing.empty()) {
        NoteAboutCounters(counter.name + " cannot be counted: " + counter.missing);
        DefineCounter(~uint32_t{0}, CounterKind::kMissing, counter, counter.missing);
        continue;
      }
      each.counters.push_back(counter);
      counter.text = WithCost(counter.text, ns, wanted.way);
      counted.push_back(counter);
    }
    if (!each.counters.empty()) chosen.push_back(each);
  }
  DefineAll(spec, counted);
  return chosen;
}

}  // namespace epik::counters
