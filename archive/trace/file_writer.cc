// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/file_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "archive/trace/process_file.h"
#include "runtime/event/trace.h"

namespace epik::archive {

using event::RecordKind;

namespace {

constexpr int kLevel = 1;  // of zlib, as in the program

bool Grow(epilog::OpenStack* stack, uint32_t depth) {
  const uint32_t room = std::max(depth, 2 * stack->room);
  void* larger = std::realloc(stack->nodes, room * sizeof(uint32_t));
  if (larger == nullptr) return false;
  stack->nodes = static_cast<uint32_t*>(larger);
  stack->room = room;
  return true;
}

}  // namespace

FileWriter::FileWriter()
    : scratch_(std::make_unique<uint64_t[]>(epilog::BlockEncoder::ScratchBytes() / sizeof(uint64_t))),
      encoder_(scratch_.get()) {}

FileWriter::~FileWriter() {
  std::free(stream_.open.nodes);
  if (file_ != nullptr) std::fclose(file_);
}

void FileWriter::Open(const std::string& path, uint32_t process_id) {
  path_ = path;
  // The `x` refuses a file that exists, so that no trace is lost.
  file_ = std::fopen(path.c_str(), "wxe");
  if (file_ == nullptr) {
    error_ = path + ": " + std::strerror(errno);
    return;
  }
  epilog::FileHeader header{};
  std::memcpy(header.magic, epilog::kFileMagic, sizeof header.magic);
  header.version = epilog::kFormatVersion;
  header.header_bytes = sizeof header;
  header.process_id = process_id;
  header.rank = -1;
  Write(&header, sizeof header);
}

void FileWriter::Begin(uint32_t location) {
  EndLocation();
  // The next location uses the same memory for open frames.
  epilog::OpenStack open = stream_.open;
  open.depth = 0;
  open.grow = Grow;
  stream_ = {location, 0, 0, open};
  encoder_.Begin(&stream_);
  open_.clear();
  high_ = 0;
  begun_ = true;
}

void FileWriter::PutWord(uint64_t time, uint32_t code) {
  // A word holds only the lower bits of its time. When the upper bits change, a record with them must come first.
  if (event::HighTime(time) != high_) {
    high_ = event::HighTime(time);
    words_.push_back(event::TraceWord(time, static_cast<uint32_t>(RecordKind::kTime)));
    words_.push_back(time);
  }
  words_.push_back(event::TraceWord(time, code));
}

void FileWriter::Put(const Event& event) {
  if (event.kind == RecordKind::kEnter) {
    open_.push_back(event::IsEnter(event.node));
    if (!open_.back()) return;
    PutWord(event.time, event.node);
  } else if (event.kind == RecordKind::kExit) {
    // A trace may begin within calls: an exit without an enter before it is written unchanged.
    const bool is_there = open_.empty() || open_.back();
    if (!open_.empty()) open_.pop_back();
    if (!is_there) return;
    PutWord(event.time, static_cast<uint32_t>(RecordKind::kExit));
  } else {
    PutWord(event.time, static_cast<uint32_t>(event.kind));
    words_.insert(words_.end(), event.field, event.field + event::FieldsOf(event.kind));
  }
  ++events_;
  if (words_.size() >= kWordsAtOnce) Encode();
}

void FileWriter::Encode() {
  for (size_t done = 0; done < words_.size();) {
    done += encoder_.Take(words_.data() + done, static_cast<uint32_t>(words_.size() - done));
    if (done < words_.size()) WriteBlock();
  }
  words_.clear();
}

void FileWriter::WriteBlock() {
  if (encoder_.Empty()) return;
  const epilog::EncodedBlock block = encoder_.Finish(kLevel);
  Write(block.bytes, block.size);
  encoder_.Begin(&stream_);
}

void FileWriter::Write(const void* bytes, size_t size) {
  if (file_ == nullptr || !error_.empty() || std::fwrite(bytes, 1, size, file_) == size) return;
  error_ = path_ + ": " + std::strerror(errno);
}

void FileWriter::EndLocation() {
  if (!begun_) return;
  Encode();
  WriteBlock();
  begun_ = false;
}

bool FileWriter::Finish(int32_t rank, std::string* error) {
  EndLocation();
  // A full disk may show up only now, because fclose writes the last bytes.
  if (file_ != nullptr && std::fclose(file_) != 0 && error_.empty()) error_ = path_ + ": " + std::strerror(errno);
  file_ = nullptr;
  if (error_.empty()) return FinishProcessFile(path_, rank, error);
  *error = error_;
  return false;
}

}  // namespace epik::archive
