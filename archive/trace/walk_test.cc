// SPDX-License-Identifier: BSD-3-Clause
// Walks traces of two processes that were written by hand: parts have whole calls, and each message has the send and
// the receive that MPI's rules give it.
#include "archive/trace/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "archive/files/atomic_file.h"
#include "archive/files/manifest.h"
#include "archive/trace/file_writer.h"

namespace epik::archive {
namespace {

using event::RecordKind;
using Lines = std::vector<std::string>;

constexpr uint64_t kAny = ~uint64_t{0};
constexpr uint32_t kMain = static_cast<uint32_t>(RecordKind::kEnter), kWork = kMain + 1;

Event At(uint64_t ns, RecordKind kind, std::initializer_list<uint64_t> fields = {}) {
  Event event{};
  event.time = ns;
  event.kind = kind;
  event.fields = static_cast<uint32_t>(fields.size());
  std::copy(fields.begin(), fields.end(), event.field);
  return event;
}

Event Enter(uint64_t ns, uint32_t node) {
  Event event = At(ns, RecordKind::kEnter);
  event.node = node;
  return event;
}

// Messages with tag 7 in MPI_COMM_WORLD, of 64 bytes.
Event SendTo(uint64_t to, uint64_t ns) { return At(ns, RecordKind::kSend, {to, 7, 0, 64}); }
Event ReceiveFrom(uint64_t from, uint64_t ns) { return At(ns, RecordKind::kReceive, {from, 7, 0, 64}); }
Event Posted(uint64_t from, uint64_t tag, uint64_t request, uint64_t ns) {
  return At(ns, RecordKind::kReceivePosted, {from, tag, 0, request});
}
Event Ended(uint64_t from, uint64_t request, uint64_t ns) {
  return At(ns, RecordKind::kReceiveEnd, {from, 7, 0, 64, request});
}

class Told : public TraceVisitor {
 public:
  explicit Told(const TracePart& part) : part_(part) {}
  void Enter(uint32_t stream, int64_t ns, const Frame& frame) override { Say(stream, ns, "> ", frame); }
  void Leave(uint32_t stream, int64_t ns, const Frame& frame) override { Say(stream, ns, "< ", frame); }
  void Record(uint32_t, int64_t, const Event&) override { ++records; }
  void Message(const archive::Message& message) override {
    messages.push_back(Text(message.send) + " to " + Text(message.receive));
  }

  Lines calls, messages;
  int records = 0;

 private:
  static std::string Text(const archive::Message::End& end) {
    return std::to_string(end.stream) + "@" + std::to_string(end.ns);
  }
  void Say(uint32_t stream, int64_t ns, const char* how, const Frame& frame) {
    calls.push_back(std::to_string(stream) + "@" + std::to_string(ns) + " " + how +
                    std::string(NameOf(part_, stream, frame)) + " since " + std::to_string(frame.begin));
  }
  const TracePart& part_;
};

// The trace of two processes, each with one thread. A tick takes a nanosecond.
class WalkTest : public ::testing::Test {
 protected:
  void Make(const std::vector<Event>& first, const std::vector<Event>& second, uint64_t last_ticks = 0) {
    const std::string path = ::testing::TempDir() + "/walk";
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    TraceDefinitions all;
    all.profile.regions.resize(2);
    all.profile.regions[0].name = "main";
    all.profile.regions[1].name = "work";
    all.profile.call_paths = {{0, kNone}, {1, 0}};
    all.profile.hosts = {{"host"}};
    all.communicators = {{"MPI_COMM_WORLD", {0, 1}, {}}};
    std::vector<ProcessMap> maps;
    std::string error;
    for (uint32_t rank = 0; rank < 2; ++rank) {
      all.profile.processes.push_back({0, static_cast<int>(rank), ""});
      all.profile.locations.push_back({rank, 0, ""});
      ProcessMap map;
      map.rank = static_cast<int32_t>(rank);
      map.process_id = rank + 1;
      map.file = std::to_string(rank) + ".elg";
      map.clock.seconds_per_tick = 1e-9;
      map.last_ticks = last_ticks;
      map.nodes = {{kMain, 0}, {kWork, 1}};
      map.communicators = {{0, 0}};
      FileWriter file;
      file.Open(path + "/" + map.file, map.process_id);
      file.Begin(0);
      for (const Event& event : rank == 0 ? first : second) file.Put(event);
      ASSERT_TRUE(file.Finish(map.rank, &error)) << error;
      maps.push_back(map);
    }
    Manifest manifest;
    manifest.ranks = 2;
    manifest.trace.there = true;
    ASSERT_TRUE(WriteFileAtomically(path + "/" + kDefinitionsName, PackDefinitions(all), &error)) << error;
    ASSERT_TRUE(WriteMaps(path + "/" + kMapsName, maps, &error)) << error;
    ASSERT_TRUE(WriteFileAtomically(path + "/manifest.json", manifest.ToJson(), &error)) << error;
    ASSERT_TRUE(archive_.Open(path, &error)) << error;
    ASSERT_EQ(archive_.streams().size(), 2u);
  }
  Told WalkPart(int64_t from = INT64_MIN, int64_t to = INT64_MAX) {
    part_ = {.archive = &archive_, .streams = {0, 1}, .from = from, .to = to};
    Told told(part_);
    const WalkResult result = Walk(part_, &told);
    EXPECT_EQ(result.problems, Lines{});
    unmatched_ = result.unmatched;
    return told;
  }

  TraceArchive archive_;
  TracePart part_;
  uint64_t unmatched_ = 0;
};

TEST_F(WalkTest, CallsAreWhole) {
  Make({Enter(2, kMain), Enter(3, kWork), At(6, RecordKind::kExit)}, {Enter(4, kMain), At(5, RecordKind::kExit)}, 10);
  EXPECT_EQ(WalkPart().calls, (Lines{"0@2 > main since 2", "0@3 > work since 3", "1@4 > main since 4",
                                     "1@5 < main since 4", "0@6 < work since 3", "0@10 < main since 2"}));
  EXPECT_EQ(FirstNs(part_), 2);
  EXPECT_EQ(LastNs(part_), 10);
  EXPECT_EQ(CountEvents(part_), 5u);
  EXPECT_EQ(WalkPart(5, 7).calls, (Lines{"0@5 > main since 5", "0@5 > work since 5", "1@5 > main since 5",
                                         "1@5 < main since 5", "0@6 < work since 5", "0@7 < main since 5"}));
  EXPECT_EQ(FirstNs(part_), 5);
  EXPECT_EQ(LastNs(part_), 7);
  EXPECT_EQ(WalkPart(20).calls, (Lines{"0@20 > main since 20", "0@20 < main since 20"}));
  part_ = {.archive = &archive_, .streams = {1}};
  EXPECT_EQ(FirstNs(part_), 4);
  EXPECT_EQ(CountEvents(part_), 2u);
}

TEST_F(WalkTest, MessagesOfAChannelKeepTheirOrder) {
  Make({SendTo(1, 2), SendTo(1, 3), At(4, RecordKind::kSend, {1, 8, 0, 64})}, {ReceiveFrom(0, 5), ReceiveFrom(0, 6)});
  EXPECT_EQ(WalkPart().messages, (Lines{"0@2 to 1@5", "0@3 to 1@6"}));
  EXPECT_EQ(unmatched_, 1u);
  const Told part = WalkPart(3);
  EXPECT_EQ(part.messages, Lines{"0@3 to 1@6"});
  EXPECT_EQ(part.records, 4);
  EXPECT_EQ(unmatched_, 2u);
}

TEST_F(WalkTest, ReceivesTakeMessagesInTheOrderOfPosting) {
  Make({SendTo(1, 3), SendTo(1, 4)}, {Posted(kAny, kAny, 5, 1), Posted(0, 7, 6, 2), Ended(0, 6, 8), Ended(0, 5, 9)});
  Lines messages = WalkPart().messages;
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages, (Lines{"0@3 to 1@9", "0@4 to 1@8"}));
  EXPECT_EQ(unmatched_, 0u);
}

TEST_F(WalkTest, AReceiveBehindOneThatNeverEndsIsToldAtTheEnd) {
  Make({SendTo(1, 3)}, {Posted(kAny, 7, 5, 1), ReceiveFrom(0, 6)});
  EXPECT_EQ(WalkPart().messages, Lines{"0@3 to 1@6"});
  EXPECT_EQ(unmatched_, 0u);
}

TEST_F(WalkTest, ARefusedSendHasNoMessage) {
  Make({SendTo(1, 2), At(3, RecordKind::kSendRefused, {0}), SendTo(1, 4), SendTo(1, 5)},
       {ReceiveFrom(0, 6), ReceiveFrom(0, 7)});
  EXPECT_EQ(WalkPart().messages, (Lines{"0@4 to 1@6", "0@5 to 1@7"}));
  EXPECT_EQ(unmatched_, 0u);
}

TEST_F(WalkTest, ACancelledSendHasNoMessage) {
  const auto begin = [](uint64_t to, uint64_t ns) { return At(ns, RecordKind::kSendBegin, {to, 7, 0, 64, 9}); };
  Make({begin(1, 2), SendTo(1, 3), At(4, RecordKind::kRequestCancelled, {9}), ReceiveFrom(1, 6)},
       {begin(0, 1), ReceiveFrom(0, 5)});
  EXPECT_EQ(WalkPart().messages, (Lines{"0@3 to 1@5", "1@1 to 0@6"}));
  EXPECT_EQ(unmatched_, 0u);
}

TEST_F(WalkTest, AFreedReceiveTakesItsMessage) {
  Make({SendTo(1, 3), SendTo(1, 4)}, {Posted(0, 7, 9, 1), At(2, RecordKind::kRequestFreed, {9}), ReceiveFrom(0, 8)});
  EXPECT_EQ(WalkPart().messages, Lines{"0@4 to 1@8"});
  EXPECT_EQ(unmatched_, 0u);
}

TEST_F(WalkTest, AFreedReceiveFromAnyoneTakesTheMessageThatARecordTells) {
  Make({SendTo(1, 3), SendTo(1, 4)}, {Posted(kAny, 7, 9, 1), At(2, RecordKind::kRequestFreed, {9}),
                                      At(6, RecordKind::kFreedReceived, {0, 7, 0, 9}), ReceiveFrom(0, 8)});
  EXPECT_EQ(WalkPart().messages, Lines{"0@4 to 1@8"});
  EXPECT_EQ(unmatched_, 0u);
}

// The first message was sent before the trace began, and of the third one nobody knows the turn.
TEST_F(WalkTest, ARecordTellsTheTurnOfTheMessageBehindIt) {
  const auto turn = [](uint64_t number, uint64_t ns) { return At(ns, RecordKind::kTurn, {number}); };
  Make({turn(2, 2), SendTo(1, 2), turn(0, 3), SendTo(1, 3)},
       {turn(1, 5), ReceiveFrom(0, 5), turn(2, 6), ReceiveFrom(0, 6), turn(3, 7), ReceiveFrom(0, 7)});
  EXPECT_EQ(WalkPart().messages, Lines{"0@2 to 1@6"});
  EXPECT_EQ(unmatched_, 3u);
}

}  // namespace
}  // namespace epik::archive
