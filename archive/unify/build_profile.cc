// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/build_profile.h"

#include <numeric>

#include "archive/unify/catalog.h"
#include "archive/unify/topologies.h"
#include "archive/unify/unify.h"

namespace epik::archive {

namespace {

// Gathers the facts of all processes at rank 0, in the order of the parts.
std::vector<ProcessFacts> GatherFacts(Group* group, const std::vector<ProcessPart>& parts) {
  BytesOut mine;
  for (size_t i = 0; i < parts.size(); ++i) {
    ProcessFacts facts = parts[i].facts;
    if (!group->IsRoot() || i != 0) {
      // Only one process of the job needs these.
      facts.command.clear();
      facts.configuration.clear();
      facts.title.clear();
    }
    Pack(facts, &mine);
  }
  const std::string text = group->Gather(mine.Take());
  std::vector<ProcessFacts> all;
  BytesIn bytes(text);
  while (group->IsRoot() && !bytes.AtEnd()) {
    all.emplace_back();
    if (!Unpack(&bytes, &all.back())) {
      all.pop_back();
      break;
    }
  }
  return all;
}

void AddModules(const Definitions& all, Manifest* manifest) {
  for (const ModuleName& module : all.modules) manifest->modules.push_back({module.path, module.build_id});
}

Ranks RanksOf(const std::vector<ProcessFacts>& processes) {
  Ranks ranks;
  for (const ProcessFacts& facts : processes) {
    const int32_t rank = facts.numbers.ranks == 0 ? 0 : facts.numbers.rank;
    AddRanks({rank, rank}, &ranks);
  }
  return ranks;
}

}  // namespace

bool SummarizeJob(Group* group, const std::vector<ProcessPart>& parts, const EndingHint& hint,
                  const std::function<RowSink*(const JobSummary&)>& open, std::vector<Mapping>* numbers) {
  std::vector<const Definitions*> definitions;
  definitions.reserve(parts.size());
  for (const ProcessPart& part : parts) definitions.push_back(&part.definitions);
  Unifier unifier(group);
  unifier.Gather(definitions);
  JobSummary job;
  job.processes = GatherFacts(group, parts);
  Catalog catalog;
  if (group->IsRoot()) {
    catalog = MakeCatalog(unifier.all(), RanksOf(job.processes));
    job.profile = std::move(catalog.profile);
    job.lines_left_out = catalog.lines_left_out;
    if (!job.processes.empty()) DescribeRun(job.processes, hint, &job.manifest);
    DescribeSystem(job.processes, &job.profile);
    const size_t topologies_left_out = DescribeTopologies(job.processes, &job.profile);
    AddModules(unifier.all(), &job.manifest);
    job.communicators = unifier.all().communicators;
    job.windows = unifier.all().windows;
    std::vector<std::string>& notes = job.manifest.notes;
    for (const std::string& note : unifier.all().notes) notes.push_back(note);
    for (const std::string& note : catalog.notes) notes.push_back(note);
    if (topologies_left_out != 0) {
      notes.push_back(std::to_string(topologies_left_out) + " more Cartesian topologies are not in the archive");
    }
  }
  unifier.Scatter(catalog.numbers);
  if (numbers != nullptr) *numbers = unifier.of_parts();
  const Contribution mine{&parts, &unifier.of_parts()};
  const auto use = GatherUse(group, mine, job.profile.metrics.size(), job.profile.call_paths.size());
  std::vector<OutMetric> metrics;
  RowSink* sink = nullptr;
  if (group->IsRoot()) {
    metrics = PlanMetrics(&job.profile, use);
    sink = open(job);
    if (sink == nullptr) metrics.clear();
  }
  return StreamRows(group, mine, std::move(metrics), job.profile.locations.size(), sink) &&
         (sink != nullptr || !group->IsRoot());
}

bool FillProfile(const std::vector<ProcessPart>& parts, Profile* profile) {
  std::vector<Mapping> numbers;
  for (const ProcessPart& part : parts) {
    Mapping& same = numbers.emplace_back();
    same.paths.resize(profile->call_paths.size());
    same.metrics.resize(part.definitions.metrics.size());
    std::iota(same.paths.begin(), same.paths.end(), 0u);
    std::iota(same.metrics.begin(), same.metrics.end(), 0u);
  }
  profile->metrics.clear();
  profile->values.clear();
  for (const MetricDefinition& metric : parts.front().definitions.metrics) {
    profile->metrics.push_back(MeasuredMetric(metric, {}));
  }
  Group alone(nullptr);
  const Contribution mine{&parts, &numbers};
  const auto use = GatherUse(&alone, mine, profile->metrics.size(), profile->call_paths.size());
  std::vector<OutMetric> metrics = PlanMetrics(profile, use);
  for (const Metric& metric : profile->metrics) {
    profile->values.emplace_back(metric.type, profile->call_paths.size(), profile->locations.size());
  }
  ProfileSink sink(profile);
  return StreamRows(&alone, mine, std::move(metrics), profile->locations.size(), &sink);
}

}  // namespace epik::archive
