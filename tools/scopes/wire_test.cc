// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/scopes/batch.h"

namespace epik::scopes {
namespace {

std::string Hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string Sha(std::string_view text) {
  Sha256 sha;
  sha.Add(text);
  return Hex(sha.Finish());
}

// The examples of FIPS 180-4 and RFC 4231.
TEST(Hmac, MakesTheDigestsOfTheStandards) {
  EXPECT_EQ(Sha(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(Hex(Hmac(std::string(20, '\x0b'), {"Hi There"})),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(Hmac("Jefe", {"what do ya want ", "for nothing?"})),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(Hmac(std::string(131, '\xaa'), {"Test Using Larger Than Block-Size Key - Hash Key First"})),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

class Frames : public testing::Test {
 protected:
  static FrameReader ReaderOf(Side from) { return {1000, Tagger(from, "secret", "client", "server")}; }
  Tagger client_ = Tagger(Side::kClient, "secret", "client", "server");
  Frame frame_;
};

TEST_F(Frames, ComeInAnyPieces) {
  std::string bytes = PackFrame(Kind::kPull, "one", &client_);
  bytes += PackFrame(Kind::kTime, "", &client_);
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader = ReaderOf(Side::kClient);
    std::string got;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.Add(std::string_view(bytes).substr(at, piece));
      while (reader.Next(&frame_) == FrameState::kDone) got += frame_.payload + ";";
    }
    EXPECT_EQ(got, "one;;") << piece;
  }
}

TEST_F(Frames, ThatWereChangedRepeatedSwappedOrMadeByOthersAreRefused) {
  const std::string first = PackFrame(Kind::kPull, "one", &client_);
  const std::string second = PackFrame(Kind::kPull, "two", &client_);
  for (size_t at = 0; at < first.size(); ++at) {
    std::string changed = first;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    FrameReader reader = ReaderOf(Side::kClient);
    reader.Add(changed);
    EXPECT_NE(reader.Next(&frame_), FrameState::kDone) << at;
  }
  for (const std::string& bytes : {first + first, second, first + second.substr(0, 8) + first}) {
    FrameReader reader = ReaderOf(Side::kClient);
    reader.Add(bytes);
    while (reader.Next(&frame_) == FrameState::kDone) EXPECT_EQ(frame_.payload, "one");
    EXPECT_EQ(reader.Next(&frame_), FrameState::kBad);
  }
  FrameReader other = ReaderOf(Side::kServer);  // sent back to where it came from
  other.Add(first);
  EXPECT_EQ(other.Next(&frame_), FrameState::kBad);
  FrameReader later = {1000, Tagger(Side::kClient, "secret", "client", "another connection")};
  later.Add(first);
  EXPECT_EQ(later.Next(&frame_), FrameState::kBad);
}

TEST_F(Frames, ThatAreTooLongAreRefusedBeforeTheyCome) {
  FrameReader reader = ReaderOf(Side::kClient);
  reader.Add(std::string_view("\xff\xff\xff\x7f", 4));
  EXPECT_EQ(reader.Missing(), 0u);
  EXPECT_EQ(reader.Next(&frame_), FrameState::kBad);
}

TEST(Proof, HoldsForOneConnectionAndOneSide) {
  const Digest proof = Proof(Side::kClient, "secret", "a", "b");
  EXPECT_EQ(proof, Proof(Side::kClient, "secret", "a", "b"));
  EXPECT_NE(proof, Proof(Side::kServer, "secret", "a", "b"));
  EXPECT_NE(proof, Proof(Side::kClient, "Secret", "a", "b"));
  EXPECT_NE(proof, Proof(Side::kClient, "secret", "a", "c"));
}

TEST(Batch, ComesOutAsItWentIn) {
  Batch batch;
  batch.paths = {{0, "main"}, {1, "main > solve"}};
  batch.communicators = {{~uint64_t{0}, 4, "MPI_COMM_WORLD"}};
  batch.hosts = {{"a", 3, 2, 7, true, false, ""}, {"b", 0, 0, 0, false, false, "does not answer"}};
  batch.program = "solver";
  batch.ranks = 4;
  batch.times = {1.5, 7};
  batch.scopes.resize(2);
  batch.scopes[0].parts = {{1, 2, 3, 4, 1, 5, 6}};
  batch.scopes[0].waited = 2.5;
  batch.scopes[1].meetings = {{1, 2, 3, 4, 0, 5, 6}};
  batch.scopes[1].work.useful = 9;
  const std::string bytes = PackBatch(batch);
  Batch again;
  ASSERT_TRUE(UnpackBatch(bytes, 2, &again));
  EXPECT_EQ(PackBatch(again), bytes);
  EXPECT_EQ(again.times.read, 7);
  EXPECT_EQ(again.hosts[0].paused, 2u);
  EXPECT_EQ(again.hosts[1].lost, "does not answer");
  EXPECT_EQ(again.scopes[0].parts[0].left, 6);
  EXPECT_FALSE(UnpackBatch(bytes, 1, &again));
  EXPECT_FALSE(UnpackBatch(bytes, 3, &again));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(UnpackBatch(bytes.substr(0, size), 2, &again));
}

}  // namespace
}  // namespace epik::scopes
