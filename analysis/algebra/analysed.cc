// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/analysed.h"

#include <algorithm>
#include <filesystem>

#include "analysis/algebra/combine.h"
#include "analysis/causes/classes.h"
#include "analysis/patterns/files.h"
#include "analysis/patterns/patterns.h"

namespace epik::algebra {

namespace {

std::string PathOf(const archive::Archive& archive) { return archive.path + "/" + patterns::kProfileName; }

bool AddTotal(Runs* runs, const std::string& name, const std::string& label, std::vector<MetricChange>* to,
              std::string* error) {
  const uint32_t metric = runs->definitions().FindMetric(name);
  if (metric == archive::kNone) return true;
  if (!runs->Load(metric, error)) return false;
  const Change change = runs->Total(metric);
  if (change.before.mean != 0 || change.after.mean != 0) to->push_back({name, label, change});
  return true;
}

}  // namespace

bool WasAnalysed(const archive::Archive& archive) {
  std::error_code ignored;
  return archive.is_directory && std::filesystem::is_regular_file(PathOf(archive), ignored);
}

bool WereAnalysed(const Inputs& inputs) {
  return std::all_of(inputs.archives.begin(), inputs.archives.end(), WasAnalysed);
}

bool AddAnalyses(Inputs* inputs, std::string* error) {
  for (size_t i = 0; i < inputs->operands.size(); ++i) {
    const Operand found = OpenExperiment(PathOf(inputs->archives[i]), nullptr, &inputs->notes, error);
    if (found == nullptr) return false;
    std::vector<std::string> said;  // descriptions of metrics that both have: those of the summary are kept
    const Operand both = Combine(Operation::kMerge, {inputs->operands[i], found}, &said, error);
    if (both == nullptr) return false;
    inputs->operands[i] = both;
  }
  return true;
}

bool CompareWaits(Runs* runs, Comparison* comparison, std::string* error) {
  for (const patterns::PatternInfo* info : patterns::AllPatterns()) {
    if (!AddTotal(runs, info->name, info->label, &comparison->waits, error)) return false;
  }
  for (const causes::ClassInfo& info : causes::Classes()) {
    const std::string name = std::string(info.metric) + "_aggregate";
    if (!AddTotal(runs, name, "caused: " + std::string(info.label), &comparison->waits, error)) return false;
  }
  return true;
}

}  // namespace epik::algebra
