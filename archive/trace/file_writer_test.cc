// SPDX-License-Identifier: BSD-3-Clause
// The files of tools are read back with the same events.
#include "archive/trace/file_writer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "archive/trace/location_reader.h"

namespace epik::archive {
namespace {

using event::RecordKind;

std::string Fresh(const char* name) {
  std::string path = ::testing::TempDir() + "/file_writer_" + name + ".elg";
  std::remove(path.c_str());
  return path;
}

Event Make(RecordKind kind, uint64_t time, uint32_t node = 0) {
  Event event;
  event.kind = kind;
  event.time = time;
  event.node = node;
  return event;
}

// Random calls and records, with jumps of hours.
std::vector<Event> RandomEvents(unsigned seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Event> events;
  uint64_t time = 1;
  uint32_t depth = 0;
  for (size_t i = 0; i < count; ++i) {
    time += random() % 1000 == 0 ? random() >> 20 : random() % 300;
    const uint64_t what = random() % 10;
    if (what < 5 || depth == 0) {
      events.push_back(Make(RecordKind::kEnter, time, static_cast<uint32_t>(300 + random() % 500)));
      ++depth;
    } else if (what < 9) {
      events.push_back(Make(RecordKind::kExit, time));
      --depth;
    } else {
      events.push_back(Make(RecordKind::kSend, time));
      events.back().fields = 4;
      for (uint64_t& field : events.back().field) field = random() % 1000;
      events.back().field[4] = events.back().field[5] = 0;
    }
  }
  return events;
}

void ExpectSame(const ProcessFile& file, uint32_t location, const std::vector<Event>& events) {
  LocationReader reader(&file, location);
  Event found;
  for (const Event& wanted : events) {
    ASSERT_TRUE(reader.Next(&found));
    ASSERT_EQ(found.kind, wanted.kind);
    ASSERT_EQ(found.time, wanted.time);
    ASSERT_TRUE(wanted.kind != RecordKind::kEnter || found.node == wanted.node);
    for (uint32_t i = 0; i < wanted.fields; ++i) ASSERT_EQ(found.field[i], wanted.field[i]);
  }
  EXPECT_FALSE(reader.Next(&found));
  EXPECT_TRUE(reader.damage().empty());
}

TEST(FileWriter, WritesWhatIsRead) {
  const std::string path = Fresh("random");
  const std::vector<Event> first = RandomEvents(1, 300000), second = RandomEvents(2, 5);
  FileWriter writer;
  writer.Open(path, 77);
  for (const auto* events : {&first, &second}) {
    writer.Begin(events == &first ? 0 : 9);
    for (const Event& event : *events) writer.Put(event);
  }
  std::string error;
  ASSERT_TRUE(writer.Finish(3, &error)) << error;
  EXPECT_EQ(writer.events(), first.size() + second.size());
  ProcessFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  EXPECT_TRUE(file.has_index());
  EXPECT_EQ(file.header().rank, 3);
  EXPECT_EQ(file.header().process_id, 77u);
  ExpectSame(file, 0, first);
  ExpectSame(file, 9, second);
}

// A recursion that is deeper than the room that earlier blocks needed.
TEST(FileWriter, KeepsTheStackFromBlockToBlock) {
  const std::string path = Fresh("deep");
  std::vector<Event> events;
  for (uint32_t i = 0; i < 200000; ++i) events.push_back(Make(RecordKind::kEnter, 1 + i, 300 + i % 7));
  for (uint32_t i = 0; i < 200000; ++i) events.push_back(Make(RecordKind::kExit, 300000 + i));
  FileWriter writer;
  writer.Open(path, 1);
  writer.Begin(0);
  for (const Event& event : events) writer.Put(event);
  std::string error;
  ASSERT_TRUE(writer.Finish(0, &error)) << error;
  ProcessFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  ExpectSame(file, 0, events);
}

TEST(FileWriter, LeavesOutCallsWithoutANode) {
  const std::string path = Fresh("unknown");
  FileWriter writer;
  writer.Open(path, 1);
  writer.Begin(0);
  const std::vector<Event> wanted = {Make(RecordKind::kEnter, 5, 300), Make(RecordKind::kExit, 9)};
  writer.Put(wanted[0]);
  writer.Put(Make(RecordKind::kEnter, 6, 0));
  writer.Put(Make(RecordKind::kExit, 8));
  writer.Put(wanted[1]);
  std::string error;
  ASSERT_TRUE(writer.Finish(0, &error)) << error;
  ProcessFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  ExpectSame(file, 0, wanted);
}

TEST(FileWriter, TellsWhyItCannotWrite) {
  FileWriter writer;
  writer.Open("/nowhere/at/all.elg", 1);
  writer.Begin(0);
  writer.Put(Make(RecordKind::kEnter, 5, 300));
  std::string error;
  EXPECT_FALSE(writer.Finish(0, &error));
  EXPECT_NE(error.find("/nowhere/at/all.elg"), std::string::npos);
}

}  // namespace
}  // namespace epik::archive
