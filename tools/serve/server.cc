// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

namespace epik::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostConnections = 128;
constexpr size_t kMostUnsent = size_t{8} << 20;  // for a stream whose reader is slow
constexpr auto kRequestTime = std::chrono::seconds(10);
constexpr auto kAnswerTime = std::chrono::seconds(60);

struct Connection {
  int fd = -1;
  std::string in;
  std::string out;
  size_t sent = 0;
  bool answered = false;
  bool is_stream = false;
  Clock::time_point since;  // when the wait for a request, or for the reader, began
};

const char* Reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    default: return "Internal Server Error";
  }
}

Response Refusal(int status, const std::string& why) {
  return {status, "text/plain; charset=utf-8", why + "\n", false};
}

// Takes the same time for a wrong token as for the right one, so that nobody can guess it character by character.
bool SameToken(const std::string& given, const std::string& token) {
  if (given.size() != token.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < token.size(); ++i) difference |= static_cast<unsigned char>(given[i] ^ token[i]);
  return difference == 0;
}

std::string Head(const Response& response, size_t length) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " + Reason(response.status) + "\r\n";
  head += "Content-Type: " + response.type + "\r\n";
  if (!response.is_stream) head += "Content-Length: " + std::to_string(length) + "\r\n";
  // The browser must not cache the answer, show it in a frame, guess its type, load anything from elsewhere, or tell
  // other sites the address.
  head +=
      "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' "
      "'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'\r\n\r\n";
  return head;
}

int signal_pipe = -1;  // the write end of the server that runs; handlers can reach nothing else

void OnSignal(int) {
  const int saved = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t n = write(signal_pipe, &byte, 1);
  errno = saved;
}

// While it lives, SIGINT and SIGTERM end Run, and SIGPIPE has no effect.
class Signals {
 public:
  explicit Signals(int pipe) {
    signal_pipe = pipe;
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &before_[2]);
  }
  ~Signals() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
    sigaction(SIGPIPE, &before_[2], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct sigaction before_[3];
};

}  // namespace

class Server::Loop {
 public:
  Loop(const ServerOptions& options, Handler handler, std::function<void()> tick)
      : options_(options), handler_(std::move(handler)), tick_(std::move(tick)) {}

  ~Loop() {
    for (const Connection& connection : connections_) close(connection.fd);
    for (const int fd : {listener_, pipe_[0], pipe_[1]}) {
      if (fd >= 0) close(fd);
    }
  }

  bool Listen() {
    token_ = RandomToken();
    if (token_.empty()) return Fail("no random numbers for a token");
    if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) return Fail(std::strerror(errno));
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0) return Fail(std::strerror(errno));
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (bind(listener_, generic, sizeof address) != 0 || listen(listener_, 64) != 0) {
      return Fail("port " + std::to_string(options_.port) + " on 127.0.0.1: " + std::strerror(errno));
    }
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    return true;
  }

  bool Run() {
    const Signals signals(pipe_[1]);
    next_tick_ = Clock::now();
    while (!stopped_) {
      Wait();
      Tick();
      DropLate();
      if (LastPageHasGone()) break;
    }
    return true;
  }

  void Stop() {
    const char byte = 0;
    [[maybe_unused]] const ssize_t n = write(pipe_[1], &byte, 1);
  }

  void Broadcast(const std::string& data) {
    std::string event;
    for (size_t at = 0; at <= data.size();) {
      const size_t end = std::min(data.find('\n', at), data.size());
      event += "data: " + data.substr(at, end - at) + "\n";
      at = end + 1;
    }
    event += "\n";
    for (Connection& connection : connections_) {
      if (!connection.is_stream) continue;
      connection.out += event;
      Send(connection);
      const bool too_slow = connection.out.size() - connection.sent > kMostUnsent;
      if (too_slow) Close(connection);
    }
  }

  const std::string& error() const { return error_; }
  const std::string& token() const { return token_; }
  uint16_t port() const { return port_; }

 private:
  bool Fail(const std::string& why) {
    error_ = why;
    return false;
  }

  int MillisecondsToWait() const {
    const auto now = Clock::now();
    auto until = now + std::chrono::seconds(1);
    if (options_.tick_milliseconds > 0) until = std::min(until, next_tick_);
    return static_cast<int>(
        std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(until - now).count()));
  }

  void Wait() {
    std::vector<pollfd> fds = {{pipe_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    std::vector<Connection*> order;
    for (Connection& connection : connections_) {
      const bool unsent = connection.sent < connection.out.size();
      fds.push_back({connection.fd, static_cast<short>(POLLIN | (unsent ? POLLOUT : 0)), 0});
      order.push_back(&connection);
    }
    if (poll(fds.data(), fds.size(), MillisecondsToWait()) <= 0) return;
    if (fds[0].revents != 0) stopped_ = true;
    for (size_t i = 0; i < order.size(); ++i) {
      const short events = fds[i + 2].revents;
      if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) Receive(*order[i]);
      if ((events & POLLOUT) != 0 && order[i]->fd >= 0) Send(*order[i]);
    }
    Sweep();
    if (fds[1].revents != 0) Accept();
  }

  void Accept() {
    for (int i = 0; i < 64; ++i) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) return;
      if (connections_.size() >= kMostConnections && !MakeRoom()) {
        close(fd);
        continue;
      }
      Connection connection;
      connection.fd = fd;
      connection.since = Clock::now();
      connections_.push_back(std::move(connection));
    }
  }

  // Closes the oldest connection without an answer yet, so that strangers cannot keep the owner out.
  bool MakeRoom() {
    const auto stranger =
        std::find_if(connections_.begin(), connections_.end(), [](const Connection& each) { return !each.answered; });
    if (stranger == connections_.end()) return false;
    Close(*stranger);
    Sweep();
    return true;
  }

  void Receive(Connection& connection) {
    char buffer[4096];
    const ssize_t n = read(connection.fd, buffer, sizeof buffer);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return Close(connection);
    if (connection.answered) return;  // nobody reads what the connection sends after that
    connection.in.append(buffer, static_cast<size_t>(n));
    Request request;
    const ParseState state = ParseRequest(connection.in, &request);
    if (state == ParseState::kIncomplete) return;
    Answer(connection, request, state);
  }

  void Answer(Connection& connection, const Request& request, ParseState state) {
    Response response;
    if (state == ParseState::kTooLarge) {
      response = Refusal(431, "the request is too large");
    } else if (state == ParseState::kBad) {
      response = Refusal(400, "this is no request");
    } else {
      response = Checked(request);
    }
    connection.answered = true;
    connection.in.clear();
    connection.in.shrink_to_fit();
    connection.since = Clock::now();
    connection.is_stream = response.is_stream && response.status == 200;
    connection.out = Head(response, response.body.size());
    if (request.method != "HEAD") connection.out += response.body;
    if (connection.is_stream) had_stream_ = true;
    Send(connection);
  }

  Response Checked(const Request& request) const {
    const auto field = [&](const char* name) {
      const auto found = request.header.find(name);
      return found == request.header.end() ? std::string() : found->second;
    };
    // Refuses requests under another host name (a page whose name was rebound to this address) and from pages of other
    // sites.
    const std::string port = ":" + std::to_string(port_);
    const std::string host = field("host");
    if (host != "127.0.0.1" + port && host != "localhost" + port) return Refusal(403, "this address is not served");
    const std::string origin = field("origin");
    const bool ours = origin.empty() || origin == "http://" + host;
    if (!ours) return Refusal(403, "pages of other origins get nothing");
    if (!SameToken(request.Get("token", field("x-epik-token")), token_)) {
      return Refusal(403, "the token is missing or wrong: open the address that epk printed");
    }
    if (request.method != "GET" && request.method != "HEAD") return Refusal(405, "only GET is served");
    if (request.has_body) return Refusal(413, "requests have no body here");
    return handler_(request);
  }

  void Send(Connection& connection) {
    while (connection.sent < connection.out.size()) {
      const ssize_t n = send(connection.fd, connection.out.data() + connection.sent,
                             connection.out.size() - connection.sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) return Close(connection);
      connection.sent += static_cast<size_t>(n);
      connection.since = Clock::now();
    }
    connection.out.clear();
    connection.sent = 0;
    if (connection.answered && !connection.is_stream) Close(connection);
  }

  void Close(Connection& connection) {
    if (connection.fd < 0) return;
    shutdown(connection.fd, SHUT_WR);
    close(connection.fd);
    connection.fd = -1;
    if (connection.is_stream) last_stream_end_ = Clock::now();
  }

  void Sweep() {
    connections_.remove_if([](const Connection& each) { return each.fd < 0; });
  }

  void DropLate() {
    const auto now = Clock::now();
    for (Connection& connection : connections_) {
      const bool unsent = connection.sent < connection.out.size();
      if (connection.is_stream && !unsent) continue;
      if (now - connection.since > (connection.answered ? kAnswerTime : kRequestTime)) Close(connection);
    }
    Sweep();
  }

  void Tick() {
    if (options_.tick_milliseconds <= 0 || !tick_ || Clock::now() < next_tick_) return;
    next_tick_ = Clock::now() + std::chrono::milliseconds(options_.tick_milliseconds);
    tick_();
  }

  bool LastPageHasGone() const {
    if (options_.linger_seconds <= 0 || !had_stream_) return false;
    const bool open = std::any_of(connections_.begin(), connections_.end(), [](const auto& c) { return c.is_stream; });
    return !open && Clock::now() - last_stream_end_ > std::chrono::seconds(options_.linger_seconds);
  }

  ServerOptions options_;
  Handler handler_;
  std::function<void()> tick_;
  std::string error_;
  std::string token_;
  int pipe_[2] = {-1, -1};
  int listener_ = -1;
  uint16_t port_ = 0;
  std::list<Connection> connections_;
  bool stopped_ = false;
  bool had_stream_ = false;
  Clock::time_point last_stream_end_;
  Clock::time_point next_tick_;
};

Server::Server(const ServerOptions& options, Handler handler, std::function<void()> tick)
    : loop_(std::make_unique<Loop>(options, std::move(handler), std::move(tick))) {}
Server::~Server() = default;
bool Server::Listen() { return loop_->Listen(); }
const std::string& Server::Error() const { return loop_->error(); }
std::string Server::Url() const {
  return "http://127.0.0.1:" + std::to_string(loop_->port()) + "/?token=" + loop_->token();
}
uint16_t Server::Port() const { return loop_->port(); }
void Server::Broadcast(const std::string& data) { loop_->Broadcast(data); }
bool Server::Run() { return loop_->Run(); }
void Server::Stop() { loop_->Stop(); }

std::string RandomToken() {
  unsigned char bytes[16];
  size_t have = 0;
  while (have < sizeof bytes) {
    const ssize_t n = getrandom(bytes + have, sizeof bytes - have, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return "";
    have += static_cast<size_t>(n);
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

}  // namespace epik::serve
