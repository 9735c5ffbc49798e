// SPDX-License-Identifier: BSD-3-Clause
// Builds trace files by hand, so that tests of readers need no program.
#ifndef EPIK_ARCHIVE_TRACE_TEST_TRACE_H_
#define EPIK_ARCHIVE_TRACE_TEST_TRACE_H_

#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/epilog/block_encoder.h"
#include "runtime/event/trace.h"

namespace epik::archive {

class TestTrace {
 public:
  explicit TestTrace(uint32_t process_id = 1234) : scratch_(new uint64_t[epilog::BlockEncoder::ScratchBytes() / 8]()) {
    epilog::FileHeader header{};
    std::memcpy(header.magic, epilog::kFileMagic, sizeof header.magic);
    header.version = epilog::kFormatVersion;
    header.header_bytes = sizeof header;
    header.process_id = process_id;
    header.rank = -1;
    bytes_.assign(reinterpret_cast<const char*>(&header), sizeof header);
  }

  // Adds the words as one block, or as several blocks when one is full.
  void Add(uint32_t location, const std::vector<uint64_t>& words, int level = 1) {
    Location& at = locations_[location];
    if (at.nodes.empty()) {
      at.nodes.resize(1 << 16);
      at.stream.location = location;
      at.stream.open = {at.nodes.data(), 0, static_cast<uint32_t>(at.nodes.size()), nullptr};
    }
    epilog::BlockEncoder encoder(scratch_.get());
    for (size_t done = 0; done < words.size();) {
      encoder.Begin(&at.stream);
      done += encoder.Take(words.data() + done, static_cast<uint32_t>(words.size() - done));
      if (encoder.Empty()) continue;
      const epilog::EncodedBlock block = encoder.Finish(level);
      offsets_.push_back(bytes_.size());
      bytes_.append(static_cast<const char*>(block.bytes), block.size);
    }
  }

  std::string& bytes() { return bytes_; }
  const std::vector<size_t>& offsets() const { return offsets_; }  // of the blocks
  void Write(const std::string& path) const {
    std::ofstream(path, std::ios::binary).write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  struct Location {
    std::vector<uint32_t> nodes;
    epilog::Stream stream{};
  };
  std::unique_ptr<uint64_t[]> scratch_;
  std::map<uint32_t, Location> locations_;
  std::string bytes_;
  std::vector<size_t> offsets_;
};

inline uint64_t EnterWord(uint64_t time, uint32_t node) { return event::TraceWord(time, node); }
inline uint64_t ExitWord(uint64_t time) {
  return event::TraceWord(time, static_cast<uint32_t>(event::RecordKind::kExit));
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_TEST_TRACE_H_
