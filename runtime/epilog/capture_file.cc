// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/capture_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "runtime/base/file_limit_ignored.h"
#include "runtime/base/floats_apart.h"
#include "runtime/base/own_stack.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/system_call.h"
#include "runtime/epilog/block_encoder.h"
#include "runtime/epilog/capture_state.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/workplace.h"

namespace epik::epilog {

using base::ChunkHeader;
using base::LineAt;
using epilog::BlockEncoder;
using epilog::EncodedBlock;
using epilog::OpenStack;
using epilog::Stream;
using event::Location;

EPIK_PER_THREAD base::PerThread<LogFlush> log_flush;

namespace {

void* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool Grow(OpenStack* stack, uint32_t depth) {
  uint32_t room = stack->room;
  while (room < depth) room *= 2;
  void* larger = Map(room * sizeof(uint32_t));
  if (larger == nullptr) return false;
  std::memcpy(larger, stack->nodes, stack->room * sizeof(uint32_t));
  munmap(stack->nodes, stack->room * sizeof(uint32_t));
  stack->nodes = static_cast<uint32_t*>(larger);
  stack->room = room;
  return true;
}

// The stream of the location. It is made when the trace does not fit into memory for the first time.
Stream* StreamOf(Location* location) {
  if (location->log_stream == kStoppedStream) return nullptr;
  if (location->log_stream != 0) return reinterpret_cast<Stream*>(location->log_stream);
  constexpr uint32_t kFirstRoom = 1024;
  auto* stream = static_cast<Stream*>(Map(sizeof(Stream)));
  void* nodes = Map(kFirstRoom * sizeof(uint32_t));
  if (stream == nullptr || nodes == nullptr) return nullptr;
  *stream = {location->number, location->flushed_words, 0, {static_cast<uint32_t*>(nodes), 0, kFirstRoom, Grow}};
  location->log_stream = reinterpret_cast<uint64_t>(stream);
  return stream;
}

// Uses bare system calls: libc's functions are points of cancellation, and the program may have replaced them.
class File {
 public:
  File() : fd_(base::SystemCall(SYS_openat, AT_FDCWD, episode::TraceFile(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ < 0) NoteError(errno);
  }
  ~File() {
    if (fd_ >= 0) base::SystemCall(SYS_close, fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Comes before each thread's blocks, because the disk may have been full when another thread wrote its own.
  bool WriteHeader() {
    if (fd_ < 0) return false;
    epilog::FileHeader header{};
    std::memcpy(header.magic, epilog::kFileMagic, sizeof header.magic);
    header.version = epilog::kFormatVersion;
    header.header_bytes = sizeof header;
    header.process_id = event::Process()->pid;
    LetOwnerUse();
    header.rank = event::Process()->ranks != 0 ? event::Process()->rank : -1;
    return Write(&header, sizeof header, 0);
  }

  bool Append(const EncodedBlock& block) {
    std::atomic_ref<uint64_t> end(event::Process()->trace_bytes);
    const uint64_t at = end.fetch_add(block.size);
    return Write(block.bytes, block.size, at);
  }

 private:
  static void NoteError(int32_t error) {
    int32_t none = 0;
    std::atomic_ref<int32_t>(event::Process()->trace_error).compare_exchange_strong(none, error);
  }

  // Gives the owner the rights that the program's umask has taken away.
  void LetOwnerUse() const {
    struct stat made;
    if (fstat(static_cast<int>(fd_), &made) != 0 || (made.st_mode & 0600) == 0600) return;
    fchmod(static_cast<int>(fd_), (made.st_mode & 0777) | 0600);
  }

  bool Write(const void* bytes, size_t size, uint64_t at) {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const long n = base::SystemCall(SYS_pwrite64, fd_, from, size, at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        NoteError(n < 0 ? errno : ENOSPC);
        return false;
      }
      from += n;
      at += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
    return true;
  }

  long fd_;
};

class Writer {
 public:
  Writer(Location* location, Stream* stream, void* scratch) : location_(location), stream_(stream), encoder_(scratch) {}

  bool WriteAll() {
    if (!file_.WriteHeader()) return false;
    encoder_.Begin(stream_);
    for (uint32_t chunk = location_->log_first; chunk != 0; chunk = LineAt<ChunkHeader>(chunk)->next) {
      const auto* header = LineAt<ChunkHeader>(chunk);
      const uint64_t* words = LineAt<uint64_t>(chunk + 1);
      for (uint32_t at = 0; at < header->used;) {
        at += encoder_.Take(words + at, header->used - at);
        if (at < header->used && !WriteBlock()) return false;
      }
    }
    return encoder_.Empty() || WriteBlock();
  }
  uint64_t bytes() const { return bytes_; }

 private:
  bool WriteBlock() {
    const EncodedBlock block = encoder_.Finish(static_cast<int>(event::Process()->trace_level));
    if (!file_.Append(block)) return false;
    bytes_ += block.size;
    encoder_.Begin(stream_);
    return true;
  }

  Location* location_;
  Stream* stream_;
  BlockEncoder encoder_;
  File file_;
  uint64_t bytes_ = 0;
};

// Frees the chunks, because the file has their words now.
void FreeChunks(Location* location) {
  uint64_t words = 0;
  uint32_t last = 0;
  for (uint32_t chunk = location->log_first; chunk != 0; chunk = LineAt<ChunkHeader>(chunk)->next) {
    auto* header = LineAt<ChunkHeader>(chunk);
    words += header->used;
    header->order = 0;
    last = chunk;
  }
  location->flushed_words += words;
  LineAt<ChunkHeader>(last)->next = location->log_free;
  location->log_free = location->log_first;
  location->log_first = 0;
  location->log_chunk = 0;
  location->log_chunks = 0;
  location->log_at = 0;
  location->log_limit = 0;
}

}  // namespace

namespace {

// A buffer may become full in a signal handler, which may have only 4 KiB of stack. So a stack for writing lies below
// the scratch memory of the encoder.
constexpr size_t kStackBytes = 64u << 10;

struct Writing {
  Location* location;
  Stream* stream;
  char* memory;  // the stack, and above it the scratch memory
  bool written;
};

void WriteOnItsStack(void* argument) {
  const base::FileLimitIgnored ignored;
  auto* writing = static_cast<Writing*>(argument);
  Writer writer(writing->location, writing->stream, writing->memory + kStackBytes);
  writing->written = writer.WriteAll();
  log_flush->bytes = writer.bytes();
}

}  // namespace

bool WriteLog(Location* location) {
  if (location->log_chunk == 0) return true;
  const base::SignalsBlocked blocked;  // a handler may need more than that stack has
  const base::FloatsApart floats;
  const int saved_errno = errno;
  log_flush->begin = base::Now();
  auto* last = LineAt<ChunkHeader>(location->log_chunk);
  last->used = location->log_at - (location->log_chunk + 1) * (base::kLineBytes / sizeof(uint64_t));
  Stream* stream = StreamOf(location);
  const size_t bytes = kStackBytes + BlockEncoder::ScratchBytes();
  Writing writing{location, stream, static_cast<char*>(Map(bytes)), false};
  if (stream != nullptr && writing.memory != nullptr) {
    base::CallOnStack(writing.memory + kStackBytes, WriteOnItsStack, &writing);
  }
  if (writing.memory != nullptr) munmap(writing.memory, bytes);
  if (writing.written) FreeChunks(location);
  std::atomic_ref<uint32_t>(event::Process()->trace_flushes).fetch_add(1);
  log_flush->end = base::Now();
  location->logging = kFlushed;
  errno = saved_errno;
  return writing.written;
}

}  // namespace epik::epilog
