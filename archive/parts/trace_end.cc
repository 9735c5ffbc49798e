// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/trace_end.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "archive/trace/process_file.h"
#include "runtime/epilog/block_encoder.h"

namespace epik::archive {

using epilog::BlockEncoder;
using epilog::FileHeader;

namespace {

// The owner of an archive can read it under any umask.
void LetOwnerUse(int fd) {
  struct stat made;
  if (fstat(fd, &made) == 0 && (made.st_mode & 0600) != 0600) fchmod(fd, (made.st_mode & 0777) | 0600);
}

// Like mkdir(path, 0777), but the owner can always use the folder.
bool MakeFolder(const char* path) {
  if (mkdir(path, 0777) != 0) return false;
  struct stat made;
  if (lstat(path, &made) == 0 && S_ISDIR(made.st_mode) && (made.st_mode & 0700) != 0700) {
    chmod(path, (made.st_mode & 0777) | 0700);
  }
  return true;
}

class File {
 public:
  File(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666)) {
    struct stat info;
    if (fd_ < 0) return;
    if (fstat(fd_, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1) {
      if ((flags & O_CREAT) != 0) LetOwnerUse(fd_);
      return;
    }
    close(fd_);
    fd_ = -1;
    errno = EPERM;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int fd() const { return fd_; }
  bool Write(const void* bytes, size_t size, uint64_t at) const {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t n = pwrite(fd_, from, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      from += n;
      at += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
    return true;
  }

 private:
  int fd_;
};

bool Fail(const std::string& path, std::string* error) {
  *error = path + ": " + std::strerror(errno);
  return false;
}

bool Copy(const std::string& from, const std::string& to) {
  const File in(from, O_RDONLY);
  const File out(to, O_WRONLY | O_CREAT | O_TRUNC);
  if (in.fd() < 0 || out.fd() < 0) return false;
  std::vector<char> piece(1 << 20);
  uint64_t at = 0;
  while (true) {
    const ssize_t n = pread(in.fd(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    if (!out.Write(piece.data(), static_cast<size_t>(n), at)) return false;
    at += static_cast<uint64_t>(n);
  }
}

// Makes the folders of a name within the archive. A planted link would lead out of the archive, so links are refused.
bool MakeFolders(const std::string& archive, const std::string& name) {
  for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string path = archive + "/" + name.substr(0, slash);
    if (MakeFolder(path.c_str())) continue;
    struct stat info;
    if (errno != EEXIST || lstat(path.c_str(), &info) != 0) return false;
    errno = ENOTDIR;
    if (!S_ISDIR(info.st_mode)) return false;
  }
  return true;
}

// Brings the file to its place, if there is one. An interrupted recovery may have brought it there already.
bool BringToPlace(const std::string& written, bool copy, const std::string& path) {
  if (written.empty() || access(written.c_str(), F_OK) != 0) return true;
  if (!copy && rename(written.c_str(), path.c_str()) == 0) return true;
  if (!copy && errno != EXDEV) return false;
  if (!Copy(written, path)) return false;
  if (!copy) unlink(written.c_str());
  return true;
}

// How far the file has the stream of a location.
struct Position {
  uint64_t words = 0;
  uint64_t time = 0;
  std::vector<uint32_t> open;
};

bool ReadToItsEnd(const ProcessFile& file, size_t block, BlockDecoder* decoder) {
  std::string ignored;
  if (!file.ReadBlock(block, decoder, &ignored)) return false;
  Event event;
  while (decoder->Next(&event)) {
  }
  return decoder->error().empty();
}

// The arena has room for this many frames of all locations together: a depth is only a number in a file.
uint64_t MostFrames(const ProcessImage& image) {
  return uint64_t{image.header.arena.lines_used} * base::kLineBytes / sizeof(event::Frame);
}

// The positions by the last readable block of each location.
std::map<uint32_t, Position> FindPositions(const ProcessFile& file, uint64_t most_frames) {
  std::map<uint32_t, Position> positions;
  std::map<uint32_t, bool> found;
  BlockDecoder decoder;
  for (size_t i = file.blocks().size(); i-- > 0;) {
    const epilog::IndexEntry& block = file.blocks()[i];
    if (found[block.location]) continue;
    if (!ReadToItsEnd(file, i, &decoder) || decoder.depth() > most_frames) continue;
    found[block.location] = true;
    most_frames -= decoder.depth();
    Position& position = positions[block.location];
    position.words = decoder.header().first_word + decoder.header().words;
    position.time = decoder.header().last_time;
    const std::vector<uint32_t> known = decoder.OpenNodes();
    position.open.assign(decoder.depth() - std::min<size_t>(decoder.depth(), known.size()), 0);
    position.open.insert(position.open.end(), known.begin(), known.end());
  }
  return positions;
}

// Returns the frames that are open where a chunk begins: the callers of the innermost frame, as far as the call tree
// has them.
std::vector<uint32_t> CallersOf(const LocationImage& location, uint32_t line, uint32_t depth, uint64_t most_frames) {
  constexpr uint64_t kMost = 1u << 25;
  std::vector<uint32_t> open(std::min({uint64_t{depth}, kMost, most_frames}));
  const auto found = std::lower_bound(location.lines.begin(), location.lines.end(), line);
  if (found == location.lines.end() || *found != line) return open;
  auto node = static_cast<uint32_t>(found - location.lines.begin());
  for (size_t i = open.size(); i-- > 0 && node != kNoNode; node = location.nodes[node].parent) {
    open[i] = location.lines[node];
  }
  return open;
}

struct Switch {
  uint64_t ticks;
  bool on;
};

std::vector<Switch> SwitchesOf(const event::ProcessHeader& header) {
  std::vector<Switch> switches;
  for (uint32_t left = std::min(header.switches, event::kKeptSwitches); left > 0; --left) {
    const uint64_t word = header.switched[(header.switches - left) % event::kKeptSwitches];
    switches.push_back({word >> 1, (word & 1) != 0});
  }
  return switches;
}

// The words behind the last event of a stream, among them the switches of the trace that the stream does not have yet
// (runtime/epilog/capture_chunks.cc).
class LastSwitches {
 public:
  LastSwitches(const std::vector<Switch>& switches, uint64_t started, const epilog::Stream& stream)
      : switches_(switches), started_(started), time_(stream.time), high_(event::HighTime(stream.time)) {
    for (; stream.words != 0 && next_ < switches_.size() && switches_[next_].ticks <= time_; ++next_) {
      off_ = !switches_[next_].on;
    }
  }

  // Notes the switches up to `time`, and then this word.
  void Put(uint64_t time, uint32_t code) {
    NoteUntil(time);
    Add(time, code);
  }
  void NoteUntil(uint64_t time) {
    for (; next_ < switches_.size() && switches_[next_].ticks <= time; ++next_) {
      const Switch& next = switches_[next_];
      const bool before_start = next_ + 1 < switches_.size() && switches_[next_ + 1].ticks <= started_;
      if (next.on != off_ || before_start) continue;
      Add(std::max({next.ticks, started_, time_}), static_cast<uint32_t>(event::RecordKind::kSwitched));
      words.push_back(next.on ? 1 : 0);
      off_ = !next.on;
    }
  }

  std::vector<uint64_t> words;

 private:
  void Add(uint64_t time, uint32_t code) {
    if (event::HighTime(time) != high_) {
      high_ = event::HighTime(time);
      words.push_back(event::TraceWord(time, static_cast<uint32_t>(event::RecordKind::kTime)));
      words.push_back(time);
    }
    words.push_back(event::TraceWord(time, code));
    time_ = time;
  }

  const std::vector<Switch>& switches_;
  uint64_t started_;
  uint64_t time_;
  uint64_t high_;
  size_t next_ = 0;
  bool off_ = false;
};

class Encoding {
 public:
  Encoding(const File* file, uint64_t at, const ProcessImage& image)
      : file_(file),
        at_(at),
        level_(static_cast<int>(std::min(image.header.trace_level, 9u))),
        visits_(image.header.trace_visits),
        worth_(image.header.trace_worth),
        has_windows_((image.header.collects & event::kFollowWindows) != 0),
        ended_(image.header.end_ticks != 0),
        last_(image.LastTicks()),
        switches_(SwitchesOf(image.header)),
        most_frames_(MostFrames(image)) {
    void* memory = mmap(nullptr, BlockEncoder::ScratchBytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) scratch_ = memory;
  }
  ~Encoding() {
    if (scratch_ != nullptr) munmap(scratch_, BlockEncoder::ScratchBytes());
  }
  Encoding(const Encoding&) = delete;
  Encoding& operator=(const Encoding&) = delete;

  bool good() const { return scratch_ != nullptr; }

  // Appends the words of the location that the file does not have yet.
  bool Add(const LocationImage& location, const Position* position) {
    BlockEncoder encoder(scratch_);
    epilog::Stream stream{};
    open_.clear();
    stream.location = location.header.number;
    stream.words = location.header.flushed_words;
    uint64_t skip = 0;
    if (position != nullptr) {
      skip = position->words - stream.words;
      stream.words = position->words;
      stream.time = position->time;
      open_ = position->open;
    }
    if (skip == 0 && !location.trace.empty()) FillCallers(location);
    stream.open = {open_.data(), static_cast<uint32_t>(open_.size()), static_cast<uint32_t>(open_.size()), nullptr};
    room_ = &open_;
    encoder.Begin(&stream);
    for (const TraceChunk& chunk : location.trace) {
      const auto skipped = static_cast<uint32_t>(std::min<uint64_t>(skip, chunk.count));
      skip -= skipped;
      if (!Take(&encoder, &stream, chunk.words + skipped, chunk.count - skipped)) return false;
    }
    if (!encoder.Empty() && !Write(&encoder, &stream)) return false;
    const std::vector<uint64_t> words = LastWords(location, stream);
    if (!Take(&encoder, &stream, words.data(), static_cast<uint32_t>(words.size()))) return false;
    return encoder.Empty() || Write(&encoder, &stream);
  }

 private:
  // Blocks hold only the innermost open frames. The head of the first chunk and the call tree give the others.
  void FillCallers(const LocationImage& location) {
    const TraceChunk& first = location.trace.front();
    const std::vector<uint32_t> callers = CallersOf(location, first.node, first.depth, most_frames_);
    if (open_.empty()) open_.resize(callers.size());
    for (size_t i = 0; i < std::min(callers.size(), open_.size()); ++i) {
      if (open_[i] == 0) open_[i] = callers[i];
    }
  }

  // A call that has not ended is written when an event within it is. At the end, calls that have lasted long enough are
  // written, and the known calls of an OpenMP thread that waits; and the switches of the trace since the last event.
  std::vector<uint64_t> LastWords(const LocationImage& location, const epilog::Stream& stream) const {
    LastSwitches rest(switches_, location.header.started, stream);
    AddOpenCalls(location, stream, &rest);
    if (stream.words != 0 || !rest.words.empty()) rest.NoteUntil(last_);
    return std::move(rest.words);
  }

  void AddOpenCalls(const LocationImage& location, const epilog::Stream& stream, LastSwitches* rest) const {
    const bool settled = !location.settled.empty();
    const std::vector<OpenFrame>& frames = settled ? location.settled : location.frames;
    const size_t logged = stream.open.depth;
    if (logged > frames.size()) return;
    for (size_t i = 0; i < logged; ++i) {
      if (location.lines[frames[i].node] != open_[i]) return;
    }
    const uint64_t end = settled ? location.settled_at : last_;
    size_t worth = frames.size();
    while (worth > logged && !IsWorth(location, frames[worth - 1], end, !settled)) --worth;
    for (size_t i = logged; i < worth; ++i) {
      rest->Put(frames[i].entered, location.lines[frames[i].node]);
    }
    if (!settled) return;
    for (size_t i = worth; i > 0; --i) rest->Put(end, static_cast<uint32_t>(event::RecordKind::kExit));
    const OpenFrame& idle = location.frames.front();
    if (IsWorth(location, idle, last_, false)) rest->Put(idle.entered, location.lines[idle.node]);
  }

  bool IsWorth(const LocationImage& location, const OpenFrame& frame, uint64_t end, bool in_flight) const {
    constexpr uint64_t kNever = ~uint64_t{0};
    if (location.header.worth == kNever) return false;  // the trace is off
    if (has_windows_ && location.header.in_window == 0) return false;
    if (visits_ != 0 && location.nodes[frame.node].visits >= visits_) return false;
    // The length of a call is not known when its process was killed. The call may even be the reason for that.
    if (in_flight && !ended_ && worth_ != kNever) return true;
    return end >= frame.entered && end - frame.entered >= worth_;
  }

  bool Take(BlockEncoder* encoder, epilog::Stream* stream, const uint64_t* words, uint32_t count) {
    for (uint32_t at = 0; at < count;) {
      at += encoder->Take(words + at, count - at);
      if (at < count && !Write(encoder, stream)) return false;
    }
    return true;
  }

  bool Write(BlockEncoder* encoder, epilog::Stream* stream) {
    // The encoder leaves open frames in the stream: at most as many new ones as its events.
    room_->resize(room_->size() + epilog::kMostEvents);
    stream->open.nodes = room_->data();
    stream->open.room = static_cast<uint32_t>(room_->size());
    const epilog::EncodedBlock block = encoder->Finish(level_);
    room_->resize(stream->open.depth);
    if (!file_->Write(block.bytes, block.size, at_)) return false;
    at_ += block.size;
    encoder->Begin(stream);
    return true;
  }

  const File* file_;
  uint64_t at_;
  int level_;
  uint64_t visits_;
  uint64_t worth_;  // the least ticks of a call that is logged
  bool has_windows_;
  bool ended_;  // the process ended by itself, so the end of calls is known
  uint64_t last_;
  std::vector<Switch> switches_;
  uint64_t most_frames_;
  void* scratch_ = nullptr;
  std::vector<uint32_t> open_;
  std::vector<uint32_t>* room_ = nullptr;
};

bool AppendRest(const ProcessImage& image, const std::string& path, std::string* error) {
  ProcessFile before;
  const bool there = before.OpenAndSearch(path, error);
  const File file(path, O_RDWR | O_CREAT);
  if (file.fd() < 0) return Fail(path, error);
  if (!there) {
    // The file is missing, or the process was killed before it wrote the first bytes.
    FileHeader header{};
    std::memcpy(header.magic, epilog::kFileMagic, sizeof header.magic);
    header.version = epilog::kFormatVersion;
    header.header_bytes = sizeof header;
    header.process_id = image.header.pid;
    header.rank = -1;
    if (!file.Write(&header, sizeof header, 0)) return Fail(path, error);
    if (!before.OpenAndSearch(path, error)) return false;
  }
  const std::map<uint32_t, Position> positions = FindPositions(before, MostFrames(image));
  // Appends behind the places that threads reserved and may not have written, and behind an index. There is at most one
  // block for each thread, because a damaged number would make the file a hole of terabytes.
  const uint64_t given = image.locations.size() * uint64_t{BlockEncoder::ScratchBytes()};
  uint64_t end = std::max(before.bytes(), std::min<uint64_t>(image.header.trace_bytes, before.bytes() + given));
  end = (end + epilog::kBlockAlign - 1) & ~uint64_t{epilog::kBlockAlign - 1};
  Encoding encoding(&file, end, image);
  if (!encoding.good()) return Fail(path, error);
  for (const LocationImage& location : image.locations) {
    const auto position = positions.find(location.header.number);
    const bool known = position != positions.end() && position->second.words >= location.header.flushed_words;
    if (!encoding.Add(location, known ? &position->second : nullptr)) return Fail(path, error);
  }
  return true;
}

}  // namespace

ClockFacts ClockOf(const ProcessImage& image) {
  const event::ProcessHeader& header = image.header;
  ClockFacts facts;
  facts.ticks = header.first_pair.ticks;
  facts.ns = header.first_pair.ns;
  facts.seconds_per_tick = image.SecondsPerTick();
  const auto add = [&](const event::ClockOffset& offset) {
    facts.offsets.push_back({offset.at_ns, offset.offset_ns, offset.error_ns});
  };
  if (header.clock_offsets > 0) add(header.clock_offset[0]);
  for (const event::ClockOffset& offset : image.clock_offsets) add(offset);
  if (header.clock_offsets > 1) add(header.clock_offset[1]);
  return facts;
}

bool HasTrace(const ProcessImage& image) { return image.header.trace_bytes != 0; }

std::string TraceFileName(int32_t rank) {
  char name[64];
  std::snprintf(name, sizeof name, "traces/%03d/%d.elg", rank / 1000, rank);
  return name;
}

bool EndTrace(const ProcessImage& image, bool copy, const std::string& archive, TraceEnd* end, std::string* error) {
  *end = TraceEnd();
  if (!HasTrace(image)) return true;
  const int32_t rank = image.header.ranks == 0 ? 0 : std::max(image.header.rank, 0);
  const std::string name = TraceFileName(rank);
  const std::string path = archive + "/" + name;
  if (!MakeFolders(archive, name) || !BringToPlace(image.trace_file, copy, path)) return Fail(path, error);
  end->file = name;
  const bool good = AppendRest(image, path, error) && FinishProcessFile(path, rank, error);
  ProcessFile file;
  std::string ignored;
  if (file.Open(path, &ignored)) {
    end->bytes = file.bytes();
    for (const epilog::IndexEntry& block : file.blocks()) end->events += block.events;
  }
  return good;
}

}  // namespace epik::archive
