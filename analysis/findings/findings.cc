// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/findings.h"

#include <nlohmann/json.hpp>

namespace epik::findings {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// One object may hold two threads. The prefix keeps their keys apart.
void Put(ordered_json* json, const Who& who, const std::string& prefix = "") {
  (*json)[prefix + "rank"] = who.rank;
  (*json)[prefix + "thread"] = who.thread;
}
Who TakeWho(const json& from, const std::string& prefix = "") {
  return {from.at(prefix + "rank").get<int>(), from.at(prefix + "thread").get<int>()};
}

ordered_json CausesJson(const Findings& findings) {
  ordered_json causes = {{"waited_s", findings.waited_s},
                         {"waits", findings.waits},
                         {"unknown_s", findings.unknown_s},
                         {"chains", ordered_json::array()},
                         {"pairs", ordered_json::array()}};
  if (findings.by_summary) causes["calls_by_summary"] = true;
  for (const Chain& chain : findings.chains) {
    ordered_json row = {{"seconds", chain.seconds}, {"instances", chain.instances}};
    Put(&row, chain.who);
    row["kind"] = chain.kind;
    if (!chain.wait_state.empty()) row["wait_state"] = chain.wait_state;
    row["callpath"] = chain.callpath;
    row["text"] = chain.text;
    // Runs without counters have no differences, and analyses of older versions do not know them: readers need no key.
    if (!chain.differences.empty()) row["differences"] = ordered_json::array();
    for (const Difference& difference : chain.differences) {
      row["differences"].push_back({{"counter", difference.counter},
                                    {"unit", difference.unit},
                                    {"here", difference.here},
                                    {"there", difference.there}});
    }
    causes["chains"].push_back(std::move(row));
  }
  for (const Pair& pair : findings.pairs) {
    ordered_json row;
    Put(&row, pair.waiter, "waiter_");
    Put(&row, pair.waited_for);
    row["seconds"] = pair.seconds;
    causes["pairs"].push_back(std::move(row));
  }
  return causes;
}

ordered_json InstancesJson(const Findings& findings) {
  ordered_json rows = ordered_json::array();
  for (const Instance& instance : findings.instances) {
    ordered_json row = {{"kind", instance.kind}, {"callpath", instance.callpath}};
    if (!instance.wait_state.empty()) row["wait_state"] = instance.wait_state;
    Put(&row, instance.who);
    row["seconds"] = instance.seconds;
    row["from_s"] = instance.from_s;
    row["to_s"] = instance.to_s;
    Put(&row, instance.waited_for, "waited_for_");
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json LinksJson(const Findings& findings) {
  ordered_json rows = ordered_json::array();
  for (const Link& link : findings.links) {
    rows.push_back({{"from", link.from},
                    {"to", link.to},
                    {"or_from", link.or_from},
                    {"or_back", link.or_back},
                    {"messages", link.messages},
                    {"bytes", link.bytes},
                    {"seconds", link.seconds},
                    {"usual_s", link.usual_s},
                    {"lost_s", link.lost_s}});
  }
  return rows;
}

ordered_json CriticalJson(const CriticalPath& critical) {
  ordered_json path = {{"begin_s", critical.begin_s},
                       {"end_s", critical.end_s},
                       {"unknown_s", critical.unknown_s},
                       {"segments", ordered_json::array()}};
  for (const Segment& segment : critical.segments) {
    ordered_json row = {{"from_s", segment.from_s}, {"to_s", segment.to_s}};
    Put(&row, segment.who);
    row["callpath"] = segment.callpath;
    path["segments"].push_back(std::move(row));
  }
  for (const OnPath& place : critical.places) {
    ordered_json row = {{"seconds", place.seconds}};
    Put(&row, place.who);
    row["callpath"] = place.callpath;
    path["places"].push_back(std::move(row));
  }
  return path;
}

void TakeCauses(const json& causes, Findings* findings) {
  findings->waited_s = causes.at("waited_s").get<double>();
  findings->waits = causes.at("waits").get<uint64_t>();
  findings->unknown_s = causes.at("unknown_s").get<double>();
  findings->by_summary = causes.value("calls_by_summary", false);
  for (const json& row : causes.at("chains")) {
    Chain chain;
    chain.seconds = row.at("seconds").get<double>();
    chain.instances = row.at("instances").get<uint64_t>();
    chain.who = TakeWho(row);
    chain.kind = row.at("kind").get<std::string>();
    chain.callpath = row.at("callpath").get<std::string>();
    chain.wait_state = row.value("wait_state", "");
    chain.text = row.at("text").get<std::string>();
    for (const json& difference : row.value("differences", json::array())) {
      chain.differences.push_back({difference.at("counter").get<std::string>(),
                                   difference.at("unit").get<std::string>(), difference.at("here").get<double>(),
                                   difference.at("there").get<double>()});
    }
    findings->chains.push_back(std::move(chain));
  }
  for (const json& row : causes.at("pairs")) {
    findings->pairs.push_back({TakeWho(row, "waiter_"), TakeWho(row), row.at("seconds").get<double>()});
  }
}

void TakeInstances(const json& rows, Findings* findings) {
  for (const json& row : rows) {
    Instance instance{
        row.at("kind").get<std::string>(), row.at("callpath").get<std::string>(), TakeWho(row),
        TakeWho(row, "waited_for_"),       row.at("from_s").get<double>(),        row.at("to_s").get<double>(),
        row.value("wait_state", "")};
    instance.seconds = row.value("seconds", instance.to_s - instance.from_s);
    findings->instances.push_back(std::move(instance));
  }
}

void TakeLinks(const json& rows, Findings* findings) {
  for (const json& row : rows) {
    // Analyses of older versions blame a single link: they lack the keys that name others.
    findings->links.push_back(
        {row.at("from").get<int>(), row.at("to").get<int>(), row.value("or_from", std::vector<int>()),
         row.value("or_back", false), row.at("messages").get<uint64_t>(), row.at("bytes").get<uint64_t>(),
         row.at("seconds").get<double>(), row.at("usual_s").get<double>(), row.at("lost_s").get<double>()});
  }
}

void TakeCritical(const json& path, CriticalPath* critical) {
  critical->begin_s = path.at("begin_s").get<double>();
  critical->end_s = path.at("end_s").get<double>();
  critical->unknown_s = path.at("unknown_s").get<double>();
  for (const json& row : path.at("segments")) {
    critical->segments.push_back({row.at("from_s").get<double>(), row.at("to_s").get<double>(), TakeWho(row),
                                  row.at("callpath").get<std::string>()});
  }
  for (const json& row : path.value("places", json::array())) {
    critical->places.push_back({row.at("seconds").get<double>(), TakeWho(row), row.at("callpath").get<std::string>()});
  }
}

}  // namespace

std::string ToJson(const Findings& findings) {
  ordered_json json = {{"causes", CausesJson(findings)},
                       {"instances", InstancesJson(findings)},
                       {"slow_links", LinksJson(findings)},
                       {"critical_path", CriticalJson(findings.critical)}};
  Put(findings.distribution, &json);
  // Names of a program need not be UTF-8: without `replace`, dump would throw.
  const std::string text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  return text.substr(2, text.size() - 4);  // without "{\n" and "\n}"
}

bool FromJson(const std::string& text, Findings* findings, std::string* error) {
  try {
    const json all = json::parse(text);
    // An analysis from before there were findings is no error.
    if (!all.contains("causes")) return true;
    TakeCauses(all.at("causes"), findings);
    TakeInstances(all.at("instances"), findings);
    if (all.contains("slow_links")) TakeLinks(all.at("slow_links"), findings);
    TakeCritical(all.at("critical_path"), &findings->critical);
    findings->distribution = TakeDistribution(all);
    findings->are_there = true;
    return true;
  } catch (const json::exception& problem) {
    // A part of the findings would look like all of them.
    *findings = Findings();
    *error = problem.what();
    return false;
  }
}

}  // namespace epik::findings
