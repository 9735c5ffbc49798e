// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/doctor/metrics.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "runtime/metrics/plugin.h"
#include "runtime/metrics/source.h"
#include "tools/epk/install_dirs.h"

namespace epik::epk::doctor {
namespace {

using metrics::Counter;
using metrics::Source;
using Make = std::function<Source*()>;

// The time to read those counters once, in nanoseconds: the shortest of a few batches.
double CostOf(Source* source, const std::vector<Counter>& counters) {
  std::vector<Counter> wanted;
  for (const Counter& counter : counters) {
    const size_t colons = counter.name.find("::");
    wanted.emplace_back();
    wanted.back().name = colons == std::string::npos ? counter.name : counter.name.substr(colons + 2);
  }
  source->Choose(&wanted);
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> state(source->StateBytes() / sizeof(Line) + 1);
  if (source->OpenThread(state.data()) != nullptr) return 0;
  constexpr int kBatches = 5, kReads = 200;
  uint64_t values[event::kMostCounters];
  double best = 1e18;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kReads; ++i) source->Read(state.data(), values);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kReads);
  }
  source->CloseThread(state.data());
  return best;
}

SourceFinding Look(const std::string& name, const std::string& text, const Make& make) {
  SourceFinding finding{name, text, {}};
  std::vector<Counter> available;
  for (const Counter& counter : make()->Offers()) {
    finding.counters.push_back({counter.name, counter.unit, counter.text, counter.missing});
    if (counter.missing.empty() && available.size() < event::kMostCounters) available.push_back(counter);
  }
  if (available.empty()) return finding;
  finding.one_ns = CostOf(make(), {available[0]});
  finding.all_ns = CostOf(make(), available);
  return finding;
}

// The library offers its counters only when it is loaded.
const EpikMetricPlugin* InLibrary(const std::string& source) {
  const auto path = FindInstallDirs().Library("libepk_" + source + ".so");
  void* library = path ? dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return nullptr;
  using Entry = const EpikMetricPlugin* (*)(void);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, ("epik_metric_" + source).c_str()));
  return entry != nullptr ? entry() : nullptr;
}

}  // namespace

std::vector<SourceFinding> LookAtMetrics(const std::vector<std::string>& plugins) {
  std::vector<SourceFinding> findings;
  for (const metrics::Registered* each = metrics::kSources; each->name != nullptr; ++each) {
    const std::string name = each->name;
    const bool elsewhere = name == "heap" || name == "io";
    const EpikMetricPlugin* plugin = elsewhere ? InLibrary(name) : nullptr;
    if (elsewhere && plugin == nullptr) {
      findings.push_back({name, each->text, {{name + "::…", "", "", "libepk_" + name + ".so is not installed"}}});
      continue;
    }
    findings.push_back(
        Look(name, each->text, [&] { return plugin != nullptr ? metrics::MakePlugin(plugin) : each->make(); }));
  }
  for (const std::string& given : plugins) {
    const std::string path = std::filesystem::absolute(given);
    std::string error;
    const EpikMetricPlugin* plugin = metrics::LoadPlugin(path, &error);
    if (plugin == nullptr) {
      findings.push_back({path, "plug-in", {{path, "", "", error}}});
      continue;
    }
    const std::string text = plugin->description != nullptr ? plugin->description : "";
    findings.push_back(Look(plugin->name, text + " (" + path + ")", [&] { return metrics::MakePlugin(plugin); }));
  }
  return findings;
}

}  // namespace epik::epk::doctor
