// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/find.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "archive/close/recover.h"
#include "archive/directory/archive.h"
#include "tools/scopes/arenas.h"
#include "tools/scopes/rendezvous.h"

namespace epik::monitor {

using top::Target;

namespace {

bool IsNumber(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

// Finds the job by one of its processes that runs here, or by a scope that is part of it.
bool FindSlurmJob(const std::string& id, Found* found) {
  for (const std::string& folder : archive::FindUnfinished(".", 0)) {
    std::vector<Target> running = top::RunningIn(folder);
    const bool here = !running.empty() && SlurmJobOf(running.front().pid) == id;
    const std::vector<scopes::Announced> announced = scopes::FindAnnounced(folder);
    const bool there =
        std::any_of(announced.begin(), announced.end(), [&](const auto& scope) { return scope.slurm == id; });
    if (!here && !there) continue;
    *found = {here ? std::move(running) : std::vector<Target>(), folder};
    return true;
  }
  return false;
}

// Whether an address of the same port leads to a scope. The scope of this host may be called by any address of this
// host.
bool IsOne(const scopes::Announced& scope, const scopes::Address& address) {
  if (scope.address.host == address.host) return true;
  if (scope.host != scopes::HostName()) return false;
  uint16_t port = 0;
  std::string not_ours;
  const int fd = scopes::ListenAt(address.host, 0, &port, &not_ours);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Whether each of the names means one scope. An address of several scopes means none of them.
bool AreClear(const std::vector<scopes::Announced>& announced, const std::vector<std::string>& names,
              std::string* error) {
  for (const std::string& name : names) {
    std::string hosts;
    size_t count = 0;
    for (const scopes::Announced& scope : announced) {
      if (scope.host == name) {
        count = 1;
        break;
      }
      if (scope.address.host != name) continue;
      hosts += (count++ == 0 ? "" : ", ") + scope.host;
    }
    if (count < 2) continue;
    *error = "several scopes listen at " + name + ": name one of " + hosts;
    return false;
  }
  return true;
}

bool IsUnfinished(const std::string& word) {
  std::error_code ignored;
  return std::filesystem::is_directory(word + "/" + archive::kArenasName, ignored);
}

}  // namespace

std::string SlurmJobOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string environment = '\0' + std::string(std::istreambuf_iterator<char>(file), {});
  const std::string name = '\0' + std::string("SLURM_JOB_ID=");
  const size_t at = environment.find(name);
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size();
  return environment.substr(begin, environment.find('\0', begin) - begin);
}

// A process number stands for its whole job.
bool Find(const std::string& word, bool for_scope, Found* found, std::string* error) {
  const std::string id = word.starts_with("slurm:") ? word.substr(6) : word;
  if (id.size() != word.size()) {
    if (FindSlurmJob(id, found)) return true;
    *error = "no measured process of Slurm's job " + id + " runs on this machine and writes to this folder";
    return false;
  }
  if (!top::FindTargets(word, &found->targets, error)) {
    found->targets.clear();
    const bool counts = IsUnfinished(word) && (for_scope || !scopes::FindAnnounced(word).empty());
    if (counts) found->unfinished = word;
    return counts || (IsNumber(word) && FindSlurmJob(word, found));
  }
  found->unfinished = found->targets.front().unfinished;
  if (found->targets.size() > 1 || found->unfinished.empty()) return true;
  std::vector<Target> all = top::RunningIn(found->unfinished);
  if (!all.empty()) found->targets = std::move(all);
  return true;
}

bool FindHosts(const std::string& unfinished, const std::vector<std::string>& names, const std::string& here,
               std::vector<scopes::Place>* places, std::string* error) {
  const std::vector<scopes::Announced> announced = scopes::FindAnnounced(unfinished);
  if (!AreClear(announced, names, error)) return false;
  for (const scopes::Announced& scope : announced) {
    if (names.empty() && scope.host != here) places->push_back({scope.host, scope.address});
  }
  for (const std::string& name : names) {
    const size_t colon = name.rfind(':');
    scopes::Address address;
    if (colon != std::string::npos) {
      address.host = name.substr(0, colon);
      std::from_chars(name.data() + colon + 1, name.data() + name.size(), address.port);
    }
    auto known = std::find_if(announced.begin(), announced.end(), [&](const auto& s) { return s.host == name; });
    if (known == announced.end()) {
      known = std::find_if(announced.begin(), announced.end(), [&](const auto& s) {
        return s.address.host == name || (s.address.port == address.port && IsOne(s, address));
      });
    }
    const bool is_known = known != announced.end();
    const std::string& host = is_known ? known->host : name;
    const bool is_read = host == here || std::any_of(places->begin(), places->end(),
                                                     [&](const scopes::Place& place) { return place.name == host; });
    if (is_read) continue;
    if (is_known) {
      places->push_back({host, known->address});
      continue;
    }
    if (address.port == 0) {
      *error =
          "host " + name + " has no scope in " + unfinished + "; start one there: epk monitor --serve " + unfinished;
      return false;
    }
    places->push_back({name, address});
  }
  return true;
}

}  // namespace epik::monitor
