// SPDX-License-Identifier: BSD-3-Clause
// Encoded words of any kind are read back as the same events, and damaged blocks cause nothing but an error message.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "archive/trace/block_decoder.h"
#include "archive/trace/sample_words.h"
#include "runtime/epilog/block_encoder.h"

namespace epik::archive {

bool operator==(const Event& a, const Event& b) {
  if (a.time != b.time || a.location != b.location || a.kind != b.kind || a.node != b.node) return false;
  return a.depth == b.depth && a.fields == b.fields && std::equal(a.field, a.field + a.fields, b.field);
}
void PrintTo(const Event& e, std::ostream* out) {
  *out << "time " << e.time << " kind " << static_cast<uint32_t>(e.kind) << " node " << e.node << " depth " << e.depth;
  for (uint32_t i = 0; i < e.fields; ++i) *out << " " << e.field[i];
}

namespace {

using event::RecordKind;

int Rounds(int usual) {
  const char* wanted = std::getenv("EPIK_TEST_ROUNDS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

constexpr uint32_t kExit = static_cast<uint32_t>(RecordKind::kExit);

uint64_t Word(uint64_t time, uint64_t code) { return event::TraceWord(time, static_cast<uint32_t>(code)); }

// The meaning of words, implemented a second time in a simple way.
std::vector<Event> Meaning(const std::vector<uint64_t>& words, uint32_t location) {
  std::vector<Event> events;
  std::vector<uint32_t> stack;
  uint64_t high = 0;
  uint64_t last = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t code = event::CodeOf(words[i]);
    Event event;
    event.location = location;
    const uint64_t before = last;
    const bool is_exit_of_nothing = code == kExit && stack.empty();  // it has no time either
    if (words[i] != 0 && code != 1 && !event::IsCall(words[i]) && !is_exit_of_nothing) {
      last = std::max(last, high | words[i] >> event::kTimeShift);
    }
    event.time = last;
    if (words[i] == 0) continue;
    if (code >= 128 && event::IsCall(words[i])) {
      event.kind = RecordKind::kEnter;
      event.node = code;
      event.depth = static_cast<uint32_t>(stack.size());
      event.time = before + event::StepOf(words[i]);
      events.push_back(event);
      event.kind = RecordKind::kExit;
      event.time = last = event.time + event::DurationOf(words[i]);
    } else if (code == kExit) {
      if (stack.empty()) continue;
      event.node = stack.back();
      stack.pop_back();
      event.depth = static_cast<uint32_t>(stack.size());
    } else if (code >= 128) {
      event.kind = RecordKind::kEnter;
      event.node = code;
      event.depth = static_cast<uint32_t>(stack.size());
      stack.push_back(code);
    } else if (code == 1) {
      high = words[++i] >> event::kTimeBits << event::kTimeBits;
      continue;
    } else {
      event.kind = static_cast<RecordKind>(code);
      event.fields = event::FieldsOf(event.kind);
      event.node = stack.empty() ? 0 : stack.back();
      event.depth = static_cast<uint32_t>(stack.size());
      for (uint32_t f = 0; f < event.fields; ++f) event.field[f] = words[++i];
    }
    events.push_back(event);
  }
  return events;
}

class Encoding {
 public:
  Encoding() : scratch_(new uint64_t[epilog::BlockEncoder::ScratchBytes() / 8]()), encoder_(scratch_.get()) {
    stream_.location = 7;
    stream_.open = {nodes_.data(), 0, static_cast<uint32_t>(nodes_.size()), nullptr};
  }

  epilog::Stream* stream() { return &stream_; }
  const std::vector<std::string>& blocks() const { return blocks_; }

  // Encodes in pieces of `piece` words, with at most `most` words in a block.
  void Add(const std::vector<uint64_t>& words, int level, size_t piece = SIZE_MAX, size_t most = SIZE_MAX) {
    size_t done = 0;
    while (done < words.size()) {
      encoder_.Begin(&stream_);
      size_t in_block = 0;
      while (done < words.size() && in_block < most) {
        const auto count = static_cast<uint32_t>(std::min({piece, words.size() - done, most - in_block}));
        const uint32_t taken = encoder_.Take(words.data() + done, count);
        done += taken;
        in_block += taken;
        if (taken < count) break;
      }
      ASSERT_GT(in_block, 0u);
      const epilog::EncodedBlock block = encoder_.Finish(level);
      EXPECT_EQ(0u, block.size % epilog::kBlockAlign);
      const auto* padding = static_cast<const char*>(block.bytes) + sizeof(epilog::BlockHeader) + block.payload_bytes;
      EXPECT_TRUE(
          std::all_of(padding, static_cast<const char*>(block.bytes) + block.size, [](char c) { return c == 0; }));
      blocks_.emplace_back(static_cast<const char*>(block.bytes), block.size);
    }
  }

  std::vector<Event> Read() const {
    std::vector<Event> events;
    BlockDecoder decoder;
    uint64_t words = 0;
    for (const std::string& block : blocks_) {
      epilog::BlockHeader header;
      std::string error;
      const char* wrong = CheckBlockHeader(block.data(), &header);
      EXPECT_EQ(nullptr, wrong) << wrong;
      if (wrong != nullptr || !decoder.Open(header, block.data() + sizeof header, &error)) {
        ADD_FAILURE() << error;
        break;
      }
      EXPECT_EQ(words, header.first_word);
      words += header.words;
      Event event;
      while (decoder.Next(&event)) events.push_back(event);
      EXPECT_EQ("", decoder.error());
    }
    return events;
  }

 private:
  std::vector<uint32_t> nodes_ = std::vector<uint32_t>(1 << 16);
  std::unique_ptr<uint64_t[]> scratch_;
  epilog::BlockEncoder encoder_;
  epilog::Stream stream_{};
  std::vector<std::string> blocks_;
};

void ExpectSame(const std::vector<Event>& expected, const std::vector<Event>& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(expected[i], found[i]) << "event " << i;
}

TEST(Block, EveryLoadAtEveryLevel) {
  for (const auto load : {LogLeaf, static_cast<void (*)(WordLog*)>(LogFib), LogWide}) {
    WordLog log(300000);
    load(&log);
    for (const int level : {0, 1, 3, 6, 9}) {
      Encoding encoding;
      encoding.Add(log.words(), level);
      EXPECT_EQ(log.words().size(), encoding.stream()->words);
      EXPECT_EQ(0u, encoding.stream()->open.depth);
      ExpectSame(Meaning(log.words(), 7), encoding.Read());
    }
  }
}

// Any words that a runtime could log, and some that it should not.
std::vector<uint64_t> RandomWords(std::mt19937_64* random, size_t count, bool deep) {
  std::vector<uint64_t> words;
  uint64_t time = (*random)() >> (*random)() % 30;
  const uint64_t unit = (*random)() % 3 == 0 ? 1 : 26;
  const unsigned spread = (*random)() % 20;
  uint64_t high = 0;
  const uint32_t nodes = 1 + (*random)() % 500;
  while (words.size() < count) {
    time += ((*random)() & ((1u << spread) - 1)) * unit;
    if ((*random)() % 5000 == 0) time += uint64_t{1} << (*random)() % 40;
    if ((*random)() % 5000 == 0) time -= 1000;
    if (time >> event::kTimeBits << event::kTimeBits != high || (*random)() % 1000 == 0) {
      high = time >> event::kTimeBits << event::kTimeBits;
      words.push_back(Word(time, 1));
      words.push_back(time);
    }
    const uint32_t choice = (*random)() % 16;
    if (choice < (deep ? 12 : 7)) {
      words.push_back(Word(time, 300 + (*random)() % nodes));
      if ((*random)() % 4 == 0) {
        words.push_back(event::CallWord((*random)() % 1000, (*random)() & 0x3ffff, 300 + (*random)() % 50));
        time += event::StepOf(words.back()) + event::DurationOf(words.back());
      }
    } else if (choice < 14) {
      words.push_back(Word(time, kExit));
    } else if (choice == 14) {
      const uint32_t kind = 4 + (*random)() % 65;
      words.push_back(Word(time, kind));
      if (!epilog::kRecordCodings.kinds[kind].known) {
        words.pop_back();
        continue;
      }
      for (uint32_t i = 0; i < event::FieldsOf(static_cast<RecordKind>(kind)); ++i) {
        words.push_back((*random)() >> (*random)() % 64);
      }
    } else if ((*random)() % 10 == 0) {
      words.push_back(0);
    }
  }
  return words;
}

TEST(Block, RandomWords) {
  std::mt19937_64 random(4711);
  const int rounds = Rounds(30);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const bool deep = round % 2 == 0;
    const std::vector<uint64_t> words = RandomWords(&random, 1 + random() % 60000, deep);
    Encoding encoding;
    encoding.Add(words, static_cast<int>(random() % 10));
    ExpectSame(Meaning(words, 7), encoding.Read());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// Records that a window of messages repeats take nearly no space, and new values in them are read back.
TEST(Block, RecordsArePredicted) {
  std::vector<uint64_t> words = {Word(0, 1), 0};
  uint64_t time = 1000, request = 1;
  const auto put = [&](RecordKind kind, const std::vector<uint64_t>& fields) {
    words.push_back(Word(time += 26, static_cast<uint32_t>(kind)));
    words.insert(words.end(), fields.begin(), fields.end());
  };
  constexpr uint64_t kWindows = 100, kMessages = 64;
  for (uint64_t window = 0; window < kWindows; ++window, request += kMessages) {
    const uint64_t to = window % 50 == 49 ? uint64_t(-1) : 3;
    for (uint64_t i = 0; i < kMessages; ++i) {
      words.push_back(Word(time += 26, 300));
      put(RecordKind::kSendBegin, {to, 7, 1, 8, request + i});
      words.push_back(Word(time += 26, kExit));
    }
    words.push_back(Word(time += 26, 301));
    for (uint64_t i = 0; i < kMessages; ++i) put(RecordKind::kSendEnd, {request + i});
    words.push_back(Word(time += 26, kExit));
  }
  for (const int level : {0, 1}) {
    Encoding encoding;
    encoding.Add(words, level);
    ExpectSame(Meaning(words, 7), encoding.Read());
    size_t bytes = 0;
    for (const std::string& block : encoding.blocks()) bytes += block.size();
    // Stored, each record and each step of time takes a byte. Compressed, they take nearly nothing.
    const double each = static_cast<double>(bytes) / (2 * kWindows * kMessages);
    EXPECT_LT(each, level == 0 ? 3.5 : 0.2);
  }
}

TEST(Block, StackGoesFromBlockToBlock) {
  std::mt19937_64 random(815);
  for (int round = 0; round < 20; ++round) {
    // Without records a block can end anywhere.
    std::vector<uint64_t> words;
    uint64_t time = 1;
    while (words.size() < 20000) {
      time += 1 + random() % 100;
      words.push_back(Word(time, random() % 5 < 3 ? 300 + random() % 50 : kExit));
    }
    Encoding encoding;
    encoding.Add(words, 1, 1 + random() % 100, 1 + random() % 500);
    const std::vector<Event> expected = Meaning(words, 7);
    const std::vector<Event> found = encoding.Read();
    ASSERT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(expected[i].depth, found[i].depth);
      // Frames that are deeper than the block's list have unknown nodes.
      if (found[i].node != 0) {
        ASSERT_EQ(expected[i].node, found[i].node) << i;
      }
    }
  }
}

TEST(Block, DeeperThanABlockCanSay) {
  constexpr uint32_t kDepth = 3 * epilog::kMostOpen;
  std::vector<uint64_t> down;
  std::vector<uint64_t> up;
  for (uint64_t i = 0; i < kDepth; ++i) {
    down.push_back(Word(i + 1, 1000 + i));
    up.push_back(Word(kDepth + i + 1, kExit));
  }
  Encoding encoding;
  encoding.Add(down, 1);
  ASSERT_EQ(kDepth, encoding.stream()->open.depth);
  for (uint32_t i = 0; i < kDepth; ++i) ASSERT_EQ(1000 + i, encoding.stream()->open.nodes[i]);
  encoding.Add(up, 1);
  const std::vector<Event> events = encoding.Read();
  ASSERT_EQ(2 * kDepth, events.size());
  for (uint32_t i = 0; i < kDepth; ++i) {
    const uint32_t depth = kDepth - 1 - i;
    ASSERT_EQ(depth, events[kDepth + i].depth);
    ASSERT_EQ(i < epilog::kMostOpen ? 1000 + depth : 0, events[kDepth + i].node) << i;
  }
}

TEST(Block, NoRoomForTheStack) {
  Encoding encoding;
  encoding.stream()->open.room = 10;
  encoding.stream()->open.nodes[10] = 4711;  // of somebody else
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < 100; ++i) words.push_back(Word(i + 1, 1000 + i));
  for (uint64_t i = 0; i < 100; ++i) words.push_back(Word(101 + i, kExit));
  encoding.Add(words, 1, 30, 30);
  const std::vector<Event> events = encoding.Read();
  ASSERT_EQ(200u, events.size());
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(99 - i, events[100 + i].depth);
  for (uint32_t i = 90; i < 100; ++i) ASSERT_EQ(1000 + 99 - i, events[100 + i].node);
  for (const Event& event : events) EXPECT_NE(event.node, 4711u);
}

// The room for the stack grows when it is too small by one.
TEST(Block, RoomForTheStackGrows) {
  static std::vector<uint32_t> larger;
  Encoding encoding;
  encoding.stream()->open.room = 10;
  encoding.stream()->open.grow = [](epilog::OpenStack* stack, uint32_t depth) {
    larger.assign(stack->nodes, stack->nodes + stack->room);
    larger.resize(depth);
    stack->nodes = larger.data();
    stack->room = depth;
    return true;
  };
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < 11; ++i) words.push_back(Word(i + 1, 1000 + i));
  encoding.Add(words, 1);
  ASSERT_EQ(encoding.stream()->open.room, 11u);
  for (uint32_t i = 0; i < 11; ++i) EXPECT_EQ(encoding.stream()->open.nodes[i], 1000 + i);
}

// A block may end between the upper bits of a time and the event that they are for.
TEST(Block, UpperBitsGoFromBlockToBlock) {
  constexpr uint64_t kLater = uint64_t{5} << event::kTimeBits;
  const std::vector<uint64_t> words = {Word(1, 300), Word(kLater, 1), kLater, Word(kLater + 7, kExit)};
  Encoding encoding;
  encoding.Add(words, 1, 3, 3);
  ASSERT_EQ(encoding.blocks().size(), 2u);
  ExpectSame(Meaning(words, 7), encoding.Read());
}

// The memory of a process that was killed may end within a time.
TEST(Block, ATimeThatIsCutOff) {
  const std::vector<uint64_t> words = {Word(1, 300), Word(uint64_t{5} << event::kTimeBits, 1)};
  Encoding encoding;
  encoding.Add(words, 1);
  EXPECT_EQ(encoding.stream()->words, 2u);
  EXPECT_EQ(encoding.Read().size(), 1u);
}

TEST(Block, WhatIsNoEventIsLeftOut) {
  const auto send = static_cast<uint32_t>(RecordKind::kSend);
  const std::vector<uint64_t> words = {0, Word(5, kExit), Word(6, 300), 0, Word(7, 127), Word(8, 100), Word(9, send), 1,
                                       2};
  Encoding encoding;
  encoding.Add(words, 1);
  const std::vector<Event> events = encoding.Read();
  ASSERT_EQ(1u, events.size());  // exits without a frame, kinds that do not exist, a record that was cut off
  EXPECT_EQ(RecordKind::kEnter, events[0].kind);
  EXPECT_EQ(6u, events[0].time);
  EXPECT_EQ(words.size(), encoding.stream()->words);
}

TEST(Block, UnitOfTimeIsFound) {
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < 1000; ++i) words.push_back(Word(17 + 26 * (3 + i * i % 50) + 26 * 60 * i, 300));
  Encoding encoding;
  encoding.Add(words, 0);
  epilog::BlockHeader header;
  ASSERT_EQ(nullptr, CheckBlockHeader(encoding.blocks()[0].data(), &header));
  EXPECT_EQ(26u, header.unit);
  words.push_back(Word(17 + 26 * 60 * 1000 + 13, kExit));
  Encoding other;
  other.Add(words, 0);
  ASSERT_EQ(nullptr, CheckBlockHeader(other.blocks()[0].data(), &header));
  EXPECT_EQ(13u, header.unit);
  ExpectSame(Meaning(words, 7), other.Read());
}

// A block is full when one of its columns is, or when it has the most events: all events are read back all the same.
TEST(Block, CallsFillABlock) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> words;
  for (uint32_t i = 0; i < 2 * epilog::kMostEvents; ++i) {
    words.push_back(event::CallWord(random() % 1000, random() % 1000, 300 + random() % 3));
  }
  Encoding encoding;
  encoding.Add(words, 1);
  EXPECT_EQ(encoding.blocks().size(), 5u);  // a call is two events, and a block takes a little less than it could
  ExpectSame(Meaning(words, 7), encoding.Read());
}

TEST(Block, FieldsFillABlock) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> words = {Word(1, 300)};
  constexpr auto kKind = RecordKind::kCollectiveEnd;
  static_assert(event::FieldsOf(kKind) == event::kMostFields);
  for (uint64_t i = 0; i < 3 * 8192; ++i) {
    words.push_back(Word(2 + i, static_cast<uint32_t>(kKind)));
    for (uint32_t f = 0; f < event::kMostFields; ++f) words.push_back(random() | uint64_t{1} << 63);
  }
  for (const int level : {0, 1}) {
    Encoding encoding;
    encoding.Add(words, level);
    EXPECT_GT(encoding.blocks().size(), 2u);
    ExpectSame(Meaning(words, 7), encoding.Read());
  }
}

// Steps of many bytes, and numbers of call paths of three.
TEST(Block, StepsAndTokensFillABlock) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> words;
  uint64_t time = 0;
  for (uint32_t i = 0; i < epilog::kMostEvents; ++i) {
    time += random() >> 17;
    words.push_back(Word(time, 1));
    words.push_back(time);
    words.push_back(Word(time, i % 2 == 0 ? (i * 7919u & 0xffffff) + 300 : kExit));
  }
  Encoding encoding;
  encoding.Add(words, 0);
  EXPECT_GT(encoding.blocks().size(), 1u);
  ExpectSame(Meaning(words, 7), encoding.Read());
}

// All steps are written again, each with more bytes, when one comes that is no multiple of the unit.
TEST(Block, ALateStepMakesTheUnitSmall) {
  constexpr uint64_t kUnit = uint64_t{1} << 40;
  std::vector<uint64_t> words = {Word(0, 300)};
  uint64_t time = 0;
  const auto put = [&](uint64_t step, RecordKind kind, uint64_t field) {
    time += step;
    words.insert(words.end(), {Word(time, 1), time, Word(time, static_cast<uint32_t>(kind)), field});
  };
  for (uint64_t i = 0; i < 60'000; ++i) put(kUnit, RecordKind::kSendEnd, i * i);
  put(1, RecordKind::kSendEnd, 7);
  for (uint64_t i = 0; i < 5'000; ++i) put(kUnit, RecordKind::kSendEnd, i * i);
  Encoding encoding;
  encoding.Add(words, 0);
  ExpectSame(Meaning(words, 7), encoding.Read());
}

// A reader that begins in the middle of a file knows no earlier blocks.
TEST(Block, EachBlockIsReadAlone) {
  std::vector<uint64_t> words = {Word(1, 300), 0, 0, 0, 0};  // as long as a record
  for (uint64_t i = 0; i < 100; ++i) {
    words.insert(words.end(), {Word(2 + i, static_cast<uint32_t>(RecordKind::kSend)), 3, i / 20, 0, 8});
  }
  Encoding encoding;
  encoding.Add(words, 1, 50, 50);
  const std::vector<Event> expected = Meaning(words, 7);
  size_t end = expected.size();
  for (auto block = encoding.blocks().rbegin(); block != encoding.blocks().rend(); ++block) {
    epilog::BlockHeader header;
    BlockDecoder decoder;
    std::string error;
    ASSERT_EQ(nullptr, CheckBlockHeader(block->data(), &header));
    ASSERT_TRUE(decoder.Open(header, block->data() + sizeof header, &error)) << error;
    Event event;
    for (size_t i = end -= header.events; decoder.Next(&event); ++i) ASSERT_EQ(expected[i], event) << i;
    EXPECT_EQ("", decoder.error());
  }
  EXPECT_EQ(end, 0u);
}

TEST(Block, TheClockGoesBackBetweenTwoBlocks) {
  const std::vector<uint64_t> words = {Word(1000, 300),   Word(2000, kExit), Word(1500, 300),
                                       Word(1600, kExit), Word(2500, 300),   Word(2600, kExit)};
  Encoding encoding;
  encoding.Add(words, 1, 2, 2);
  ASSERT_EQ(encoding.blocks().size(), 3u);
  ExpectSame(Meaning(words, 7), encoding.Read());
}

// Makes the checksums right, so that the reader comes to the damage behind them.
void Repair(std::string* block) {
  auto* header = reinterpret_cast<epilog::BlockHeader*>(block->data());
  const size_t room = block->size() - sizeof *header;
  header->payload_bytes = static_cast<uint32_t>(std::min<size_t>(header->payload_bytes, room));
  header->payload_crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(block->data()) + sizeof *header, header->payload_bytes));
  header->header_crc = 0;
  header->header_crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(header), sizeof *header));
}

TEST(Block, SurvivesDamage) {
  constexpr uint64_t kSeed = 4711;
  std::mt19937_64 random(kSeed);
  const int rounds = Rounds(15000);
  std::string block;
  BlockDecoder decoder;
  int whole = 0;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " round " + std::to_string(round));
    if (round % 200 == 0) {
      Encoding encoding;
      encoding.Add(RandomWords(&random, 200 + random() % 2000, random() % 2 == 0), static_cast<int>(random() % 3));
      block = encoding.blocks()[0];
    }
    std::string damaged = block;
    for (uint64_t n = random() % 4 + 1; n > 0; --n) {
      const size_t at = random() % 3 == 0 ? random() % sizeof(epilog::BlockHeader) : random() % damaged.size();
      damaged[at] = static_cast<char>(random() % 2 == 0 ? random() : damaged[at] ^ 1 << random() % 8);
    }
    const bool repaired = random() % 8 != 0;
    if (repaired) Repair(&damaged);
    epilog::BlockHeader header;
    std::string error;
    if (CheckBlockHeader(damaged.data(), &header) != nullptr || header.payload_bytes > damaged.size() - sizeof header ||
        !decoder.Open(header, damaged.data() + sizeof header, &error)) {
      ++refused;
      continue;
    }
    // Without right checksums, no damage passes (only the padding has no checksum).
    if (!repaired) {
      const size_t used = sizeof header + header.payload_bytes;
      ASSERT_EQ(block.substr(0, used), damaged.substr(0, used));
    }
    Event event;
    uint64_t last = header.first_time;
    uint32_t events = 0;
    while (decoder.Next(&event)) {
      ASSERT_GE(event.time, last);
      last = event.time;
      ++events;
    }
    ASSERT_LE(events, header.events);
    ASSERT_TRUE(events == header.events || !decoder.error().empty());
    whole += decoder.error().empty();
  }
  EXPECT_GT(refused, rounds / 50);
  EXPECT_GT(whole, rounds / 50);
}

}  // namespace
}  // namespace epik::archive
