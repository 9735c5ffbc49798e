// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/history/history.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <numeric>
#include <system_error>
#include <tuple>

#include "analysis/algebra/unite.h"
#include "analysis/pop.h"
#include "archive/directory/archive.h"
#include "archive/files/cost_text.h"

namespace epik::analysis {

using archive::kNone;
using archive::Manifest;
using archive::Profile;

namespace {

namespace fs = std::filesystem;

constexpr char kCpuMost[] = "CPU time at most";
constexpr int kDeepest = 8;  // levels of folders below one that the user named

struct Measured {
  HistoryRun run;
  std::string title, host_class;
  int ranks = 1, threads = 1;
  std::vector<Figure> figures;     // each with one value
  Profile definitions;             // regions and call paths, without values
  std::vector<double> of_regions;  // exclusive seconds of all threads
  bool is_cpu_bracket = false, is_oversubscribed = false;
};

int64_t SecondsOf(const std::string& started) {
  std::tm time = {};
  if (strptime(started.c_str(), "%Y-%m-%dT%H:%M:%S%z", &time) == nullptr) return 0;
  const long zone = time.tm_gmtoff;  // timegm sets it to 0
  return timegm(&time) - zone;
}

bool HasFile(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::is_regular_file(folder / name, ignored);
}

// Also one whose manifest is lost.
bool IsArchive(const fs::path& path) {
  return HasFile(path, archive::kManifestName) || HasFile(path, archive::kSummaryName);
}

// epik_a.9 was made before epik_a.10.
bool ByName(const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; }

// The archives in a folder, without unfinished ones.
void Find(const fs::path& folder, int depth, std::vector<std::string>* found) {
  std::error_code ignored;
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) folders.push_back(entry.path().string());
  }
  for (const std::string& path : folders) {
    if (path.ends_with(archive::kUnfinishedSuffix)) continue;
    if (IsArchive(path)) {
      found->push_back(path);
    } else if (depth < kDeepest) {
      Find(path, depth + 1, found);
    }
  }
}

void AddRegions(const Profile& profile, Measured* measured) {
  measured->definitions.regions = profile.regions;
  measured->definitions.call_paths = profile.call_paths;
  measured->of_regions.assign(profile.regions.size(), 0);
  const uint32_t time = profile.FindMetric("time");
  if (time == kNone) return;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    for (uint32_t p = 0; p < own.size(); ++p) {
      const uint32_t region = profile.call_paths[p].region;
      if (profile.regions[region].role != "artificial" && std::isfinite(own[p])) measured->of_regions[region] += own[p];
    }
  }
}

void AddFigures(const Profile& profile, const Manifest& manifest, Measured* measured) {
  const auto add = [&](const char* name, Figure::Unit unit, bool less_is_better, double value) {
    measured->figures.push_back({name, unit, less_is_better, {value}, {}, {}});
  };
  const auto seconds = Figure::Unit::kSeconds, share = Figure::Unit::kShare;
  add("wall time", seconds, true, manifest.wall_seconds);
  if (manifest.cpu_seconds > 0) add("CPU time", seconds, true, manifest.cpu_seconds);
  const Pop pop(profile);
  const Efficiencies whole = pop.Whole();
  add("computation", seconds, true, whole.useful);
  if (pop.HasMpi()) add("MPI", seconds, true, whole.mpi);
  if (pop.HasOpenMp()) add("OpenMP waiting", seconds, true, whole.omp);
  if (whole.parallel > 0 && whole.threads > 1) {
    add("parallel efficiency", share, false, whole.parallel);
    add("load balance", share, false, whole.load_balance);
    add("communication efficiency", share, false, whole.communication);
  }
  if (manifest.cpu_seconds > 0) add("cost of measuring", share, true, manifest.cost_percent / 100);
  if (manifest.cpu_seconds > 0) add(kCpuMost, seconds, true, std::max(manifest.cpu_most_seconds, manifest.cpu_seconds));
  measured->is_cpu_bracket = manifest.IsCpuBracket();
  measured->is_oversubscribed = archive::IsOversubscribed(manifest);
}

// False for a snapshot, a result of the algebra, and an approximated run.
bool IsRun(const Manifest& manifest) {
  return !manifest.ended.empty() && manifest.ended != "running" && !manifest.approximation.there;
}

bool Measure(const std::string& path, Measured* measured, std::string* left_out, std::string* error) {
  archive::Archive opened;
  if (!archive::Open(path, &opened, error)) return false;
  const Manifest& manifest = opened.manifest;
  if (!opened.has_manifest) {
    *left_out = path + " is left out: it has no " + archive::kManifestName + ", which says when it ran";
    return true;
  }
  if (!IsRun(manifest)) {
    *left_out = path + " is left out: it is no run of a program that has ended";
    return true;
  }
  if (opened.summary_path.empty()) {
    *left_out = path + " is left out: it has no profile";
    return true;
  }
  Profile profile;
  if (!opened.ReadProfile(&profile, error)) return false;
  measured->run = {path, manifest.started, manifest.revision, SecondsOf(manifest.started)};
  measured->title = manifest.title.empty() ? manifest.program : manifest.title;
  measured->host_class = HostClass(manifest.host, manifest.processor);
  measured->ranks = manifest.ranks;
  measured->threads = manifest.threads;
  AddFigures(profile, manifest, measured);
  AddRegions(profile, measured);
  return true;
}

// In runs of the series without such a figure, its value is NaN.
Figure& FigureOf(const Figure& like, size_t runs, std::vector<Figure>* figures) {
  for (Figure& figure : *figures) {
    if (figure.name == like.name) return figure;
  }
  figures->push_back(like);
  figures->back().values.assign(runs, NAN);
  return figures->back();
}

// Constructs of OpenMP stay the same when their lines move, and have the names of the last run. Functions with the same
// name count as one.
void AddLargestRegions(const std::vector<const Measured*>& runs, size_t most, Series* series) {
  std::vector<const Profile*> last_first;
  for (size_t r = runs.size(); r-- > 0;) last_first.push_back(&runs[r]->definitions);
  std::vector<archive::Region> regions;
  const algebra::internal::Maps maps = algebra::internal::UniteRegions(last_first, &regions);
  std::vector<uint32_t> same(regions.size());
  std::map<std::string, uint32_t> by_name;
  for (uint32_t r = 0; r < regions.size(); ++r) {
    same[r] = algebra::internal::IsConstruct(regions[r]) ? r : by_name.try_emplace(regions[r].name, r).first->second;
  }
  std::vector<std::vector<double>> seconds(regions.size(), std::vector<double>(runs.size()));
  std::vector<std::tuple<double, std::string, uint32_t>> order;
  for (size_t run = 0; run < runs.size(); ++run) {
    const std::vector<uint32_t>& place = maps[runs.size() - 1 - run];
    for (uint32_t r = 0; r < place.size(); ++r) seconds[same[place[r]]][run] += runs[run]->of_regions[r];
  }
  for (uint32_t r = 0; r < regions.size(); ++r) {
    const double sum = std::accumulate(seconds[r].begin(), seconds[r].end(), 0.0);
    if (same[r] == r && regions[r].role != "artificial") order.emplace_back(-sum, regions[r].name, r);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > most) order.resize(most);
  for (const auto& [sum, name, r] : order) {
    series->figures.push_back({"time in " + name, Figure::Unit::kSeconds, true, std::move(seconds[r]), {}, {}});
  }
}

void Analyze(Figure* figure) {
  std::vector<double> values;
  std::vector<size_t> runs;
  for (size_t run = 0; run < figure->values.size(); ++run) {
    if (!std::isfinite(figure->values[run])) continue;
    values.push_back(figure->values[run]);
    runs.push_back(run);
  }
  figure->trend = TrendOf(values);
  figure->jumps = JumpsOf(values);
  for (Jump& jump : figure->jumps) jump.at = runs[jump.at];
}

Series MakeSeries(const std::vector<const Measured*>& runs, size_t regions) {
  const Measured& first = *runs.front();
  Series series{first.title, first.host_class, first.ranks, first.threads, {}, {}};
  for (size_t r = 0; r < runs.size(); ++r) {
    series.runs.push_back(runs[r]->run);
    for (const Figure& figure : runs[r]->figures) {
      FigureOf(figure, runs.size(), &series.figures).values[r] = figure.values[0];
    }
  }
  const auto any = [&](bool Measured::*is) {
    return std::any_of(runs.begin(), runs.end(), [&](const Measured* one) { return one->*is; });
  };
  if (!any(&Measured::is_cpu_bracket)) {
    std::erase_if(series.figures, [](const Figure& figure) { return figure.name == kCpuMost; });
  }
  series.is_oversubscribed = any(&Measured::is_oversubscribed);
  AddLargestRegions(runs, regions, &series);
  for (Figure& figure : series.figures) Analyze(&figure);
  return series;
}

}  // namespace

size_t Figure::FirstRun() const {
  size_t run = 0;
  while (run < values.size() && !std::isfinite(values[run])) ++run;
  return run;
}

size_t Figure::LastRun() const {
  for (size_t run = values.size(); run-- > 0;) {
    if (std::isfinite(values[run])) return run;
  }
  return values.size();
}

std::string HostClass(const std::string& host, const std::string& processor) {
  std::string name;
  for (const char c : host.substr(0, host.find('.'))) {
    if (c < '0' || c > '9') {
      name += c;
    } else if (name.empty() || name.back() != '*') {
      name += '*';
    }
  }
  return processor.empty() ? name : name + ", " + processor;
}

bool ReadHistory(const std::vector<std::string>& paths, size_t regions, History* history, std::string* error) {
  *history = {};
  std::vector<std::string> archives;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored) && !IsArchive(path)) {
      const size_t before = archives.size();
      Find(path, 1, &archives);
      if (archives.size() == before) history->left_out.push_back(path + ": no archive lies in it");
    } else {
      archives.push_back(path);
    }
  }
  std::vector<Measured> measured;
  for (const std::string& path : archives) {
    Measured one;
    std::string left_out, fault;
    if (!Measure(path, &one, &left_out, &fault)) {
      history->has_all = false;
      history->left_out.push_back(fault);
    } else if (!left_out.empty()) {
      history->left_out.push_back(left_out);
    } else {
      measured.push_back(std::move(one));
    }
  }
  // Manifests have whole seconds, and several short runs may begin in the same second.
  std::sort(measured.begin(), measured.end(), [](const Measured& a, const Measured& b) {
    return a.run.time != b.run.time ? a.run.time < b.run.time : ByName(a.run.path, b.run.path);
  });
  std::map<std::tuple<std::string, int, int, std::string>, std::vector<const Measured*>> groups;
  for (const Measured& one : measured) {
    groups[{one.title, one.ranks, one.threads, one.host_class}].push_back(&one);
  }
  for (const auto& [key, runs] : groups) history->series.push_back(MakeSeries(runs, regions));
  if (history->series.empty()) {
    *error = history->has_all ? "no archive of a run was found" : history->left_out.front();
  }
  return !history->series.empty();
}

}  // namespace epik::analysis
