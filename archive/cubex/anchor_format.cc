// SPDX-License-Identifier: BSD-3-Clause
// The writing half of anchor.h. CUBE's reader is no XML parser: it wants exactly this spelling, these blanks and this
// order.
#include <string>
#include <unordered_set>
#include <vector>

#include "archive/cubex/anchor.h"
#include "archive/files/guarded.h"
#include "archive/files/xml_scanner.h"

namespace epik::archive {
namespace {

// Attributes that control CUBE's reader: a copy from another file must not contain them.
constexpr std::string_view kReserved[] = {"CLUSTERING", "CubePL Version", "Cube Version",
                                          "Cube anchor.xml syntax version", "statisticfile"};

bool Fail(std::string what, std::string* error) {
  *error = "the profile cannot be written: " + std::move(what);
  return false;
}

std::string Digits(uint64_t number) { return std::to_string(number); }

void Put(std::string* out, std::string_view tag, std::string_view text) {
  out->append("<").append(tag).append(">").append(EscapeXml(text)).append("</").append(tag).append(">");
}

void PutAttribute(std::string* out, std::string_view key, std::string_view value) {
  out->append("<attr key=\"").append(EscapeXml(key)).append("\" value=\"").append(EscapeXml(value)).append("\"/>\n");
}

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kUint64: return "UINT64";
    case Type::kMin: return "MINDOUBLE";
    case Type::kMax: return "MAXDOUBLE";
    default: return "DOUBLE";
  }
}

// Visits a forest that is given by parents, in depth-first preorder, without recursion.
template <class ParentOf, class Enter, class Leave>
void Walk(uint32_t count, ParentOf parent_of, Enter enter, Leave leave) {
  std::vector<uint32_t> first(count, kNone), next(count, kNone), open;
  uint32_t first_root = kNone;
  for (uint32_t i = count; i-- > 0;) {
    uint32_t& head = parent_of(i) == kNone ? first_root : first[parent_of(i)];
    next[i] = head;
    head = i;
  }
  uint32_t at = first_root;
  while (at != kNone || !open.empty()) {
    if (at == kNone) {
      at = open.back();
      open.pop_back();
      leave(at);
      at = next[at];
    } else {
      enter(at);
      open.push_back(at);
      at = first[at];
    }
  }
}

// The names for formulas, by metric. If two of them are equal, the second gets a number.
std::vector<std::string> FormulaNames(const Profile& profile) {
  std::vector<std::string> names;
  std::unordered_set<std::string> used;
  for (const Metric& metric : profile.metrics) {
    const std::string plain = FormulaName(metric.unique_name);
    std::string name = plain;
    for (int n = 2; !used.insert(name).second; ++n) name = plain + "_" + std::to_string(n);
    names.push_back(std::move(name));
  }
  return names;
}

void PutMetrics(const Profile& profile, std::string* out) {
  const std::vector<std::string> names = FormulaNames(profile);
  out->append("<metrics>\n");
  Walk(
      static_cast<uint32_t>(profile.metrics.size()), [&](uint32_t m) { return profile.metrics[m].parent; },
      [&](uint32_t m) {
        const Metric& metric = profile.metrics[m];
        out->append("<metric id=\"" + Digits(m) + "\" type=\"");
        out->append(metric.along == Along::kInclusive ? "INCLUSIVE" : "EXCLUSIVE").append("\">");
        Put(out, "disp_name", metric.display_name.empty() ? metric.unique_name : metric.display_name);
        Put(out, "uniq_name", names[m]);
        Put(out, "dtype", TypeName(metric.type));
        Put(out, "uom", metric.unit);
        out->append("<url></url>");
        Put(out, "descr", metric.description);
        out->append("\n");
      },
      [&](uint32_t) { out->append("</metric>\n"); });
  out->append("</metrics>\n");
}

void PutProgram(const Profile& profile, std::string* out) {
  out->append("<program>\n");
  for (size_t r = 0; r < profile.regions.size(); ++r) {
    const Region& region = profile.regions[r];
    out->append("<region id=\"" + Digits(r) + "\" mod=\"" + EscapeXml(region.file) + "\" begin=\"" +
                std::to_string(region.begin_line) + "\" end=\"" + std::to_string(region.end_line) + "\">");
    Put(out, "name", region.name);
    Put(out, "mangled_name", region.mangled.empty() ? region.name : region.mangled);
    Put(out, "paradigm", region.paradigm);
    Put(out, "role", region.role);
    out->append("<url></url>");
    Put(out, "descr", region.description);
    out->append("</region>\n");
  }
  Walk(
      static_cast<uint32_t>(profile.call_paths.size()), [&](uint32_t p) { return profile.call_paths[p].parent; },
      [&](uint32_t p) {
        out->append("<cnode id=\"" + Digits(p) + "\" calleeId=\"" + Digits(profile.call_paths[p].region) + "\">\n");
      },
      [&](uint32_t) { out->append("</cnode>\n"); });
  out->append("</program>\n");
}

void PutProcess(const Profile& profile, uint32_t process, size_t first_location, std::string* out) {
  out->append("<locationgroup Id=\"" + Digits(process) + "\">");
  Put(out, "name", profile.processes[process].name);
  Put(out, "rank", std::to_string(profile.processes[process].rank));
  out->append("<type>process</type>\n");
  for (size_t l = first_location; l < profile.locations.size() && profile.locations[l].process == process; ++l) {
    out->append("<location Id=\"" + Digits(l) + "\">");
    Put(out, "name", profile.locations[l].name);
    Put(out, "rank", std::to_string(profile.locations[l].thread));
    out->append("<type>thread</type></location>\n");
  }
  out->append("</locationgroup>\n");
}

void PutTopologies(const Profile& profile, std::string* out) {
  if (profile.topologies.empty()) return;
  out->append("<topologies>\n");
  for (const Topology& topology : profile.topologies) {
    const size_t width = topology.dimensions.size();
    out->append("<cart name=\"" + EscapeXml(topology.name) + "\" ndims=\"" + Digits(width) + "\">");
    // Either all dimensions have names or none has.
    bool named = true;
    for (const Topology::Dimension& dimension : topology.dimensions) named = named && !dimension.name.empty();
    for (const Topology::Dimension& dimension : topology.dimensions) {
      out->append("<dim ");
      if (named) out->append("name=\"" + EscapeXml(dimension.name) + "\" ");
      out->append("size=\"" + Digits(dimension.size) + "\" periodic=\"");
      out->append(dimension.periodic ? "true\"/>" : "false\"/>");
    }
    out->append("\n");
    for (size_t i = 0; i < topology.locations.size(); ++i) {
      out->append("<coord locId=\"" + Digits(topology.locations[i]) + "\">");
      for (size_t d = 0; d < width; ++d) {
        out->append(d == 0 ? "" : " ").append(Digits(topology.coordinates[i * width + d]));
      }
      out->append("</coord>\n");
    }
    out->append("</cart>\n");
  }
  out->append("</topologies>\n");
}

void PutSystem(const Profile& profile, std::string* out) {
  std::vector<size_t> first_location(profile.processes.size(), profile.locations.size());
  for (size_t l = profile.locations.size(); l-- > 0;) first_location[profile.locations[l].process] = l;
  std::vector<std::vector<uint32_t>> processes(profile.hosts.size());
  for (uint32_t p = 0; p < profile.processes.size(); ++p) {
    // A group without a location is a syntax error to CUBE.
    if (first_location[p] < profile.locations.size()) processes[profile.processes[p].host].push_back(p);
  }
  out->append("<system>\n<systemtreenode Id=\"0\">");
  Put(out, "name", profile.machine);
  Put(out, "class", "machine");
  out->append("\n");
  for (size_t n = 0; n < profile.hosts.size(); ++n) {
    out->append("<systemtreenode Id=\"" + Digits(n + 1) + "\">");
    Put(out, "name", profile.hosts[n].name);
    Put(out, "class", "node");
    out->append("\n");
    for (const uint32_t p : processes[n]) PutProcess(profile, p, first_location[p], out);
    out->append("</systemtreenode>\n");
  }
  out->append("</systemtreenode>\n");
  PutTopologies(profile, out);
  out->append("</system>\n");
}

bool CheckMetrics(const Profile& profile, std::string* error) {
  std::unordered_set<std::string_view> names;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    const Metric& metric = profile.metrics[m];
    if (metric.unique_name.empty()) return Fail("metric " + Digits(m) + " has no name", error);
    if (!names.insert(metric.unique_name).second) return Fail("two metrics are called " + metric.unique_name, error);
    if (metric.parent != kNone && metric.parent >= m) {
      return Fail("metric " + metric.unique_name + " comes before its parent", error);
    }
    const bool extreme = metric.type == Type::kMin || metric.type == Type::kMax;
    if (extreme && metric.along == Along::kInclusive) {
      return Fail("metric " + metric.unique_name + " is a minimum or maximum and inclusive", error);
    }
  }
  return !profile.metrics.empty() || Fail("it has no metric", error);
}

bool CheckSystem(const Profile& profile, std::string* error) {
  for (const Process& process : profile.processes) {
    if (process.host >= profile.hosts.size()) return Fail("a process runs on a node that does not exist", error);
    if (process.rank < 0) return Fail("a process has rank " + std::to_string(process.rank), error);
  }
  uint32_t last = 0;
  for (const Location& location : profile.locations) {
    if (location.process >= profile.processes.size()) return Fail("a location is of no process", error);
    if (location.process < last) return Fail("locations are not ordered by process", error);
    if (location.thread < 0) return Fail("a location has number " + std::to_string(location.thread), error);
    last = location.process;
  }
  return !profile.locations.empty() || Fail("it has no location", error);
}

bool CheckTopologies(const Profile& profile, std::string* error) {
  for (const Topology& topology : profile.topologies) {
    const size_t width = topology.dimensions.size();
    if (width == 0 || topology.locations.empty() || topology.coordinates.size() != width * topology.locations.size()) {
      return Fail("topology " + topology.name + " has no dimension, no place, or half a place", error);
    }
    for (const uint32_t location : topology.locations) {
      if (location >= profile.locations.size()) return Fail("a place in a topology is of no location", error);
    }
    for (size_t c = 0; c < topology.coordinates.size(); ++c) {
      if (topology.coordinates[c] >= topology.dimensions[c % width].size) {
        return Fail("a place lies outside of topology " + topology.name, error);
      }
    }
  }
  return true;
}

}  // namespace

std::string FormulaName(std::string_view name) {
  std::string plain;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (c == ':' && i > 0 && name[i - 1] == ':') continue;  // one for both colons
    plain += fits ? c : '_';
  }
  return plain.empty() || (plain[0] >= '0' && plain[0] <= '9') ? "_" + plain : plain;
}

bool CheckDefinitions(const Profile& profile, std::string* error) {
  return Guarded(error, [&] {
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      const CallPath& path = profile.call_paths[p];
      if (path.region >= profile.regions.size()) return Fail("a call path is of no region", error);
      if (path.parent != kNone && path.parent >= p) return Fail("a call path comes before its parent", error);
    }
    if (profile.call_paths.empty()) return Fail("it has no call path", error);
    return CheckMetrics(profile, error) && CheckSystem(profile, error) && CheckTopologies(profile, error);
  });
}

std::string FormatAnchor(const Profile& profile, const Attributes& attributes) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n";
  PutAttribute(&out, "CubePL Version", "1.1");
  bool has_creator = false;
  for (const auto& [key, value] : attributes) {
    bool reserved = false;
    for (const std::string_view name : kReserved) reserved = reserved || key == name;
    reserved = reserved || key == kDifferenceAttribute;  // the profile knows it
    if (reserved) continue;
    has_creator = has_creator || key == "Creator";
    PutAttribute(&out, key, value);
  }
  if (!has_creator) PutAttribute(&out, "Creator", "EPIK");
  if (profile.is_difference) PutAttribute(&out, kDifferenceAttribute, "yes");
  out.append("<doc><mirrors></mirrors></doc>\n");
  PutMetrics(profile, &out);
  PutProgram(profile, &out);
  PutSystem(profile, &out);
  out.append("</cube>\n");
  return out;
}

}  // namespace epik::archive
