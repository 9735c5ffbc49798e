// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/build_id.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "archive/symbols/test_programs.h"

namespace epik::symbols {
namespace {

std::string Note(uint32_t type, const std::string& name, const std::string& content, size_t align) {
  const Elf64_Nhdr header = {static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(content.size()), type};
  std::string note(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::string& part : {name, content}) {
    note += part;
    note.resize((note.size() + align - 1) / align * align);
  }
  return note;
}

const std::string kGnu("GNU\0", 4);

TEST(BuildId, FoundBehindOtherNotes) {
  for (const size_t align : {4, 8}) {
    const std::string notes = Note(NT_GNU_ABI_TAG, kGnu, "0123456789abcdef", align) +
                              Note(NT_GNU_BUILD_ID, std::string("other", 6), "abcd", align) +
                              Note(NT_GNU_BUILD_ID, kGnu, "\x01\xab\xff", align);
    BuildId id;
    ASSERT_TRUE(FindBuildId(notes.data(), notes.size(), align, &id)) << align;
    EXPECT_EQ(id.Hex(), "01abff");
  }
  EXPECT_EQ(BuildId().Hex(), "");
  EXPECT_TRUE(BuildId().empty());
}

TEST(BuildId, NotFoundInWhatIsCutOrTooLong) {
  const std::string note = Note(NT_GNU_BUILD_ID, kGnu, "12345678", 4);
  BuildId id;
  for (size_t size = 0; size < note.size(); ++size) {
    const std::vector<char> exact(note.data(), note.data() + size);  // so that asan notices a byte beyond it
    EXPECT_FALSE(FindBuildId(exact.data(), size, 4, &id)) << size;
  }
  const std::string longest = Note(NT_GNU_BUILD_ID, kGnu, std::string(BuildId::kMaxBytes, 'x'), 4);
  EXPECT_TRUE(FindBuildId(longest.data(), longest.size(), 4, &id));
  const std::string longer = Note(NT_GNU_BUILD_ID, kGnu, std::string(BuildId::kMaxBytes + 1, 'x'), 4);
  EXPECT_FALSE(FindBuildId(longer.data(), longer.size(), 4, &id));
  const std::string empty = Note(NT_GNU_BUILD_ID, kGnu, "", 4);
  EXPECT_FALSE(FindBuildId(empty.data(), empty.size(), 4, &id));
}

TEST(BuildId, OfFilesAsReadelfShowsIt) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/m.c", "int main(void) { return 0; }\n");
  for (const char* flag : {"", "-Wl,--build-id=md5", "-Wl,--build-id=uuid", "-Wl,--build-id=0x0102030405060708"}) {
    Shell(folder, std::string("gcc -g m.c -o m ") + flag + " && objcopy --only-keep-debug m m.debug && strip m");
    const std::string shown = Shell(folder, "readelf -n m | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
    BuildId id, debug_id;
    EXPECT_TRUE(BuildIdOfFile((folder + "/m").c_str(), &id));
    EXPECT_EQ(id.Hex(), shown);
    EXPECT_TRUE(BuildIdOfFile((folder + "/m.debug").c_str(), &debug_id));
    EXPECT_EQ(debug_id.Hex(), shown);
  }
  Shell(folder, "gcc m.c -o m -Wl,--build-id=none && mkfifo fifo");
  BuildId id;
  errno = 77;
  for (const char* name : {"/m", "/m.c", "/fifo", "/nothing", ""}) {
    EXPECT_FALSE(BuildIdOfFile((folder + name).c_str(), &id)) << name;
  }
  EXPECT_EQ(errno, 77);
}

TEST(BuildId, RandomNotesStayInBounds) {
  const std::string notes = Note(NT_GNU_ABI_TAG, kGnu, "0123456789abcdef", 4) + Note(1, "x", "y", 4) +
                            Note(NT_GNU_BUILD_ID, kGnu, "12345678", 4);
  std::mt19937 random(20260101);
  for (int i = 0; i < 200'000; ++i) {
    std::vector<char> mutated(notes.begin(), notes.end());
    mutated.resize(random() % (notes.size() + 1));
    for (uint32_t k = 0; k < 1 + random() % 4 && !mutated.empty(); ++k) {
      mutated[random() % mutated.size()] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    BuildId id;
    if (FindBuildId(mutated.data(), mutated.size(), random() % 2 == 0 ? 4 : 8, &id)) {
      EXPECT_LE(id.size, BuildId::kMaxBytes);
    }
  }
}

}  // namespace
}  // namespace epik::symbols
