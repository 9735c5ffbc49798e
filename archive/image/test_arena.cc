// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/test_arena.h"

#include <cstring>

namespace epik::archive {

using base::ChunkHeader;
using base::ChunkKind;
using base::kChunkLines;
using base::kLineBytes;
using event::Frame;
using event::Key;
using event::Location;
using event::Node;
using event::RecordHeader;
using event::RecordType;
using event::RegionKey;

namespace {

constexpr uint32_t kFramesPerLine = kLineBytes / sizeof(Frame);

}  // namespace

TestArena::TestArena() : bytes_(size_t{base::kFirstChunkLine} * kLineBytes, '\0') {
  event::ProcessHeader& process = header();
  std::memcpy(process.arena.magic, base::kArenaMagic, sizeof process.arena.magic);
  process.arena.version = base::kArenaVersion;
  process.arena.line_bytes = kLineBytes;
  process.arena.first_line = base::kFirstChunkLine;
  process.arena.lines_used = base::kFirstChunkLine;
  process.arena.bytes = bytes_.size();
  process.pid = 4711;
  process.state = event::ProcessState::kOn;
  process.timer = base::Timer::kTsc;
  process.first_pair = {1000, 1000};
  process.pair[0] = {1'001'000, 1'001'000};  // a tick is a nanosecond
  std::strcpy(process.host, "host");
}

uint32_t TestArena::AddChunk(ChunkKind kind, uint32_t owner, uint32_t lines) {
  const auto line = static_cast<uint32_t>(bytes_.size() / kLineBytes);
  bytes_.resize(bytes_.size() + size_t{lines} * kLineBytes);
  ChunkHeader& made = chunk(line);
  made = {};
  made.kind = kind;
  made.lines = lines;
  made.owner = owner;
  made.magic = base::kChunkMagic;
  header().arena.lines_used += lines;
  header().arena.bytes = bytes_.size();
  chunks_.push_back(line);
  return line;
}

uint32_t TestArena::AddLocation(uint32_t number, uint32_t frames_lines) {
  if (locations_chunk_ == 0) locations_chunk_ = AddChunk(ChunkKind::kLocation, 0);
  const auto line =
      static_cast<uint32_t>(locations_chunk_ + 1 + sizeof(Location) / kLineBytes * chunk(locations_chunk_).used++);
  ++header().locations;
  const uint32_t frames = AddChunk(ChunkKind::kFrames, line, frames_lines);
  location(line).number = number;
  location(line).state = event::LocationState::kRunning;
  location(line).bottom = location(line).top = (frames + 1) * kFramesPerLine - 1;
  location(line).limit = (frames + frames_lines) * kFramesPerLine - 1;
  location(line).sink = AddNode(line, 0, 0);
  return line;
}

uint32_t TestArena::AddNode(uint32_t owner, uint32_t parent, Key key, uint64_t visits, uint64_t ticks) {
  if (location(owner).nodes == 0 || chunk(location(owner).nodes).used == kChunkLines - 1) {
    const uint32_t next = AddChunk(ChunkKind::kNodes, owner);
    location(owner).nodes = next;
  }
  const uint32_t line = location(owner).nodes + 1 + chunk(location(owner).nodes).used++;
  ++location(owner).paths;
  Node& made = node(line);
  made.key = key;
  made.parent = parent;
  made.visits = visits;
  made.ticks = ticks;
  made.min = visits != 0 ? ticks / visits : ~uint64_t{0};
  made.max = visits != 0 ? ticks / visits : 0;
  return line;
}

void TestArena::Push(uint32_t owner, uint32_t child, uint64_t entered) {
  Location& at = location(owner);
  ++at.top;
  auto* frame = reinterpret_cast<Frame*>(bytes_.data() + size_t{at.top} * sizeof(Frame));
  *frame = {node(child).key, entered, child, at.node, uint64_t{1} << 40};
  at.node = child;
  at.last = entered;
}

uint32_t TestArena::AddTrace(uint32_t owner, uint32_t order, uint32_t words) {
  const uint32_t line = AddChunk(ChunkKind::kTrace, owner);
  chunk(line).order = order;
  chunk(line).used = words;
  return line;
}

void TestArena::Define(RecordType type, std::string_view payload) {
  const size_t padded = (payload.size() + 7) & ~size_t{7};
  const auto bytes = static_cast<uint32_t>(sizeof(RecordHeader) + padded);
  const auto room = [this] { return chunk(definitions_chunk_).lines * kLineBytes - kLineBytes; };
  if (definitions_chunk_ == 0 || chunk(definitions_chunk_).used + bytes > room()) {
    const auto chunks = static_cast<uint32_t>((kLineBytes + bytes) / (kChunkLines * kLineBytes) + 1);
    definitions_chunk_ = AddChunk(ChunkKind::kDefinitions, 0, chunks * kChunkLines);
  }
  char* at = At<char>(definitions_chunk_ + 1) + chunk(definitions_chunk_).used;
  const RecordHeader record{type, 0, static_cast<uint32_t>(payload.size())};
  std::memcpy(at, &record, sizeof record);
  if (!payload.empty()) std::memcpy(at + sizeof record, payload.data(), payload.size());
  chunk(definitions_chunk_).used += bytes;
}

void TestArena::DefineRegion(uint32_t region, const std::string& name, event::Role role, const std::string& file,
                             int line) {
  const event::RegionRecord record{region, line, role, event::Paradigm::kUser, {}};
  std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
  payload.append(name).append(1, '\0').append(file).append(1, '\0');
  Define(RecordType::kRegion, payload);
}

void TestArena::DefineModule(const std::string& path, uint64_t begin, uint64_t end) {
  const event::ModuleRecord record{begin, begin, end};
  std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
  payload.append("0123abcd").append(1, '\0').append(path);
  Define(RecordType::kModule, payload);
}

void TestArena::DefineCounter(uint32_t number, event::CounterKind kind, double scale, const std::string& name,
                              const std::string& text) {
  const event::CounterRecord record{number, kind, scale};
  std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
  payload.append(name).append(1, '\0').append("occ").append(1, '\0').append(text).append(1, '\0');
  Define(RecordType::kCounter, payload);
}

TestArena SampleArena() {
  TestArena arena;
  arena.Define(RecordType::kProgram, "/nowhere/program");
  arena.Define(RecordType::kCommand, std::string_view("program\0-n\0\0", 12));
  arena.Define(RecordType::kConfig, "EPK_TITLE = \"x\"\n");
  arena.Define(RecordType::kTitle, "x");
  arena.Define(RecordType::kNote, "a sentence");
  arena.DefineModule("/nowhere/program", 0x400000, 0x500000);
  arena.DefineModule("/nowhere/library.so", 0x7f0000000000, 0x7f0000010000);
  arena.DefineRegion(16, "phase", event::Role::kPhase, "file.cc", 12);
  arena.DefineRegion(17 | event::kMetricBit, "residual", event::Role::kMetric, "1");
  arena.DefineRegion(18 | event::kParameterBit, "n=3", event::Role::kParameter);
  for (uint32_t number = 0; number < 2; ++number) {
    const uint32_t at = arena.AddLocation(number);
    const uint32_t root = arena.AddNode(at, 0, RegionKey(event::kProgramRegion));
    uint32_t outer = root;
    if (number != 0) outer = arena.AddNode(at, root, RegionKey(event::kThreadRegion));
    const uint32_t main = arena.AddNode(at, outer, 0x401000);
    const uint32_t solve = arena.AddNode(at, main, 0x402000, 3, 300);
    arena.AddNode(at, solve, event::RetiredKey(1, 0x1234, event::Construct::kNone), 2, 50);
    arena.AddNode(at, solve, 0x7f0000000100, 1, 10);
    arena.AddNode(at, solve, 0x123, 1, 1);  // in no module
    const uint32_t phase = arena.AddNode(at, main, RegionKey(16), 1, 20);
    arena.AddNode(at, phase, RegionKey(17 | event::kMetricBit), 4, 0);
    const uint32_t parameter = arena.AddNode(at, phase, RegionKey(18 | event::kParameterBit));
    arena.Push(at, outer, 1000);
    arena.Push(at, main, 1100);
    arena.Push(at, phase, 2000);
    arena.Push(at, parameter, 2001);
    arena.location(at).root = root;
  }
  // The stack of the second thread seems to have moved away, but readers must still find it.
  for (const uint32_t line : arena.chunks()) {
    base::ChunkHeader& chunk = arena.chunk(line);
    if (chunk.kind == ChunkKind::kFrames && arena.location(chunk.owner).number == 1) chunk.kind = ChunkKind::kRetired;
  }
  return arena;
}

}  // namespace epik::archive
