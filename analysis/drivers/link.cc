// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace epik::drivers {

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kSecret = 32;  // letters

bool SendAll(int descriptor, const void* from, size_t bytes) {
  for (const char* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t sent = send(descriptor, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool ReceiveAll(int descriptor, void* to, size_t bytes) {
  for (char* at = static_cast<char*>(to); bytes > 0;) {
    errno = 0;  // at the end of the data, recv leaves it alone
    const ssize_t got = recv(descriptor, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

std::string MeetingPlace(const Launch& launch, const std::string& folder) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : launch.key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  char name[32];
  snprintf(name, sizeof name, "/.epk-%016llx", static_cast<unsigned long long>(hash));
  return folder + name;
}

std::string NewSecret() {
  unsigned char random[kSecret / 2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return "";
  std::string secret;
  for (const unsigned char byte : random) {
    secret += "0123456789abcdef"[byte >> 4];
    secret += "0123456789abcdef"[byte & 15];
  }
  return secret;
}

// Makes a socket that listens, and tells its port.
Link Listen(bool one_host, uint16_t* port) {
  Link link(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY);
  socklen_t size = sizeof at;
  if (!link.is_open() || bind(link.descriptor(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
      listen(link.descriptor(), SOMAXCONN) != 0 ||
      getsockname(link.descriptor(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    return Link();
  }
  *port = ntohs(at.sin_port);
  return link;
}

// Leaves the address in a file that only this user may read.
bool LeaveAddress(const std::string& place, const std::string& text) {
  const std::string half = place + "." + std::to_string(getpid());
  const int file = open(half.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  if (written && rename(half.c_str(), place.c_str()) == 0) return true;
  unlink(half.c_str());
  return false;
}

void SendAtOnce(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Receives within that time, so that neither end waits for a program that sends nothing.
bool ReceiveInTime(int descriptor, void* to, size_t bytes, time_t seconds) {
  const timeval patience{seconds, 0}, forever{0, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const bool received = ReceiveAll(descriptor, to, bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  return received;
}

// The time in which a process that has connected must say who it is.
constexpr std::chrono::seconds kMeeting(2);

std::string NameOf(const Launch& launch) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return "rank " + std::to_string(launch.rank) + " (process " + std::to_string(getpid()) + " on " + host + ")";
}

// Both ends tell their names.
bool TellNames(Link* link, const Launch& launch) {
  Note note;
  link->LimitWaits(kMeeting);
  if (!link->Send(kBeat, 0, WordsOf(NameOf(launch))) || !link->Receive(&note)) return false;
  link->set_whom(TextOf(note.words));
  link->LimitWaits(kPatience);
  return true;
}

// Both ends send the secret, so that neither takes another program for its partner.
bool Greet(int descriptor, const std::string& secret) {
  char theirs[kSecret];
  const bool same =
      ReceiveInTime(descriptor, theirs, kSecret, kMeeting.count()) && memcmp(theirs, secret.data(), kSecret) == 0;
  SendAtOnce(descriptor);
  return same;
}

// Compares the numbers of two processes' protocols. Earlier versions of epk send no number. Returns a sentence when the
// processes do not understand each other.
std::string CompareProtocols(uint64_t own, std::optional<uint64_t> theirs, const char* whose) {
  if (theirs == own) return "";
  return std::string("the processes are of different versions of epk: this one speaks protocol ") +
         std::to_string(own) + ", " + whose + " speaks " +
         (theirs.has_value() ? "protocol " + std::to_string(*theirs) : "an earlier one without a number");
}

// For rank 0. A process that joins sends its protocol along with the secret, so the number does not come later.
std::string CompareWithJoined(int descriptor, uint64_t own) {
  uint64_t theirs = 0;
  const bool told = ReceiveInTime(descriptor, &theirs, sizeof theirs, 1);
  return CompareProtocols(own, told ? std::optional(theirs) : std::nullopt, "another one of the launch");
}

// A process that joins sends its protocol even if rank 0 has another one, so that rank 0 notices the difference, too. A
// rank 0 of an earlier version would take the number for a note.
bool Introduce(int descriptor, const std::string& secret, uint64_t own, std::optional<uint64_t> theirs) {
  std::string words = secret;
  words.append(reinterpret_cast<const char*>(&own), sizeof own);
  const bool sent = !theirs.has_value() || SendAll(descriptor, words.data(), words.size());
  const std::string problem = CompareProtocols(own, theirs, "rank 0");
  if (!problem.empty()) throw std::runtime_error(problem);
  return sent;
}

Link Connect(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return Link();
  Link link(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected = link.is_open() && connect(link.descriptor(), found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  return connected ? std::move(link) : Link();
}

}  // namespace

// The length of the text, then its bytes.
std::vector<uint64_t> WordsOf(const std::string& text) {
  std::vector<uint64_t> words(1 + (text.size() + 7) / 8);
  words[0] = text.size();
  if (!text.empty()) memcpy(&words[1], text.data(), text.size());
  return words;
}

std::string TextOf(const std::vector<uint64_t>& words) {
  if (words.empty() || words[0] > (words.size() - 1) * 8) return "";
  return words[0] == 0 ? "" : std::string(reinterpret_cast<const char*>(&words[1]), words[0]);
}

Link::Link(Link&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      whom_(std::move(other.whom_)),
      patience_(other.patience_),
      shared_(std::move(other.shared_)) {}

Link& Link::operator=(Link&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(whom_, other.whom_);
  std::swap(patience_, other.patience_);
  std::swap(shared_, other.shared_);
  return *this;
}

Link::~Link() {
  if (descriptor_ >= 0) close(descriptor_);
}

// A process that is stopped itself starts its waits anew when it goes on (EINTR).
void Link::LimitWaits(std::chrono::milliseconds patience) {
  patience_ = patience;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience);
  const timeval limit{seconds.count(), std::chrono::microseconds(patience - seconds).count()};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

std::pair<Link, Link> Link::Pair() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::pair<Link, Link>();
  return {Link(ends[0]), Link(ends[1])};
}

std::string Link::SaySilence() const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_).count();
  return whom_ + " was silent for " + std::to_string(seconds) + " s: it is stopped, or its host is gone";
}

// Call it right after the system call. The kernel's own limit (ETIMEDOUT) finds hosts that are gone.
bool Link::NoteSilence(bool done) {
  if (!done && (errno == EAGAIN || errno == ETIMEDOUT)) shared_->was_silent = true;
  return done;
}

bool Link::Send(uint32_t kind, uint32_t location, const std::vector<uint64_t>& words) {
  const uint64_t head[2] = {kind | uint64_t{location} << 32, words.size()};
  const std::lock_guard<std::mutex> guard(shared_->sending);
  const bool sent = NoteSilence(SendAll(descriptor_, head, sizeof head) &&
                                (words.empty() || SendAll(descriptor_, words.data(), words.size() * sizeof(uint64_t))));
  // After a part of a note nobody understands the next one.
  if (!sent && descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
  return sent;
}

void Link::Beat() {
  const std::unique_lock<std::mutex> guard(shared_->sending, std::try_to_lock);
  pollfd room{descriptor_, POLLOUT, 0};
  if (!guard.owns_lock() || poll(&room, 1, 0) <= 0 || (room.revents & POLLOUT) == 0) return;
  const uint64_t head[2] = {kBeat, 0};
  SendAll(descriptor_, head, sizeof head);  // there is room for that
}

bool Link::Receive(Note* note) {
  const auto receive = [this](void* to, size_t bytes) { return NoteSilence(ReceiveAll(descriptor_, to, bytes)); };
  // Memory grows with the data that comes, not with the size that the other end announces.
  constexpr uint64_t kMostWords = uint64_t{1} << 32, kAtOnce = uint64_t{1} << 16;
  uint64_t head[2];
  if (!receive(head, sizeof head) || head[1] > kMostWords) return false;
  note->kind = static_cast<uint32_t>(head[0]);
  note->location = static_cast<uint32_t>(head[0] >> 32);
  std::vector<uint64_t>& words = note->words;
  words.clear();
  while (words.size() < head[1]) {
    const size_t known = words.size(), more = std::min(head[1] - known, kAtOnce);
    words.resize(known + more);
    if (!receive(&words[known], more * sizeof(uint64_t))) return false;
  }
  return true;
}

Pulse::Pulse(std::vector<Link*> links, std::chrono::milliseconds interval)
    : links_(std::move(links)), thread_([this, interval] { Work(interval); }) {}

Pulse::~Pulse() {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Pulse::Work(std::chrono::milliseconds interval) {
  std::unique_lock<std::mutex> guard(lock_);
  while (!ended_.wait_for(guard, interval, [this] { return ending_; })) {
    for (Link* link : links_) link->Beat();
  }
}

std::vector<Link> Gather(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience,
                         uint64_t protocol) {
  std::vector<Link> links;
  uint16_t port = 0;
  const Link listener = Listen(launch.one_host, &port);
  const std::string secret = NewSecret(), place = MeetingPlace(launch, folder);
  char host[256] = "127.0.0.1";
  if (!launch.one_host) gethostname(host, sizeof host - 1);
  if (launch.key.empty() || secret.empty() || !listener.is_open() ||
      !LeaveAddress(place, std::string(host) + " " + std::to_string(port) + " " + secret + " " +
                               std::to_string(protocol) + "\n")) {
    return links;
  }
  std::string problem;
  const Clock::time_point until = Clock::now() + patience;
  while (problem.empty() && static_cast<int>(links.size()) + 1 < launch.size) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready{listener.descriptor(), POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) break;
    Link link(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!link.is_open() || !Greet(link.descriptor(), secret)) continue;
    problem = CompareWithJoined(link.descriptor(), protocol);
    if (problem.empty() && SendAll(link.descriptor(), secret.data(), kSecret) && TellNames(&link, launch)) {
      links.push_back(std::move(link));
    }
  }
  unlink(place.c_str());
  if (!problem.empty()) throw std::runtime_error(problem);
  return links;
}

Link Join(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience, uint64_t protocol) {
  const std::string place = MeetingPlace(launch, folder);
  const Clock::time_point until = Clock::now() + patience;
  while (!launch.key.empty() && Clock::now() < until) {
    std::ifstream file(place);
    std::string host, port, secret;
    if (file >> host >> port >> secret && secret.size() == kSecret) {
      uint64_t number = 0;
      const std::optional<uint64_t> theirs = file >> number ? std::optional(number) : std::nullopt;
      Link link = Connect(host, port);
      if (link.is_open() && Introduce(link.descriptor(), secret, protocol, theirs) &&
          Greet(link.descriptor(), secret) && TellNames(&link, launch)) {
        return link;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Link();
}

}  // namespace epik::drivers
