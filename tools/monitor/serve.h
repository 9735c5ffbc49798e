// SPDX-License-Identifier: BSD-3-Clause
// epk monitor --serve: serves the scope of this host to monitors on other hosts.
#ifndef EPIK_TOOLS_MONITOR_SERVE_H_
#define EPIK_TOOLS_MONITOR_SERVE_H_

#include <atomic>
#include <string>

namespace epik::monitor {

struct ServeOptions {
  std::string job;
  std::string listen = "127.0.0.1";  // ADDRESS or ADDRESS:PORT
  std::string announced;             // the name of this address for others; empty: `listen`
};

// Serves until the job has ended or *stopped. False: *error says what is wrong.
bool ServeScope(const ServeOptions& options, const std::atomic<bool>& stopped, std::string* error);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_SERVE_H_
