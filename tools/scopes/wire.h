// SPDX-License-Identifier: BSD-3-Clause
// The protocol between stations (docs/scopes.md), without the sockets. Both ends prove that they know
// the secret of the run by answering the other one's nonce; each frame has a tag that only they can make, over its
// place in the connection. So nothing can be read into a connection, changed, left out or repeated.
//
//   server   "EPKSCOP4", 32 bytes that were never used before
//   client   32 such bytes, the client's proof
//   server   the server's proof
//   both     frames: length of kind and payload (4), kind (1), payload, tag (16)
#ifndef EPIK_TOOLS_SCOPES_WIRE_H_
#define EPIK_TOOLS_SCOPES_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/scopes/hmac.h"

namespace epik::scopes {

inline constexpr std::string_view kMagic = "EPKSCOP4";
inline constexpr size_t kNonceBytes = 32;
inline constexpr size_t kHelloBytes = 8 + kNonceBytes;      // of the server
inline constexpr size_t kGreetingBytes = kNonceBytes + 32;  // of the client
inline constexpr size_t kTagBytes = 16;
inline constexpr size_t kMostQuestionBytes = size_t{1} << 17;  // the most that a server reads
inline constexpr size_t kMostAnswerBytes = size_t{256} << 20;  // the most that a client reads

enum class Kind : uint8_t {
  kOpen = 1,  // the client's plan, and which hosts to gather from
  kTime = 2,  // asks for the time there
  kPull = 3,  // asks for new data
  kOpened = 11,
  kRefused = 12,  // and why
  kNow = 13,
  kBatch = 14
};

enum class Side { kClient, kServer };

// The proof of one side, over the nonces of this connection.
Digest Proof(Side side, std::string_view secret, std::string_view clients, std::string_view servers);

// One direction of a connection.
class Tagger {
 public:
  Tagger() = default;
  Tagger(Side from, std::string_view secret, std::string_view clients, std::string_view servers);
  // Returns the tag of the next frame; `body`: its kind and payload.
  std::string Next(std::string_view body);

 private:
  Digest key_ = {};
  uint64_t count_ = 0;
};

std::string PackFrame(Kind kind, std::string_view payload, Tagger* tagger);

struct Frame {
  Kind kind = Kind::kRefused;
  std::string payload;
};

enum class FrameState { kIncomplete, kDone, kBad };

// Reads frames from the bytes of a stranger, or of a peer that has proved itself.
class FrameReader {
 public:
  FrameReader(size_t most, Tagger tagger) : most_(most), tagger_(tagger) {}

  void Add(std::string_view bytes) { bytes_ += bytes; }
  // Takes the next frame. kBad: the connection cannot be used any more.
  FrameState Next(Frame* frame);
  // Bytes that the next frame lacks at least; bounded by `most`.
  size_t Missing() const;

 private:
  size_t most_;
  Tagger tagger_;
  std::string bytes_;
  bool is_bad_ = false;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_WIRE_H_
