// SPDX-License-Identifier: BSD-3-Clause
// ReadProcessImage of process_image.h: chunks are found first, then locations, definitions, and what each location
// owns.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "archive/image/definition_records.h"
#include "archive/image/process_image.h"
#include "runtime/epitome/record_hot.h"
#include "runtime/event/collectives.h"

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

namespace {

constexpr uint32_t kFramesPerLine = kLineBytes / sizeof(Frame);
constexpr uint32_t kLocationLines = sizeof(Location) / kLineBytes;

// Copies what a living process may be changing at this moment, word by word. The owner of these words stores them
// plainly, because it does so for every event, so this is a race by design: each word is the old one or the new one,
// and Reader checks how they fit together. ThreadSanitizer is told so here, at the reader, and nowhere else. Volatile,
// so that no word is read twice and the loop does not become a memcpy, which has checks of its own.
template <class T>
__attribute__((no_sanitize("thread"), noinline)) void CopyLive(const char* from, T* to) {
  static_assert(sizeof(T) % sizeof(uint64_t) == 0 && std::is_trivially_copyable_v<T>);
  const auto* words = reinterpret_cast<const volatile uint64_t*>(from);
  auto* bytes = reinterpret_cast<char*>(to);
  for (size_t i = 0; i < sizeof(T) / sizeof(uint64_t); ++i) {
    const uint64_t word = words[i];
    std::memcpy(bytes + i * sizeof word, &word, sizeof word);
  }
}

// Loads a word that publishes others: all bytes that were stored before it are visible after this load.
uint32_t Published(const uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

// A number for each line of a part of a file. A file may say that it has milliards of lines and have a few: memory is
// used for those that are.
class LineTable {
 public:
  LineTable() = default;
  ~LineTable() {
    if (numbers_ != nullptr && numbers_ != few_) munmap(numbers_, lines_ * sizeof *numbers_);
  }
  LineTable(const LineTable&) = delete;
  LineTable& operator=(const LineTable&) = delete;

  // Once, for the lines from `begin` to `end`. Without memory no line has a number.
  void Reserve(uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    const uint64_t lines = end - begin;
    numbers_ = lines <= std::size(few_) ? few_ : Map(lines);
    if (numbers_ == nullptr) return;
    begin_ = begin;
    lines_ = lines;
  }
  // Lines before `begin` become very large numbers.
  uint32_t Get(uint64_t line) const { return line - begin_ < lines_ ? numbers_[line - begin_] - 1 : kNoNode; }
  void Set(uint64_t line, uint32_t number) {
    if (line - begin_ < lines_) numbers_[line - begin_] = number + 1;  // 0: none
  }

 private:
  static uint32_t* Map(uint64_t lines) {
    void* memory = mmap(nullptr, lines * sizeof *numbers_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<uint32_t*>(memory);
  }

  uint32_t* numbers_ = nullptr;
  uint64_t begin_ = 0, lines_ = 0;
  uint32_t few_[1024] = {};  // a small process needs no mapping
};

struct Chunk {
  uint32_t line;
  ChunkHeader header;
};

class Reader {
 public:
  Reader(const char* bytes, size_t size, ProcessImage* image) : bytes_(bytes), size_(size), image_(image) {}

  // `known`: the definitions that an earlier reading of these bytes found. They stay if the process added none.
  bool Read(ImageDefinitions known, std::string* error) {
    if (!ReadHeader(error)) return false;
    ReadChunks();
    for (const Chunk& chunk : chunks_) {
      if (chunk.header.kind == ChunkKind::kLocation) ReadLocations(chunk);
    }
    ReadDefinitions(std::move(known));
    ReadWhatLocationsOwn();
    std::stable_sort(image_->locations.begin(), image_->locations.end(),
                     [](const auto& a, const auto& b) { return a.header.number < b.header.number; });
    return true;
  }

 private:
  const char* At(uint64_t line) const { return bytes_ + line * kLineBytes; }

  bool ReadHeader(std::string* error) {
    if (size_ < sizeof(event::ProcessHeader) || std::memcmp(bytes_, base::kArenaMagic, sizeof base::kArenaMagic) != 0) {
      *error = "not an EPIK arena";
      return false;
    }
    CopyLive(bytes_, &image_->header);
    image_->header.arena.lines_used = Published(reinterpret_cast<const base::ArenaHeader*>(bytes_)->lines_used);
    const base::ArenaHeader& arena = image_->header.arena;
    if (arena.version != base::kArenaVersion || arena.line_bytes != kLineBytes) {
      *error = "an arena of version " + std::to_string(arena.version) + "; this EPIK reads version " +
               std::to_string(base::kArenaVersion);
      return false;
    }
    image_->header.boot_id[sizeof image_->header.boot_id - 1] = '\0';
    image_->header.host[sizeof image_->header.host - 1] = '\0';
    return true;
  }

  // The header of the chunk that begins here, if one does. If none does, the owner of these bytes may be writing them.
  ChunkHeader HeaderAt(uint64_t line) const {
    ChunkHeader header;
    CopyLive(At(line), &header);
    if (header.magic != base::kChunkMagic) return header;
    const auto* live = reinterpret_cast<const ChunkHeader*>(At(line));
    const uint32_t magic = Published(live->magic);
    const uint32_t used = Published(live->used);
    CopyLive(At(line), &header);
    header.magic = magic;
    header.used = used;
    return header;
  }

  // The first line from `line` on where a chunk begins; `end`: none does.
  uint64_t FirstChunk(uint64_t line, uint64_t end) const {
    while (line < end && HeaderAt(line).magic != base::kChunkMagic) line += kChunkLines;
    return line;
  }

  void ReadChunks() {
    const base::ArenaHeader& arena = image_->header.arena;
    const uint64_t end = std::min<uint64_t>(arena.lines_used, size_ / kLineBytes);
    const bool is_cut = end < arena.lines_used && end < arena.bytes / kLineBytes;
    image_->skipped += is_cut ? 1 : 0;
    uint64_t hole = base::kFirstChunkLine;  // the lines from here to `line` are empty, as far as was known
    for (uint64_t line = hole; line + kChunkLines <= end;) {
      const ChunkHeader header = HeaderAt(line);
      const bool whole = header.magic == base::kChunkMagic && header.lines >= kChunkLines &&
                         header.lines % kChunkLines == 0 && line + header.lines <= end;
      if (whole) {
        chunks_.push_back({static_cast<uint32_t>(line), header});
        line += header.lines;
        hole = line;
        continue;
      }
      // The process ended while the chunk was being made, or the bytes are damaged: look for the next one. But if the
      // process is alive, it may have made the chunk while this reader was in it, and these are bytes of its inside.
      const uint64_t made = header.magic == 0 ? line : FirstChunk(hole, line);
      if (made < line) {
        line = hole = made;
        continue;
      }
      line += kChunkLines;
      if (header.magic == 0) continue;
      ++image_->skipped;
      hole = line;
    }
    ReserveNodes();
  }

  void ReserveNodes() {
    uint64_t first = ~uint64_t{0}, end = 0;
    for (const Chunk& chunk : chunks_) {
      if (chunk.header.kind != ChunkKind::kNodes) continue;
      first = std::min<uint64_t>(first, chunk.line);
      end = std::max(end, uint64_t{chunk.line} + chunk.header.lines);
    }
    place_of_line_.Reserve(first, end);
  }

  void ReadLocations(const Chunk& chunk) {
    const uint32_t most = (chunk.header.lines - 1) / kLocationLines;
    // Locations may have come since, and later chunks have their nodes.
    const uint32_t used = HeaderAt(chunk.line).used;
    for (uint32_t i = 0; i < std::min(used, most); ++i) {
      const uint32_t line = chunk.line + 1 + i * kLocationLines;
      LocationImage location;
      CopyLive(At(line), &location.header);
      location_at_[line] = static_cast<uint32_t>(image_->locations.size());
      image_->locations.push_back(std::move(location));
    }
  }

  // Location by location, so that the time is that of one pass however many there are.
  void ReadWhatLocationsOwn() {
    std::stable_sort(chunks_.begin(), chunks_.end(),
                     [](const Chunk& a, const Chunk& b) { return a.header.owner < b.header.owner; });
    for (size_t begin = 0, end; begin < chunks_.size(); begin = end) {
      const uint32_t line = chunks_[begin].header.owner;
      for (end = begin + 1; end < chunks_.size() && chunks_[end].header.owner == line;) ++end;
      const std::span<const Chunk> owned(&chunks_[begin], end - begin);
      const auto found = location_at_.find(line);
      LocationImage* location = found == location_at_.end() ? nullptr : &image_->locations[found->second];
      first_place_ = next_place_;
      for (const Chunk& chunk : owned) {
        if (chunk.header.kind == ChunkKind::kNodes) ReadNodes(chunk, location);
      }
      if (location == nullptr) continue;
      AddPending(line, location);
      LinkNodes(location);
      ReadFrames(owned, location);
      for (const Chunk& chunk : owned) {
        if (chunk.header.kind == ChunkKind::kTrace) ReadTrace(chunk, location);
        if (chunk.header.kind == ChunkKind::kCollectives) ReadWaits(chunk, location);
      }
      std::stable_sort(location->trace.begin(), location->trace.end(),
                       [](const TraceChunk& a, const TraceChunk& b) { return a.order < b.order; });
      SettleTeam(location);
      for (std::vector<OpenFrame>* frames : {&location->frames, &location->settled}) {
        std::erase_if(*frames, [](const OpenFrame& frame) { return frame.node == kNoNode; });  // those that are off
      }
      PutDisplacedTimeRight(location);
    }
  }

  // The index of the node in this line among the nodes of the location; kNoNode when it belongs to another location.
  uint32_t PlaceOf(uint32_t line) const {
    const uint32_t place = place_of_line_.Get(line);
    return place == kNoNode || place < first_place_ ? kNoNode : place - first_place_;
  }

  void ReadNodes(const Chunk& chunk, LocationImage* owner) {
    if (owner == nullptr) {  // its location is not finished yet, or never was: it has its sink, no more
      image_->skipped += chunk.header.used > 1;
      return;
    }
    for (uint32_t i = 0; i < std::min(chunk.header.used, chunk.header.lines - 1); ++i) {
      const uint32_t line = chunk.line + 1 + i;
      Node node;
      CopyLive(At(line), &node);
      if (line == owner->header.sink) {
        owner->folded_visits = node.visits;
        continue;
      }
      // A node is a visit at least: from here on the file is a hole, whatever number its chunk has.
      if (node.key == 0 && node.visits == 0 && node.parent == 0 && node.ticks == 0) {
        ++image_->skipped;
        break;
      }
      place_of_line_.Set(line, next_place_++);
      owner->nodes.push_back(node);
      owner->lines.push_back(line);
    }
  }

  // The words stay where they are: there may be a lot of them.
  void ReadTrace(const Chunk& chunk, LocationImage* location) const {
    constexpr uint32_t kWordsPerLine = kLineBytes / sizeof(uint64_t);
    if (chunk.header.order == 0) return;
    const uint64_t first = (uint64_t{chunk.line} + 1) * kWordsPerLine;
    const uint64_t most = (uint64_t{chunk.header.lines} - 1) * kWordsPerLine;
    uint64_t count = chunk.header.used;
    // The header of the last chunk is not kept up to date; the location tells how far it is filled.
    if (chunk.line == location->header.log_chunk) {
      count = location->header.log_at > first ? location->header.log_at - first : 0;
    }
    location->trace.push_back({chunk.header.order, chunk.header.depth, chunk.header.node,
                               reinterpret_cast<const uint64_t*>(At(chunk.line + 1)),
                               static_cast<uint32_t>(std::min(count, most))});
  }

  // When a process is killed, its latest calls have not been compared with those of others. Calls that are overwritten
  // are not among these: nobody knows where they were.
  void ReadWaits(const Chunk& chunk, LocationImage* location) const {
    const event::MappedArena arena = {const_cast<char*>(bytes_), size_};
    event::CollectiveRing ring;
    CopyLive(At(chunk.line + 1), &ring);
    const event::RingView view(arena, chunk.line);
    if (!view.IsThere() || ring.waits == 0 || location->nodes.empty()) return;
    location->waits = true;
    uint64_t next = std::min(ring.settled, view.Written());
    next = std::max(next, view.Written() - std::min(view.Written(), view.capacity()));
    view.ReadAll(&next, [&](uint64_t, const event::CollectiveEvent& event) {
      if (event::IsLink(event) || (event::IsStep(event) && !event::MayWait(event))) return true;
      const uint32_t place = PlaceOf(event.node);
      location->unknown_waits.push_back({place < location->nodes.size() ? place : 0, event::IsStep(event)});
      return true;
    });
  }

  // Visits that ended, and wait to be added to their nodes.
  void AddPending(uint32_t line, LocationImage* location) const {
    for (uint32_t i = 0; i < event::kPendingVisits; ++i) {
      const event::PendingVisit& visit = location->header.pending[i];
      if (visit.node == 0 || AddPendingVisit(visit, /*is_whole=*/false, location)) continue;
      // One visit was taking the place of another one, which is on its way to its node: its key comes last. If its
      // thread has stopped there, the visit is the same now, and it is the new one. If not, another one is there.
      event::PendingVisit now;
      CopyLive(At(line) + offsetof(event::Location, pending) + i * sizeof now, &now);
      AddPendingVisit(now, /*is_whole=*/true, location);
    }
  }

  // False: the key is that of another visit than the node.
  bool AddPendingVisit(const event::PendingVisit& visit, bool is_whole, LocationImage* location) const {
    if (visit.node == location->header.sink) {
      ++location->folded_visits;
      return true;
    }
    const uint32_t place = visit.node <= UINT32_MAX ? PlaceOf(static_cast<uint32_t>(visit.node)) : kNoNode;
    if (place >= location->nodes.size()) return true;
    Node& node = location->nodes[place];
    if (!is_whole && node.key != visit.key && !event::IsRetired(node.key)) return false;
    epitome::Record(&node, visit.ticks);
    return true;
  }

  // Lines of parents become indices. A parent always comes first; anything else is damage.
  void LinkNodes(LocationImage* location) {
    for (uint32_t i = 0; i < location->nodes.size(); ++i) {
      Node& node = location->nodes[i];
      const uint32_t line = node.parent;
      const uint32_t place = line != 0 ? PlaceOf(line) : kNoNode;
      if (line != 0 && place >= i) ++image_->skipped;
      node.parent = place < i ? place : kNoNode;
    }
  }

  // A frame keeps its key when the module of its construct is unmapped; its node gets another one. That happens to
  // threads of a pool, which wait at the end of a region whose plug-in is gone.
  static bool IsKeyOf(const Node& node, Key key) {
    if (node.key == key) return true;
    return event::IsRetired(node.key) && !event::IsRegion(key) &&
           event::ConstructOf(node.key) == event::ConstructOf(key);
  }

  void ReadFrames(std::span<const Chunk> owned, LocationImage* location) {
    const Chunk* stack = nullptr;
    for (const Chunk& chunk : owned) {
      if (chunk.header.kind != ChunkKind::kFrames && chunk.header.kind != ChunkKind::kRetired) continue;
      const uint64_t first = uint64_t{chunk.line + 1} * kFramesPerLine;
      const uint64_t last = uint64_t{chunk.line} * kFramesPerLine + uint64_t{chunk.header.lines} * kFramesPerLine;
      if (location->header.top + 1 >= first && location->header.top < last) stack = &chunk;
    }
    if (stack == nullptr) return;
    for (uint32_t i = (stack->line + 1) * kFramesPerLine; i <= location->header.top; ++i) {
      Frame frame;
      CopyLive(bytes_ + uint64_t{i} * sizeof frame, &frame);
      // Reserved but not filled yet, or closed but not released: then it is not what was current above it.
      uint32_t inner = location->header.node;
      if (i < location->header.top) {
        Frame above;
        CopyLive(bytes_ + uint64_t{i + 1} * sizeof above, &above);
        inner = above.outer;
      }
      if (frame.node != inner) continue;
      if (frame.key == ~Key{0}) continue;  // the mark above which calls were only counted
      if (frame.node == location->header.sink) {
        ++location->folded_visits;
        continue;
      }
      const bool off = event::IsOff(&frame);
      const uint32_t place = off ? kNoNode : PlaceOf(frame.node);
      // A thread's part of an OpenMP region for whose call path there was no room has the node of a caller.
      const bool is_part = location->header.omp_thread != 0 && location->frames.empty();
      if (!off && place >= location->nodes.size()) continue;
      if (!off && !is_part && !IsKeyOf(location->nodes[place], frame.key)) continue;
      frame.entered &= event::kTicksOfFrame;
      const uint64_t outer = location->frames.empty() ? 0 : location->frames.back().entered;
      if (frame.entered < outer) continue;
      location->frames.push_back({off ? frame.key : location->nodes[place].key, frame.entered, place});
    }
  }

  // A thread of an OpenMP pool that has done its part in a region, which is over since its leader said so: it waited
  // until then, and is idle since.
  static void SettleTeam(LocationImage* location) {
    const uint64_t joined = location->header.joined;
    std::vector<OpenFrame>& frames = location->frames;
    if (location->header.omp_thread == 0 || frames.size() != 2) return;
    const Key key = frames.back().key;
    const bool is_construct = !event::IsRegion(key) || event::IsRetired(key);
    const bool waits = is_construct && event::ConstructOf(key) == event::Construct::kImplicitBarrier;
    if (!waits || joined < frames.back().entered) return;
    uint32_t idle = 0;
    while (idle < location->nodes.size() && location->nodes[idle].key != event::RegionKey(event::kIdleRegion)) ++idle;
    if (idle == location->nodes.size()) return;
    for (const OpenFrame& frame : frames) {
      if (frame.node == kNoNode) continue;  // the barrier is off
      Node& node = location->nodes[frame.node];
      const uint64_t ticks = joined - frame.entered;
      ++node.visits;
      node.ticks += ticks;
      node.min = std::min(node.min, ticks);
      node.max = std::max(node.max, ticks);
      node.squares += static_cast<double>(ticks) * static_cast<double>(ticks);
      if (&frame != frames.data()) continue;
      for (uint32_t n = node.parent; n != kNoNode; n = location->nodes[n].parent) location->nodes[n].ticks += ticks;
    }
    location->settled = frames;
    location->settled_at = joined;
    frames.assign(1, {event::RegionKey(event::kIdleRegion), joined, idle});
  }

  // Some code ran inside another call path than its own. Its time moves from the inclusive times there to its own
  // callers.
  static void PutDisplacedTimeRight(LocationImage* location) {
    std::vector<uint64_t> extra(location->nodes.size());  // modulo 2^64: some are negative
    for (size_t i = location->nodes.size(); i-- > 0;) {
      Node& node = location->nodes[i];
      if (node.key == event::RegionKey(event::kDisplacedMetric)) {
        std::memcpy(&extra[i], &node.squares, sizeof extra[i]);
      } else if (extra[i] != 0) {
        const bool taken = static_cast<int64_t>(extra[i]) < 0;
        node.ticks = taken && node.ticks < 0 - extra[i] ? 0 : node.ticks + extra[i];
      }
      if (node.parent != kNoNode) extra[node.parent] += extra[i];
    }
  }

  void ReadDefinitions(ImageDefinitions known) {
    std::vector<DefinitionsRead> present;
    for (const Chunk& chunk : chunks_) {
      if (chunk.header.kind != ChunkKind::kDefinitions) continue;
      present.push_back({chunk.line, chunk.header.lines, chunk.header.used});
    }
    if (present == known.definitions_read) {
      static_cast<ImageDefinitions&>(*image_) = std::move(known);
      image_->skipped += image_->skipped_definitions;
      return;
    }
    const uint64_t skipped = image_->skipped;
    for (const Chunk& chunk : chunks_) {
      if (chunk.header.kind == ChunkKind::kDefinitions) ReadDefinitions(chunk);
    }
    image_->definitions_read = std::move(present);
    image_->skipped_definitions = image_->skipped - skipped;
  }

  void ReadDefinitions(const Chunk& chunk) {
    const uint64_t room = uint64_t{chunk.header.lines - 1} * kLineBytes;
    const uint64_t used = std::min<uint64_t>(chunk.header.used, room);
    const char* start = At(chunk.line + 1);
    for (uint64_t at = 0; at + sizeof(RecordHeader) <= used;) {
      RecordHeader header;
      std::memcpy(&header, start + at, sizeof header);
      at += sizeof header;
      if (header.bytes > used - at) {
        ++image_->skipped;
        return;
      }
      ReadDefinitionRecord(header.type, std::string(start + at, header.bytes), image_);
      at += (uint64_t{header.bytes} + 7) & ~uint64_t{7};
    }
  }

  const char* bytes_;
  size_t size_;
  ProcessImage* image_;
  std::vector<Chunk> chunks_;
  std::map<uint32_t, uint32_t> location_at_;  // line -> index
  // Nodes are counted through all locations, so that one table does for all of them: those of the location that is
  // being read have the places from first_place_ on.
  LineTable place_of_line_;
  uint32_t first_place_ = 0;
  uint32_t next_place_ = 0;
};

}  // namespace

bool ReadProcessImage(const char* bytes, size_t size, ProcessImage* image, std::string* error) {
  *image = ProcessImage{};
  return ReadProcessImageAgain(bytes, size, image, error);
}

bool ReadProcessImageAgain(const char* bytes, size_t size, ProcessImage* image, std::string* error) {
  ImageDefinitions known = std::move(*image);
  *image = ProcessImage{};
  return Reader(bytes, size, image).Read(std::move(known), error);
}

}  // namespace epik::archive
