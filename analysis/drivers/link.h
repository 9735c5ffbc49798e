// SPDX-License-Identifier: BSD-3-Clause
// Connections between the processes of a launch: rank 0 listens and leaves its address with a secret in a file, which
// the others find in the folder that all of them work on. Processes of two versions refuse each other.
#ifndef EPIK_ANALYSIS_DRIVERS_LINK_H_
#define EPIK_ANALYSIS_DRIVERS_LINK_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/drivers/launch.h"

namespace epik::drivers {

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
  Link(Link&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Link& operator=(Link&& other) noexcept;
  ~Link();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // Returns false when the other end is gone.
  bool Send(uint32_t kind, uint32_t location, const std::vector<uint64_t>& words = {});
  bool Receive(Note* note);

  // The two ends of one connection, for tests.
  static std::pair<Link, Link> Pair();

 private:
  int descriptor_;
};

// The number of the language that processes speak over links. Each change of it gets the next number: of kinds of
// notes, of their words, and of events within batches.
constexpr uint64_t kProtocol = 1;

// Both functions below throw when the other end speaks another protocol.
// Rank 0 calls it: returns the links to all ranks that come within that time, which may be none.
std::vector<Link> Gather(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience,
                         uint64_t protocol = kProtocol);
// The other ranks call it. The link is not open when rank 0 was not there within that time.
Link Join(const Launch& launch, const std::string& folder, std::chrono::milliseconds patience,
          uint64_t protocol = kProtocol);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_LINK_H_
