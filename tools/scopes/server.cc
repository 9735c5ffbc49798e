// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/server.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "runtime/abi/bytes.h"
#include "tools/scopes/remote.h"

namespace epik::scopes {

using archive::BytesIn;
using archive::BytesOut;

namespace {

constexpr size_t kMostStrangers = 64;
constexpr size_t kMostSessions = 16;
constexpr double kGreetingSeconds = 5;  // for a stranger's proof
constexpr double kSendSeconds = 10;     // for a reader
constexpr double kTick = 0.1;
constexpr double kLook = 0.02;  // at buffers that fill before the next question
constexpr double kLongestPull = 60;

bool Refuse(Channel* channel, const std::string& why) {
  channel->Send(Kind::kRefused, why, In(kSendSeconds));
  return false;
}

// Answers a question of a client that has proved itself. False: the client is done.
bool Answer(Channel* channel, const Frame& question, Station* station) {
  BytesOut out;
  switch (question.kind) {
    case Kind::kTime: out.Put(NowSeconds()); return channel->Send(Kind::kNow, out.Take(), In(kSendSeconds));
    case Kind::kPull: {
      BytesIn in(question.payload);
      const auto seconds = in.Get<double>();
      if (!in.good() || !(seconds >= 0) || seconds > kLongestPull) return Refuse(channel, "that is no time");
      return channel->Send(Kind::kBatch, PackBatch(station->Pull(seconds)), In(kSendSeconds));
    }
    default: return Refuse(channel, "that is no question");
  }
}

}  // namespace

Server::Server(const ServerOptions& options, const std::string& secret, MakeOwn make_own)
    : options_(options), secret_(secret), make_own_(std::move(make_own)) {}

Server::~Server() {
  stopped_ = true;
  for (Session& session : sessions_) session.thread.join();
  for (const Stranger& stranger : strangers_) close(stranger.fd);
  if (listener_ >= 0) close(listener_);
}

bool Server::Listen(std::string* error) {
  listener_ = ListenAt(options_.listen, options_.port, &port_, error);
  return listener_ >= 0;
}

size_t Server::sessions() const {
  return static_cast<size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const Session& s) { return !s.is_over; }));
}

void Server::ServeUntil(Deadline until) {
  while (std::chrono::steady_clock::now() < until) {
    std::vector<pollfd> fds = {{listener_, POLLIN, 0}};
    for (const Stranger& stranger : strangers_) fds.push_back({stranger.fd, POLLIN, 0});
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::min(until, In(kTick)) - std::chrono::steady_clock::now());
    if (poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(0, left.count()))) < 0 && errno != EINTR)
      return;
    size_t i = 1;
    for (auto stranger = strangers_.begin(); stranger != strangers_.end(); ++i) {
      const bool stays =
          (fds[i].revents == 0 || Hear(&*stranger)) && std::chrono::steady_clock::now() < stranger->until;
      if (!stays && stranger->fd >= 0) close(stranger->fd);
      stranger = stays ? std::next(stranger) : strangers_.erase(stranger);
    }
    if (fds[0].revents != 0) Accept();
    Sweep();
  }
}

// The oldest stranger makes room for the newest, so that a crowd of strangers cannot keep out a client that answers at
// once.
void Server::Accept() {
  for (int i = 0; i < 16; ++i) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    if (strangers_.size() >= kMostStrangers) {
      close(strangers_.front().fd);
      strangers_.pop_front();
    }
    Stranger stranger = {fd, Nonce(), "", In(kGreetingSeconds)};
    const std::string hello = std::string(kMagic) + stranger.nonce;
    // An empty buffer always takes so few bytes.
    if (stranger.nonce.empty() ||
        send(fd, hello.data(), hello.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(hello.size())) {
      close(fd);
      continue;
    }
    strangers_.push_back(std::move(stranger));
  }
}

// False: the stranger has proved itself, or is refused.
bool Server::Hear(Stranger* stranger) {
  char bytes[kGreetingBytes];
  const ssize_t n = recv(stranger->fd, bytes, kGreetingBytes - stranger->in.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n <= 0) return false;
  stranger->in.append(bytes, static_cast<size_t>(n));
  if (stranger->in.size() < kGreetingBytes) return true;
  const std::string theirs = stranger->in.substr(0, kNonceBytes);
  const Digest expected = Proof(Side::kClient, secret_, theirs, stranger->nonce);
  const bool good = SameBytes(std::string_view(stranger->in).substr(kNonceBytes), BytesOf(expected));
  if (!good || sessions() >= kMostSessions) return false;
  Begin(*stranger);
  stranger->fd = -1;
  return false;
}

void Server::Begin(const Stranger& stranger) {
  const std::string theirs = stranger.in.substr(0, kNonceBytes);
  const Digest proof = Proof(Side::kServer, secret_, theirs, stranger.nonce);
  const std::string_view bytes = BytesOf(proof);
  if (send(stranger.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
    close(stranger.fd);
    return;
  }
  Session& session = sessions_.emplace_back();
  session.channel = std::make_unique<Channel>(stranger.fd, Side::kServer, secret_, theirs, stranger.nonce);
  session.thread = std::thread([this, &session] {
    Work(&session);
    session.is_over = true;
  });
}

std::unique_ptr<Station> Server::OpenStation(const std::string& bytes, std::string* error) const {
  Opening opening;
  Plan plan;
  *error = "that is no plan";
  if (!UnpackOpening(bytes, &opening) || !ParseDescription(opening.plan, "plan", &plan, error)) return nullptr;
  // Linux has a niceness for each thread. Threads that it starts inherit it.
  if (plan.low_priority) setpriority(PRIO_PROCESS, 0, 19);
  auto station = std::make_unique<Station>(plan, make_own_(plan, opening.from_now), false);
  for (auto& child : MakeChildren(plan, secret_, opening.behind, opening.from_now)) station->Add(std::move(child));
  return station;
}

void Server::Work(Session* session) const {
  Channel* channel = session->channel.get();
  std::unique_ptr<Station> station;
  while (!stopped_) {
    if (!channel->Waits(In(station == nullptr ? kTick : kLook))) {
      if (station != nullptr) station->ReadIfFilling();
      continue;
    }
    Frame question;
    if (!channel->Receive(&question, In(kSendSeconds))) return;
    if (station != nullptr) {
      if (!Answer(channel, question, station.get())) return;
      continue;
    }
    std::string error = "a plan comes first";
    if (question.kind == Kind::kOpen) station = OpenStation(question.payload, &error);
    if (station == nullptr) {
      Refuse(channel, error);
      return;
    }
    if (!channel->Send(Kind::kOpened, "", In(kSendSeconds))) return;
  }
}

void Server::Sweep() {
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    if (!session->is_over) {
      ++session;
      continue;
    }
    session->thread.join();
    session = sessions_.erase(session);
  }
}

}  // namespace epik::scopes
