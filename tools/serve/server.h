// SPDX-License-Identifier: BSD-3-Clause
//
// A small web server for one person on this machine: pages of `epk view` and `epk monitor`. It listens on the loopback
// address only, answers only requests with the token of this start, and sends nothing to pages of other origins. It has
// one thread, uses no disk and bounded memory: a client that connects a thousand times, sends garbage or never reads
// does no harm.
#ifndef EPIK_TOOLS_SERVE_SERVER_H_
#define EPIK_TOOLS_SERVE_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/serve/request.h"

namespace epik::serve {

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  // The connection stays open and gets what Broadcast sends (text/event-stream).
  bool is_stream = false;
};

struct ServerOptions {
  uint16_t port = 0;  // 0: any that is free
  // How long to go on when the last page that held a stream has closed it; 0: for ever.
  int linger_seconds = 0;
  // How often `tick` is called; 0: never.
  int tick_milliseconds = 0;
};

class Server {
 public:
  using Handler = std::function<Response(const Request&)>;

  // `handler` answers requests that have passed every check. `tick` may call Broadcast.
  Server(const ServerOptions& options, Handler handler, std::function<void()> tick = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Opens the port. On failure returns false, and Error() says why.
  bool Listen();
  const std::string& Error() const;

  // The address to open in a browser, with the token.
  std::string Url() const;
  uint16_t Port() const;

  // Sends an event to every open stream. A connection that has not read the last megabytes is closed.
  void Broadcast(const std::string& data);

  // Serves until SIGINT or SIGTERM comes, Stop is called, or the last page has gone. Returns true.
  bool Run();

  // May be called from any thread or signal handler.
  void Stop();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// 128 random bits as text; empty when the system cannot give any.
std::string RandomToken();

}  // namespace epik::serve

#endif  // EPIK_TOOLS_SERVE_SERVER_H_
