// SPDX-License-Identifier: BSD-3-Clause
// A connection between two stations that have proved themselves to each other. Every step has a deadline.
#ifndef EPIK_TOOLS_SCOPES_CHANNEL_H_
#define EPIK_TOOLS_SCOPES_CHANNEL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/scopes/wire.h"

namespace epik::scopes {

using Deadline = std::chrono::steady_clock::time_point;
inline Deadline In(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

struct Address {
  std::string host;  // a name or a number
  uint16_t port = 0;
};

class Channel {
 public:
  // Connects as a client. Null: *error says why.
  static std::unique_ptr<Channel> Connect(const Address& address, const std::string& secret, Deadline until,
                                          std::string* error);
  // The channel to a client that has proved itself. Takes the socket.
  Channel(int fd, Side side, const std::string& secret, const std::string& clients, const std::string& servers);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // False: the connection cannot be used any more, and error() says why.
  bool Send(Kind kind, const std::string& payload, Deadline until);
  bool Receive(Frame* frame, Deadline until);
  // Whether bytes come before the deadline.
  bool Waits(Deadline until) const;
  const std::string& error() const { return error_; }

 private:
  bool Fail(const std::string& why) {
    error_ = why;
    return false;
  }

  int fd_;
  Tagger tagger_;
  FrameReader reader_;
  std::string error_;
};

// A socket that listens at an address; port 0: any. Negative: *error says why. *port: the port on which it listens.
int ListenAt(const std::string& host, uint16_t port, uint16_t* taken, std::string* error);

// Fresh random bytes; empty when the system cannot give any.
std::string Nonce();

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_CHANNEL_H_
