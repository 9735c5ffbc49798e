// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/serve.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <utility>

#include "tools/monitor/find.h"
#include "tools/scopes/arenas.h"
#include "tools/scopes/rendezvous.h"
#include "tools/scopes/server.h"

namespace epik::monitor {

namespace {

constexpr double kLookSeconds = 0.2;   // how often it looks whether the job has ended
constexpr double kLingerSeconds = 10;  // for monitors that still gather

// ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT; an address of colons alone has no port.
bool ParseAddress(const std::string& text, scopes::Address* address) {
  const bool in_brackets = text.starts_with('[');
  const size_t end = in_brackets ? text.find(']') : text.find(':');
  const bool is_bare = !in_brackets && (end == std::string::npos || text.find(':', end + 1) != std::string::npos);
  if (is_bare) {
    address->host = text;
    return !text.empty();
  }
  if (end == std::string::npos) return false;
  address->host = text.substr(in_brackets ? 1 : 0, in_brackets ? end - 1 : end);
  const size_t colon = in_brackets ? end + 1 : end;
  if (colon == text.size()) return !address->host.empty();
  const auto [last, code] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), address->port);
  return text[colon] == ':' && code == std::errc() && last == text.data() + text.size() && !address->host.empty();
}

// While it lives, others find this scope.
class Announcement {
 public:
  Announcement(const top::Folder& folder, const std::string& host) : folder_(folder), host_(host) {}
  ~Announcement() {
    const std::string now = folder_.Name();
    if (!now.empty()) scopes::Withdraw(now, host_);
  }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

 private:
  const top::Folder& folder_;
  std::string host_;
};

// Serves `job` until it ends, or until it has moved to a folder with another secret, whose name is then in *next.
bool ServeOne(const std::string& job, const ServeOptions& options, const std::atomic<bool>& stopped, std::string* next,
              std::string* error) {
  Found found;
  if (!Find(job, true, &found, error)) return false;
  scopes::Address listen;
  if (found.unfinished.empty()) {
    *error = "the folder of the job is not known; name it: epik_PROGRAM.PID.unfinished";
    return false;
  }
  if (!ParseAddress(options.listen, &listen)) {
    *error = "'" + options.listen + "' is no ADDRESS or ADDRESS:PORT";
    return false;
  }
  top::Folder folder(found.unfinished);
  const std::string secret = scopes::SecretOf(found.unfinished, true, error);
  if (secret.empty()) return false;
  const auto make_own = [&](const scopes::Plan& plan, bool from_now) -> std::unique_ptr<scopes::Own> {
    return scopes::Arenas::OpenFolder(folder.Name(), {from_now, plan.helpers});
  };
  scopes::Server server({listen.host, listen.port}, secret, make_own);
  if (!server.Listen(error)) return false;
  scopes::Announced me = {scopes::HostName(), {listen.host, server.port()}, ""};
  if (!options.announced.empty()) me.address.host = options.announced;
  if (me.address.host == "0.0.0.0" || me.address.host == "::") me.address.host = me.host;
  me.slurm = SlurmJobOf(found.targets.empty() ? getpid() : found.targets.front().pid);
  const Announcement announcement(folder, me.host);
  if (!scopes::Announce(found.unfinished, me, error)) return false;
  printf("%s %s:%d\n", me.host.c_str(), me.address.host.c_str(), me.address.port);
  fflush(stdout);
  const auto processes = scopes::Arenas::OpenFolder(found.unfinished, {true, 0});
  while (!stopped && !processes->HasEnded()) {
    server.ServeUntil(scopes::In(kLookSeconds));
    if (!processes->Follow()) continue;
    *next = processes->Folder();
    scopes::MoveScopes(folder.Name(), *next);
    std::string ignored;
    if (scopes::SecretOf(*next, false, &ignored) != secret) return true;
    folder.Set(*next);
    next->clear();
  }
  const scopes::Deadline last = scopes::In(kLingerSeconds);
  while (!stopped && server.sessions() != 0 && std::chrono::steady_clock::now() < last) {
    server.ServeUntil(scopes::In(kLookSeconds));
  }
  return true;
}

}  // namespace

bool ServeScope(const ServeOptions& options, const std::atomic<bool>& stopped, std::string* error) {
  std::string job, next = options.job;
  while (!next.empty()) {
    job = std::exchange(next, "");
    if (!ServeOne(job, options, stopped, &next, error)) return false;
  }
  return true;
}

}  // namespace epik::monitor
