// SPDX-License-Identifier: BSD-3-Clause
// Connections between the processes of a launch: rank 0 listens and leaves its address with a secret in a file, which
// the others find in the folder that all of them work on. Processes of two versions refuse each other.
#ifndef EPIK_ANALYSIS_DRIVERS_LINK_H_
#define EPIK_ANALYSIS_DRIVERS_LINK_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "analysis/drivers/launch.h"

namespace epik::drivers {

// The kind of notes that only tell that their sender lives. Other kinds are those of the users of links.
constexpr uint32_t kBeat = 0;

// A process whose other end says nothing for that long gives it up: that end is stopped, or its host is gone.
constexpr std::chrono::seconds kPatience(60);

struct Note {
  uint32_t kind = 0, location = 0;
  std::vector<uint64_t> words;
};

// A text as the words of a note.
std::vector<uint64_t> WordsOf(const std::string& text);
std::string TextOf(const std::vector<uint64_t>& words);

// One end of a connection, which its destructor closes.
class Link {
 public:
  explicit Link(int descriptor = -1) : descriptor_(descriptor) {}
  Link(Link&& other) noexcept;
  Link& operator=(Link&& other) noexcept;
  ~Link();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // Names the process at the other end for messages.
  const std::string& whom() const { return whom_; }
  void set_whom(std::string whom) { whom_ = std::move(whom); }

  // From now on, Send and Receive fail when the other end does nothing for that long.
  void LimitWaits(std::chrono::milliseconds patience);
  // Says in a sentence that the other end did nothing for that long.
  std::string SaySilence() const;
  // Returns false when the other end is gone. Several threads may send at the same time.
  bool Send(uint32_t kind, uint32_t location, const std::vector<uint64_t>& words = {});
  // Sends a note of kind kBeat, unless notes are on their way that the other end has not read. It never waits.
  void Beat();
  bool Receive(Note* note);
  // Whether one of them failed because the other end did nothing for that long.
  bool was_silent() const { return shared_->was_silent; }

  // The two ends of one connection, for tests.
  static std::pair<Link, Link> Pair();

 private:
  // Between threads that send and one that receives.
  struct Shared {
    std::mutex sending;
    std::atomic<bool> was_silent = false;
  };

  bool NoteSilence(bool done);

  int descriptor_;
  std::string whom_ = "another process";
  std::chrono::milliseconds patience_{0};  // 0: without end
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

// A thread that sends beats over links while it exists, so that the other ends can tell a process that works for a long
// time from one that is stopped.
class Pulse {
 public:
  // The links outlive it.
  Pulse(std::vector<Link*> links, std::chrono::milliseconds interval);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  void Work(std::chrono::milliseconds interval);

  const std::vector<Link*> links_;
  std::mutex lock_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;
};

// The time from beat to beat of processes with that patience.
inline std::chrono::milliseconds BeatOf(std::chrono::milliseconds patience) { return patience / 60; }

// The number of the language that processes speak over links. Each change of it gets the next number: of kinds of
// notes, of their words, of events within batches, and of what processes say when they meet.
constexpr uint64_t kProtocol = 2;

// Both functions below throw when the other end speaks another protocol. Their links know the process at the other end,
// and wait no longer for it than kPatience.
// Rank 0 calls it: returns the links to all ranks that come within that time, which may be none.
std::vector<Link> Gather(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience,
                         uint64_t protocol = kProtocol);
// The other ranks call it. The link is not open when rank 0 was not there within that time.
Link Join(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience,
          uint64_t protocol = kProtocol);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_LINK_H_
