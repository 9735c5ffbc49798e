// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/speedscope.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "report/exports/stacks.h"
#include "report/figures.h"
#include "report/json_string.h"
#include "view/exact.h"
#include "view/number.h"

namespace epik::report {
namespace {

using archive::Profile;

struct Sample {
  uint32_t path;
  double weight;
};

// The samples of one location, in the order of the call tree. Below kDeepestStack, weights count for the frame at that
// depth. `negative`, by call path: values that are left out, because a sample has no weight below 0.
std::vector<Sample> SamplesOf(const Profile& profile, const Profile::Links& links, const Split& split,
                              uint32_t location, std::vector<bool>* negative) {
  std::vector<Sample> samples;
  size_t depth = 0;
  double deeper = 0;
  const auto leave = [&](uint32_t p) {
    // Children leave before their parents, so `deeper` is complete when the frame at the limit leaves.
    double weight = split.Exclusive(p, location);
    if (depth-- > kDeepestStack) {
      deeper += weight;
      return;
    }
    if (depth + 1 == kDeepestStack) {
      weight += deeper;
      deeper = 0;
    }
    if (weight > 0) samples.push_back({p, weight});
    if (weight < 0) (*negative)[p] = true;
  };
  Walk(
      profile, links, [&](uint32_t) { ++depth; }, leave);
  return samples;
}

void WriteStack(const Profile& profile, uint32_t path, Buffer& out) {
  // A sample lists its frames with the outermost first. Regions are the frames, with the same numbers.
  std::vector<uint32_t> regions;
  for (uint32_t p = path; p != archive::kNone; p = profile.call_paths[p].parent) {
    regions.push_back(profile.call_paths[p].region);
  }
  out << "[";
  for (size_t i = regions.size(); i-- > 0;) out << std::to_string(regions[i]) << (i == 0 ? "" : ",");
  out << "]";
}

// Readers need a number here: a sum that is too large is the largest number.
std::string Weight(double value) { return view::RoundTrip(std::min(value, std::numeric_limits<double>::max()), "0"); }

void WriteLocation(const Profile& profile, uint32_t location, const char* unit, const std::vector<Sample>& samples,
                   Buffer& out) {
  // Samples follow each other without gaps, so the sum of the weights is the end.
  double sum = 0;
  for (const Sample& s : samples) sum += s.weight;
  const std::string name = "rank " + std::to_string(RankOf(profile, location)) + " thread " +
                           std::to_string(profile.locations[location].thread);
  out << "{\"type\": \"sampled\", \"name\": " << JsonString(name) << ", \"unit\": \"" << unit
      << "\", \"startValue\": 0, \"endValue\": " << Weight(sum) << ",\n\"samples\": [";
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i > 0) out << ",";
    WriteStack(profile, samples[i].path, out);
  }
  out << "],\n\"weights\": [";
  for (size_t i = 0; i < samples.size(); ++i) out << (i > 0 ? "," : "") << Weight(samples[i].weight);
  out << "]}";
}

}  // namespace

bool WriteSpeedscope(const Profile& profile, const archive::Manifest& manifest, const std::string& metric_name,
                     const Sink& sink, std::vector<std::string>* notes, std::string* error) {
  const uint32_t metric = FindAdditiveMetric(profile, metric_name, error);
  if (metric == archive::kNone) return false;
  const Split split(profile, metric);
  const Profile::Links links = profile.MakeLinks();
  const std::string& unit = profile.metrics[metric].unit;
  Buffer out(sink);
  out << "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"exporter\": \"epik\", \"name\": "
      << JsonString(manifest.program) << ", \"activeProfileIndex\": 0,\n\"shared\": {\"frames\": [";
  for (uint32_t r = 0; r < profile.regions.size(); ++r) {
    const archive::Region& region = profile.regions[r];
    out << (r == 0 ? "\n" : ",\n") << "{\"name\": " << JsonString(region.name.empty() ? "(unnamed)" : region.name);
    if (!region.file.empty()) out << ", \"file\": " << JsonString(region.file);
    if (region.begin_line > 0) out << ", \"line\": " << std::to_string(region.begin_line);
    out << "}";
  }
  out << "\n]},\n\"profiles\": [";
  std::vector<bool> negative(profile.call_paths.size());
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    out << (l == 0 ? "\n" : ",\n");
    // The schema of speedscope knows no other units.
    WriteLocation(profile, l,
                  unit == "sec"     ? "seconds"
                  : unit == "bytes" ? "bytes"
                                    : "none",
                  SamplesOf(profile, links, split, l, &negative), out);
  }
  out << "\n]}\n";
  const auto paths = static_cast<uint64_t>(std::count(negative.begin(), negative.end(), true));
  if (paths > 0) {
    notes->push_back("left out: " + metric_name + " of " + view::Plural(paths, "call path") + ", where it is negative");
  }
  return true;
}

}  // namespace epik::report
