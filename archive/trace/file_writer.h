// SPDX-License-Identifier: BSD-3-Clause
// Writes the trace file of a process outside of the program: one location after the other, each in order of time.
//
//   FileWriter file;
//   file.Open(path, process_id);
//   file.Begin(location); file.Put(event); …  // for each location
//   file.Finish(rank, &error);
#ifndef EPIK_ARCHIVE_TRACE_FILE_WRITER_H_
#define EPIK_ARCHIVE_TRACE_FILE_WRITER_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "archive/trace/event.h"
#include "runtime/epilog/block_encoder.h"

namespace epik::archive {

class FileWriter {
 public:
  FileWriter();
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Finish reports the first failure.
  void Open(const std::string& path, uint32_t process_id);
  void Begin(uint32_t location);
  // Time, kind, node and fields are used. An enter without a node is left out, with its exit.
  void Put(const Event& event);
  bool Finish(int32_t rank, std::string* error);

  uint64_t events() const { return events_; }

 private:
  static constexpr size_t kWordsAtOnce = 1 << 14;

  void PutWord(uint64_t time, uint32_t code);
  void Encode();
  void WriteBlock();
  void Write(const void* bytes, size_t size);
  void EndLocation();

  std::string path_;
  std::string error_;
  FILE* file_ = nullptr;
  std::unique_ptr<uint64_t[]> scratch_;
  epilog::BlockEncoder encoder_;
  epilog::Stream stream_{};
  std::vector<uint64_t> words_;
  std::vector<bool> open_;  // for each open frame, whether it is in the file
  uint64_t high_ = 0;       // the bits of the time that words leave out
  uint64_t events_ = 0;
  bool begun_ = false;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_FILE_WRITER_H_
