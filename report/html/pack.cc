// SPDX-License-Identifier: BSD-3-Clause
#include "report/html/pack.h"

#include <zlib.h>

#include <bit>
#include <string>
#include <string_view>

#include "analysis/derived.h"
#include "analysis/pop.h"
#include "archive/profile/region_class.h"
#include "report/estimated.h"
#include "report/figures.h"
#include "report/json_string.h"
#include "report/views/advice.h"
#include "report/views/imbalances.h"
#include "report/views/polling.h"
#include "report/views/views.h"
#include "report/views/waited.h"
#include "view/exact.h"
#include "view/number.h"
#include "view/shell.h"
#include "view/terminal.h"

namespace epik::report {

using archive::kNone;
using archive::Profile;

namespace {

constexpr int kVersion = 1;

std::string Id(uint32_t id) { return id == kNone ? "-1" : std::to_string(id); }
std::string Number(double value) { return view::RoundTrip(value, "0"); }

// "name":[…,…]
template <class Entry>
void AddList(const char* name, size_t count, Entry&& entry, std::string* out) {
  *out += ",\n\"" + std::string(name) + "\":[";
  for (uint32_t i = 0; i < count; ++i) *out += (i == 0 ? "" : ",") + std::string(entry(i));
  *out += "]";
}

void AddDefinitions(const Profile& p, std::string* out) {
  AddList(
      "nodes", p.hosts.size(), [&](uint32_t n) { return JsonString(p.hosts[n].name); }, out);
  AddList(
      "processes", p.processes.size(),
      [&](uint32_t i) {
        const archive::Process& process = p.processes[i];
        return "[" + Id(process.host) + "," + std::to_string(process.rank) + "," + JsonString(process.name) + "]";
      },
      out);
  AddList(
      "locations", p.locations.size(),
      [&](uint32_t l) {
        const archive::Location& location = p.locations[l];
        return "[" + Id(location.process) + "," + std::to_string(location.thread) + "," + JsonString(location.name) +
               "]";
      },
      out);
  const std::vector<Class> classes = ClassifyRegions(p);
  AddList(
      "regions", p.regions.size(),
      [&](uint32_t r) {
        const archive::Region& region = p.regions[r];
        return "[" + JsonString(region.name) + "," + JsonString(region.file) + "," + std::to_string(region.begin_line) +
               "," + JsonString(region.paradigm) + "," + JsonString(region.role) + "," +
               JsonString(ClassName(classes[r])) + "," + JsonString(archive::TimeMetricOf(region)) + "]";
      },
      out);
  AddList(
      "parents", p.call_paths.size(), [&](uint32_t c) { return Id(p.call_paths[c].parent); }, out);
  AddList(
      "region_of", p.call_paths.size(), [&](uint32_t c) { return Id(p.call_paths[c].region); }, out);
}

std::string EfficienciesJson(uint32_t path, const analysis::Efficiencies& e) {
  std::string text = "{\"path\":" + Id(path);
  const auto add = [&](const char* name, const std::string& value) {
    text += ",\"" + std::string(name) + "\":" + value;
  };
  add("runtime", Number(e.runtime));
  add("processes", std::to_string(e.processes));
  add("present", std::to_string(e.present));
  add("threads", std::to_string(e.threads));
  add("useful", Number(e.useful));
  add("busiest", Id(e.busiest));
  add("parallel", Number(e.parallel));
  add("load_balance", Number(e.load_balance));
  add("communication", Number(e.communication));
  add("mpi_parallel", Number(e.mpi_parallel));
  add("mpi_load_balance", Number(e.mpi_load_balance));
  add("mpi_communication", Number(e.mpi_communication));
  add("omp_parallel", Number(e.omp_parallel));
  add("omp_load_balance", Number(e.omp_load_balance));
  add("omp_region", Number(e.omp_region));
  return text + "}";
}

void AddPop(const Figures& f, const findings::Findings* found, std::string* out) {
  constexpr size_t kPhases = 12;
  constexpr double kShare = 0.05;
  const analysis::Pop pop(f.profile);
  const analysis::Efficiencies whole = pop.Whole();
  std::vector<std::string> verdict =
      analysis::Verdict(f.profile, whole, pop.HasMpi(), pop.HasOpenMp(), WaitedInMpi(f, found));
  constexpr std::string_view kOption = " (`--waits` shows where)";  // the page's readers have none
  for (std::string& sentence : verdict) {
    if (const size_t at = sentence.find(kOption); at != std::string::npos) sentence.erase(at, kOption.size());
  }
  const std::vector<uint32_t> phases = pop.Phases(kPhases, kShare);
  *out += ",\n\"pop\":{\"mpi\":" + std::string(pop.HasMpi() ? "true" : "false") +
          ",\"omp\":" + (pop.HasOpenMp() ? "true" : "false") + ",\"whole\":" + EfficienciesJson(kNone, whole);
  AddList(
      "verdict", verdict.size(), [&](uint32_t i) { return JsonString(verdict[i]); }, out);
  AddList(
      "phases", phases.size(), [&](uint32_t i) { return EfficienciesJson(phases[i], pop.Of(phases[i])); }, out);
  *out += "}";
}

// Topologies of one process alone show nothing.
void AddTopologies(const Profile& p, std::string* out) {
  constexpr size_t kMostTopologies = 16;
  std::vector<const archive::Topology*> some;
  for (const archive::Topology& topology : p.topologies) {
    if (topology.locations.size() > 1 && some.size() < kMostTopologies) some.push_back(&topology);
  }
  AddList(
      "topologies", some.size(),
      [&](uint32_t i) {
        const archive::Topology& topology = *some[i];
        const size_t count = topology.dimensions.size();
        std::string dimensions, places;
        for (const archive::Topology::Dimension& d : topology.dimensions) {
          dimensions += (dimensions.empty() ? "[" : ",[") + JsonString(d.name) + "," + std::to_string(d.size) +
                        (d.periodic ? ",1]" : ",0]");
        }
        for (size_t l = 0; l < topology.locations.size(); ++l) {
          places += (places.empty() ? "" : ",") + Id(topology.locations[l]);
          for (size_t d = 0; d < count; ++d) places += "," + Id(topology.coordinates[l * count + d]);
        }
        return "{\"name\":" + JsonString(topology.name) + ",\"dimensions\":[" + dimensions + "],\"places\":[" + places +
               "]}";
      },
      out);
}

// Adds ratios and rates, which the page computes when it shows them, and the list of metrics that are counters.
void AddCounters(const Profile& p, std::string* out) {
  const std::vector<analysis::Derived> derived = analysis::DerivedOf(p);
  AddList(
      "derived", derived.size(),
      [&](uint32_t i) {
        return "[" + JsonString(derived[i].name) + "," + JsonString(derived[i].unit) + "," +
               JsonString(derived[i].formula) + "]";
      },
      out);
  std::vector<uint32_t> counters;
  for (uint32_t m = 0; m < p.metrics.size(); ++m) {
    if (IsCounter(p, m)) counters.push_back(m);
  }
  AddList(
      "counters", counters.size(), [&](uint32_t i) { return Id(counters[i]); }, out);
}

const char* TypeName(archive::Type type) {
  switch (type) {
    case archive::Type::kUint64: return "uint64";
    case archive::Type::kMin: return "min";
    case archive::Type::kMax: return "max";
    default: return "double";
  }
}

void AppendDoubles(const std::vector<double>& values, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (double value : values) out->push_back(static_cast<char>(std::bit_cast<uint64_t>(value) >> shift & 0xff));
  }
}

// The place of a metric's cells among the bytes, and their format.
struct Stored {
  int width = 0;
  int like = -1;  // metric from whose levels its levels are stored as differences
};

// The columns of a page, one after the other.
class Cells {
 public:
  Cells(const std::vector<Column>& columns, size_t locations, int bits)
      : columns_(columns), locations_(locations), bits_(bits) {}

  Stored Append(uint32_t metric, std::string* bytes) {
    const Column& column = columns_[metric];
    if (bits_ != kShadeBits) return {AppendCells(column, locations_, bits_, bytes), -1};
    constexpr int kFallback = 7;  // bits for columns without shades
    const size_t begin = bytes->size();
    const int width = AppendCells(column, locations_, kFallback, bytes);
    Shades shades;
    if (width <= 0 || !MakeShades(column, locations_, &shades)) return {width, -1};
    bytes->resize(begin);
    const int like = first_;
    AppendShades(column, shades, like < 0 ? nullptr : &columns_[static_cast<size_t>(like)], &first_shades_, locations_,
                 bytes);
    if (first_ < 0) {
      first_ = static_cast<int>(metric);
      first_shades_ = std::move(shades);
    }
    return {1, like};
  }

 private:
  const std::vector<Column>& columns_;
  const size_t locations_;
  const int bits_;
  int first_ = -1;  // the first metric with shades: the time
  Shades first_shades_;
};

// Returns the definitions of the metrics, and puts the data for them into *bytes.
std::string Metrics(const Profile& p, const std::vector<Column>& columns, int bits, std::string* bytes) {
  std::string text;
  Cells all(columns, p.locations.size(), bits);
  AddList(
      "metrics", p.metrics.size(),
      [&](uint32_t m) {
        const archive::Metric& metric = p.metrics[m];
        const Column& column = columns[m];
        const size_t kinds = bytes->size();
        bytes->append(column.kinds.begin(), column.kinds.end());
        const size_t sums = bytes->size();
        AppendDoubles(column.sums, bytes);
        const size_t cells = bytes->size();
        const Stored stored = all.Append(m, bytes);
        return "{\"name\":" + JsonString(metric.unique_name) + ",\"display\":" + JsonString(metric.display_name) +
               ",\"unit\":" + JsonString(metric.unit) + ",\"description\":" + JsonString(metric.description) +
               ",\"type\":\"" + TypeName(metric.type) + "\",\"parent\":" + Id(metric.parent) +
               ",\"rows\":" + std::to_string(column.sums.size()) + ",\"kinds\":" + std::to_string(kinds) +
               ",\"sums\":" + std::to_string(sums) + ",\"cells\":" + std::to_string(cells) +
               ",\"width\":" + std::to_string(stored.width) +
               (stored.like < 0 ? "" : ",\"like\":" + std::to_string(stored.like)) + "}";
      },
      &text);
  return text;
}

bool Compress(const std::string& in, int level, std::string* out) {
  uLongf size = compressBound(in.size());
  out->resize(size);
  if (compress2(reinterpret_cast<Bytef*>(out->data()), &size, reinterpret_cast<const Bytef*>(in.data()), in.size(),
                level) != Z_OK) {
    return false;
  }
  out->resize(size);
  return true;
}

void AddSame(const std::vector<uint32_t>& same, std::string* head) {
  std::string numbers;
  for (const uint32_t path : same) numbers += (numbers.empty() ? "" : ",") + Id(path);
  if (!same.empty()) *head += ",\"same\":[" + numbers + "]";
}

// ": it may be waiting" is "It may be waiting".
std::string AsSentence(const std::string& rest) {
  const size_t begin = rest.find_first_not_of(":;, ");
  if (begin == std::string::npos || rest == ".") return "";
  std::string sentence = rest.substr(begin);
  if (sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

void AddAdvice(const Figures& figures, const archive::Manifest& manifest, const findings::Findings* found,
               std::string* head) {
  constexpr size_t kMost = 4;
  const std::vector<Advice> advice = AdviseWithoutOptions(figures, manifest, found, kMost);
  AddList(
      "advice", advice.size(),
      [&](uint32_t i) {
        const char* level = advice[i].level == Advice::Level::kBad ? "bad" : "warn";
        return "[\"" + std::string(level) + "\"," + JsonString(advice[i].title) + "," +
               JsonString(AsSentence(advice[i].rest)) + "," + Id(advice[i].path) + "]";
      },
      head);
}

// The worst imbalances, with a value for each location: null where it does not take part.
void AddImbalances(const Figures& figures, std::string* head) {
  constexpr size_t kMostRows = 6, kMostValues = 100'000;
  constexpr double kMatters = 0.01;  // of the time
  const std::vector<PollingLoop> polling =
      figures.profile.processes.size() > 1 ? FindPolling(figures) : std::vector<PollingLoop>();
  std::vector<Imbalance> some;
  for (Imbalance& one : FindImbalances(figures, polling)) {
    const bool fits = some.size() < kMostRows && (some.size() + 1) * one.seconds.size() <= kMostValues;
    const bool matters = one.mean * static_cast<double>(one.count) >= kMatters * figures.time.Total();
    if (matters && (fits || some.empty())) some.push_back(std::move(one));
  }
  AddList(
      "imbalances", some.size(),
      [&](uint32_t i) {
        const Imbalance& one = some[i];
        std::string values;
        for (const double value : one.seconds)
          values += (values.empty() ? "" : ",") + (value < 0 ? "null" : Number(value));
        return "{\"path\":" + Id(HottestPath(figures, one.region)) + ",\"whole\":" + (one.is_whole ? "true" : "false") +
               ",\"busiest\":" + Id(one.busiest) + ",\"saved\":" + Number(one.saved) + ",\"values\":[" + values + "]}";
      },
      head);
}

}  // namespace

std::string Deflated(const std::string& text) {
  constexpr int kUsualLevel = 6;
  std::string out;
  return Compress(text, kUsualLevel, &out) ? out : std::string();
}

bool PackProfile(const Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras, size_t most,
                 std::string* packed) {
  std::string head = "{\"format\":\"epik-html\",\"version\":" + std::to_string(kVersion);
  head += ",\"command\":" + JsonString(view::InShell(manifest.command));
  head += ",\"manifest\":" + manifest.ToJson() + ",\"machine\":" + JsonString(profile.machine);
  AddDefinitions(profile, &head);
  const Figures figures(profile);
  AddPop(figures, extras.findings, &head);
  AddCounters(profile, &head);
  AddTopologies(profile, &head);
  head += ",\"communication\":" + JsonString(extras.communication);
  AddSame(extras.same, &head);
  head += ",\"estimated\":" + JsonString(EstimatedRegions(figures, view::Terminal()));
  AddAdvice(figures, manifest, extras.findings, &head);
  AddImbalances(figures, &head);
  if (profile.is_difference) head += ",\"difference\":true";
  const auto tell = [&](const std::string& what) {
    if (extras.progress) extras.progress(what);
  };
  tell("values of " + view::Plural(profile.call_paths.size(), "call path"));
  const std::vector<Column> columns = MakeColumns(profile);
  size_t cells = 0;
  for (const Column& column : columns) cells += column.cells.size();
  constexpr size_t kManyCells = 1'000'000;
  constexpr size_t kMuch = size_t{4} << 20;
  constexpr size_t kVeryManyCells = 8'000'000;
  constexpr int kOfVeryMany = 12;
  int before = 0;
  for (int bits : {kExact, 23, 15, kOfVeryMany, 10, 8, 7, kShadeBits}) {
    if (bits == kExact && cells > kManyCells) continue;  // it would not fit, and trying takes long
    if (bits > kOfVeryMany && cells > kVeryManyCells) continue;
    // This would not fit either, even if the cells were all.
    if (before != 0 && bits != kShadeBits && packed->size() * bits / before > most) continue;
    before = bits;
    tell(view::Plural(cells, "value") + " in " + std::to_string(bits) + " bits each");
    std::string bytes;
    std::string text = head + Metrics(profile, columns, bits, &bytes) + ",\"bits\":" + std::to_string(bits) + "}";
    const auto length = static_cast<uint32_t>(text.size());
    std::string whole;
    for (int shift = 0; shift < 32; shift += 8) whole.push_back(static_cast<char>(length >> shift & 0xff));
    whole += text;
    whole += bytes;
    // Such a large page is mostly the last try.
    const int level = cells > kVeryManyCells ? (bits == kShadeBits ? 5 : 1) : whole.size() > kMuch ? 6 : 9;
    if (!Compress(whole, level, packed)) return false;
    if (packed->size() <= most) break;
  }
  return true;
}

std::string Base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) {
      out.push_back(i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 0x3f]);
    }
  }
  return out;
}

}  // namespace epik::report
