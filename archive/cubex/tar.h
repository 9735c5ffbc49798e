// SPDX-License-Identifier: BSD-3-Clause
// The container of a .cubex file: a ustar archive with a padding rule of its own (docs/formats.md).
#ifndef EPIK_ARCHIVE_CUBEX_TAR_H_
#define EPIK_ARCHIVE_CUBEX_TAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"

namespace epik::archive {

struct TarMember {
  std::string name;
  uint64_t offset = 0;  // of its content
  uint64_t size = 0;
};

// Lists the members in the order of the file. Accepts both paddings of members whose size is a multiple of 512. It
// ignores checksums, because CubeLib does so and CUBE 4.8 wrote wrong ones.
bool ListTar(const ByteSource& file, std::vector<TarMember>* members, std::string* error);

class TarWriter {
 public:
  bool Open(const std::string& path, std::string* error) { return file_.Open(path, error); }
  // `size` bytes must follow the call. When the size is a multiple of 512, one byte `filler` is added: CUBE and tar
  // disagree about the padding of such a member.
  bool Begin(const std::string& name, uint64_t size, char filler, std::string* error);
  // Begins a member whose size is known only at its end. It must stay below kMostGrown.
  bool BeginGrowing(const std::string& name, std::string* error);
  static constexpr uint64_t kMostGrown = uint64_t{1} << 32;
  bool Write(const void* data, size_t n, std::string* error);
  // Replaces bytes of the open member that were written before.
  bool Rewrite(uint64_t at, const void* data, size_t n, std::string* error);
  bool End(std::string* error);
  bool Finish(std::string* error);  // the file gets its name

 private:
  bool WriteHeader(const std::string& name, uint64_t size, char type, std::string* error);

  AtomicFile file_;
  bool grows_ = false;
  std::string name_;        // of the open member
  uint64_t content_ = 0;    // where its content begins
  uint64_t written_ = 0;    // of the open member
  uint64_t announced_ = 0;  // without the filler
  char filler_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_TAR_H_
