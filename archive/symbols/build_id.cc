// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/build_id.h"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace epik::symbols {
namespace {

static_assert(sizeof(ElfW(Phdr)) == sizeof(Elf64_Phdr), "only 64-bit programs are measured");

constexpr size_t kMaxNoteBytes = 4096;  // read from a note section of a file: real ones have some 100 bytes
constexpr size_t kMaxHeaders = 4096;    // program or section headers that are read from a file

uint64_t RoundUp(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }

// Reads a file at any place, but never beyond its end. errno stays as it was, for the program around us.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) size_ = static_cast<uint64_t>(status.st_size);
  }
  ~File() { errno = errno_; }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool Read(uint64_t offset, void* out, size_t size) const {
    if (offset > size_ || size > size_ - offset) return false;
    char* to = static_cast<char*>(out);
    while (size > 0) {
      const ssize_t got = pread(descriptor_, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int errno_ = errno;
  int descriptor_;
  uint64_t size_ = 0;
};

bool IsOurElf(const Elf64_Ehdr& header) {
  constexpr unsigned char kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == kOrder;
}

bool FindInFile(const File& file, uint64_t offset, uint64_t size, uint64_t align, BuildId* id) {
  alignas(8) char notes[kMaxNoteBytes];
  const size_t taken = size < sizeof notes ? static_cast<size_t>(size) : sizeof notes;
  return file.Read(offset, notes, taken) && FindBuildId(notes, taken, align, id);
}

}  // namespace

std::string BuildId::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(size_t{2} * size);
  for (size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

bool FindBuildId(const void* data, size_t size, size_t align, BuildId* id) {
  const uint64_t step = align == 8 ? 8 : 4;
  const char* notes = static_cast<const char*>(data);
  uint64_t at = 0;
  while (size >= sizeof(Elf64_Nhdr) && at <= size - sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;  // a copy, because a hostile file need not align it
    memcpy(&note, notes + at, sizeof note);
    const uint64_t name = at + sizeof note;
    const uint64_t content = RoundUp(name + note.n_namesz, step);  // 32-bit sizes: cannot wrap
    if (content > size || note.n_descsz > size - content) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note.n_descsz > 0 &&
        note.n_descsz <= BuildId::kMaxBytes) {
      id->size = static_cast<uint8_t>(note.n_descsz);
      memcpy(id->bytes, notes + content, note.n_descsz);
      return true;
    }
    at = RoundUp(content + note.n_descsz, step);
  }
  return false;
}

bool BuildIdOfFile(const char* path, BuildId* id) {
  const int saved = errno;
  // O_NONBLOCK: if the path is a fifo, the program must not wait.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool found = descriptor >= 0 && BuildIdOfFile(descriptor, id);
  if (descriptor >= 0) close(descriptor);
  errno = saved;
  return found;
}

bool BuildIdOfFile(int descriptor, BuildId* id) {
  const File file(descriptor);
  Elf64_Ehdr header;
  if (!file.Read(0, &header, sizeof header) || !IsOurElf(header)) return false;
  for (size_t i = 0; i < header.e_phnum && i < kMaxHeaders && header.e_phentsize == sizeof(Elf64_Phdr); ++i) {
    Elf64_Phdr segment;
    if (!file.Read(header.e_phoff + i * sizeof segment, &segment, sizeof segment)) break;
    if (segment.p_type != PT_NOTE) continue;
    if (FindInFile(file, segment.p_offset, segment.p_filesz, segment.p_align, id)) return true;
  }
  for (size_t i = 0; i < header.e_shnum && i < kMaxHeaders && header.e_shentsize == sizeof(Elf64_Shdr); ++i) {
    Elf64_Shdr section;
    if (!file.Read(header.e_shoff + i * sizeof section, &section, sizeof section)) break;
    if (section.sh_type != SHT_NOTE) continue;
    if (FindInFile(file, section.sh_offset, section.sh_size, section.sh_addralign, id)) return true;
  }
  return false;
}

}  // namespace epik::symbols
