// SPDX-License-Identifier: BSD-3-Clause
// The scope of one host: it waits for connections of clients that know the secret of the run, and gives each of them
// the data for its plan. Strangers get only a nonce, and cannot keep clients out: their number and their time are
// limited, and only the check of their proof reads their bytes.
#ifndef EPIK_TOOLS_SCOPES_SERVER_H_
#define EPIK_TOOLS_SCOPES_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "tools/scopes/channel.h"
#include "tools/scopes/description.h"
#include "tools/scopes/station.h"

namespace epik::scopes {

struct ServerOptions {
  std::string listen = "127.0.0.1";
  uint16_t port = 0;  // any
};

class Server {
 public:
  // Makes the station of this host. `from_now`: earlier calls are of no interest.
  using MakeOwn = std::function<std::unique_ptr<Own>(const Plan& plan, bool from_now)>;

  Server(const ServerOptions& options, const std::string& secret, MakeOwn make_own);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool Listen(std::string* error);
  uint16_t port() const { return port_; }

  // Serves until the deadline.
  void ServeUntil(Deadline until);
  // Connections that have proved themselves.
  size_t sessions() const;

 private:
  struct Stranger {
    int fd;
    std::string nonce, in;
    Deadline until;
  };
  struct Session {
    std::unique_ptr<Channel> channel;
    std::thread thread;
    std::atomic<bool> is_over = false;
  };

  void Accept();
  bool Hear(Stranger* stranger);
  void Begin(const Stranger& stranger);
  void Work(Session* session) const;
  std::unique_ptr<Station> OpenStation(const std::string& bytes, std::string* error) const;
  void Sweep();

  const ServerOptions options_;
  const std::string secret_;
  const MakeOwn make_own_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::list<Stranger> strangers_;
  std::list<Session> sessions_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_SERVER_H_
