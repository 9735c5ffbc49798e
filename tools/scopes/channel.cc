// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/channel.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace epik::scopes {

namespace {

int MillisecondsUntil(Deadline until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 3600'000));
}

// 1: ready; 0: not before the deadline.
int Ready(int fd, short events, Deadline until) {
  pollfd one = {fd, events, 0};
  for (;;) {
    const int ready = poll(&one, 1, MillisecondsUntil(until));
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

bool SendAll(int fd, std::string_view bytes, Deadline until, std::string* error) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) {
      *error = std::strerror(errno);
      return false;
    }
    if (Ready(fd, POLLOUT, until) <= 0) {
      *error = "does not read";
      return false;
    }
  }
  return true;
}

// At least one byte, at most `most`.
bool ReceiveSome(int fd, size_t most, Deadline until, std::string* bytes, std::string* error) {
  bytes->resize(std::min<size_t>(most, 1 << 16));
  for (;;) {
    const ssize_t n = recv(fd, bytes->data(), bytes->size(), MSG_DONTWAIT);
    if (n > 0) {
      bytes->resize(static_cast<size_t>(n));
      return true;
    }
    if (n == 0) {
      *error = "closed the connection";
      return false;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      *error = std::strerror(errno);
      return false;
    }
    if (Ready(fd, POLLIN, until) <= 0) {
      *error = "does not answer";
      return false;
    }
  }
}

bool ReceiveAll(int fd, size_t count, Deadline until, std::string* all, std::string* error) {
  all->clear();
  for (std::string some; all->size() < count; *all += some) {
    if (!ReceiveSome(fd, count - all->size(), until, &some, error)) return false;
  }
  return true;
}

// All addresses of a host, freed at the end.
class Found {
 public:
  Found(const std::string& host, uint16_t port, int flags, std::string* error) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list_);
    if (failed == 0) return;
    *error = host + ": " + gai_strerror(failed);
    list_ = nullptr;
  }
  ~Found() {
    if (list_ != nullptr) freeaddrinfo(list_);
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  const addrinfo* list() const { return list_; }

 private:
  addrinfo* list_ = nullptr;
};

int ConnectTo(const Address& address, Deadline until, std::string* error) {
  const Found found(address.host, address.port, 0, error);
  for (const addrinfo* at = found.list(); at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    int failed = connect(fd, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (failed == EINPROGRESS) {
      socklen_t size = sizeof failed;
      if (Ready(fd, POLLOUT, until) <= 0) {
        failed = ETIMEDOUT;
      } else {
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
      }
    }
    if (failed == 0) return fd;
    *error = std::strerror(failed);
    close(fd);
  }
  return -1;
}

}  // namespace

std::unique_ptr<Channel> Channel::Connect(const Address& address, const std::string& secret, Deadline until,
                                          std::string* error) {
  const std::string mine = Nonce();
  const int fd = mine.empty() ? -1 : ConnectTo(address, until, error);
  if (fd < 0) return nullptr;
  std::string hello, answer;
  bool good = ReceiveAll(fd, kHelloBytes, until, &hello, error);
  if (good && hello.substr(0, kMagic.size()) != kMagic) {
    *error = "is no scope of this version of EPIK";
    good = false;
  }
  if (good) {
    const std::string theirs = hello.substr(kMagic.size());
    const Digest proof = Proof(Side::kClient, secret, mine, theirs),
                 expected = Proof(Side::kServer, secret, mine, theirs);
    good = SendAll(fd, mine + std::string(BytesOf(proof)), until, error) &&
           ReceiveAll(fd, expected.size(), until, &answer, error);
    if (good && SameBytes(answer, BytesOf(expected))) {
      return std::make_unique<Channel>(fd, Side::kClient, secret, mine, theirs);
    }
    *error = "does not accept the secret of this run";
  }
  close(fd);
  return nullptr;
}

Channel::Channel(int fd, Side side, const std::string& secret, const std::string& clients, const std::string& servers)
    : fd_(fd),
      tagger_(side, secret, clients, servers),
      reader_(side == Side::kClient ? kMostAnswerBytes : kMostQuestionBytes,
              Tagger(side == Side::kClient ? Side::kServer : Side::kClient, secret, clients, servers)) {
  const int yes = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  // A host that disappears without a message keeps its place for two minutes, not for two hours.
  const int idle = 60, interval = 15, count = 4;
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

Channel::~Channel() { close(fd_); }

bool Channel::Send(Kind kind, const std::string& payload, Deadline until) {
  return SendAll(fd_, PackFrame(kind, payload, &tagger_), until, &error_);
}

bool Channel::Receive(Frame* frame, Deadline until) {
  std::string some;
  for (;;) {
    const FrameState state = reader_.Next(frame);
    if (state == FrameState::kDone) return true;
    if (state == FrameState::kBad) return Fail("sends what does not belong to this connection");
    if (!ReceiveSome(fd_, reader_.Missing(), until, &some, &error_)) return false;
    reader_.Add(some);
  }
}

bool Channel::Waits(Deadline until) const { return Ready(fd_, POLLIN, until) != 0; }

int ListenAt(const std::string& host, uint16_t port, uint16_t* taken, std::string* error) {
  const Found found(host, port, AI_PASSIVE, error);
  for (const addrinfo* at = found.list(); at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 128) == 0 &&
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
      *taken = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                                   : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
      return fd;
    }
    *error = host + ", port " + std::to_string(port) + ": " + std::strerror(errno);
    close(fd);
  }
  return -1;
}

std::string Nonce() {
  std::string bytes(kNonceBytes, '\0');
  for (size_t have = 0; have < bytes.size();) {
    const ssize_t n = getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return "";
    have += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace epik::scopes
