// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/tar.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "archive/cubex/reader.h"
#include "archive/cubex/test_profiles.h"
#include "archive/files/from_memory.h"

namespace epik::archive {
namespace {

std::vector<TarMember> List(const std::string& tar, std::string* error) {
  std::vector<TarMember> members;
  error->clear();
  if (ListTar(*FromMemory(tar), &members, error)) {
    EXPECT_TRUE(error->empty());
  } else {
    members.clear();
  }
  return members;
}

TEST(CubexTar, ReadsBothPaddingsOfFullBlocks) {
  for (const bool cube_padding : {false, true}) {
    const std::string tar =
        MakeTar({{"a", std::string(512, 'a')}, {"b", ""}, {"c", std::string(1024, 'c')}, {"d", "d"}}, cube_padding);
    std::string error;
    const std::vector<TarMember> members = List(tar, &error);
    ASSERT_EQ(members.size(), 4u) << error;
    EXPECT_EQ(members[2].name, "c");
    EXPECT_EQ(tar[members[2].offset], 'c');
    EXPECT_EQ(members[3].size, 1u);
    EXPECT_EQ(tar[members[3].offset], 'd');
  }
}

TEST(CubexTar, WritesWhatItReads) {
  for (const size_t size : {0, 1, 511, 512, 513, 1024}) {
    std::string error;
    {
      TarWriter writer;
      ASSERT_TRUE(writer.Open(TestPath("w.cubex"), &error)) << error;
      ASSERT_TRUE(writer.Begin("0.data", size, '\n', &error));
      ASSERT_TRUE(writer.Write(std::string(size, 'x').data(), size, &error));
      ASSERT_TRUE(writer.End(&error)) << error;
      ASSERT_TRUE(writer.Begin("z", 1, '\0', &error) && writer.Write("y", 1, &error) && writer.End(&error));
      ASSERT_TRUE(writer.Finish(&error)) << error;
    }
    const std::string tar = ReadWhole(TestPath("w.cubex"));
    const std::vector<TarMember> members = List(tar, &error);
    ASSERT_EQ(members.size(), 2u) << error;
    const size_t stored = size % 512 == 0 ? size + 1 : size;
    EXPECT_EQ(members[0].size, stored);
    EXPECT_EQ(tar.substr(members[0].offset, stored), (std::string(size, 'x') + "\n").substr(0, stored));
    EXPECT_EQ(GetMember(tar, "z"), "y");  // by CUBE's step
    EXPECT_EQ(tar.size() % 512, 0u);
    // The checksum, as tar computes it.
    unsigned sum = 8 * ' ';
    for (size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? 0 : static_cast<unsigned char>(tar[i]);
    EXPECT_EQ(std::stoul(tar.substr(148, 6), nullptr, 8), sum);
  }
}

TEST(CubexTar, RefusesNamesThatReadersWouldNotFind) {
  TarWriter writer;
  std::string error;
  ASSERT_TRUE(writer.Open(TestPath("names.cubex"), &error));
  EXPECT_FALSE(writer.Begin("", 1, '\0', &error));
  EXPECT_FALSE(writer.Begin("a/b", 1, '\0', &error));
  EXPECT_FALSE(writer.Begin(std::string(100, 'n'), 1, '\0', &error));
  EXPECT_EQ(error, "no name for a member of a .cubex file: " + std::string(100, 'n'));
  ASSERT_TRUE(writer.Begin(std::string(99, 'n'), 1, '\0', &error));
  EXPECT_FALSE(writer.End(&error));  // its byte is missing
}

// A file of 9 GiB that consists of headers and holes only, so that nothing is really written or read.
class SparseSource : public ByteSource {
 public:
  SparseSource(std::string head, std::string tail, uint64_t gap)
      : head_(std::move(head)), tail_(std::move(tail)), gap_(gap) {}
  uint64_t size() const override { return head_.size() + gap_ + tail_.size(); }
  bool ReadAt(uint64_t offset, void* to, size_t n) const override {
    if (offset > size() || n > size() - offset) return false;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t at = offset + i;
      char c = 0;
      if (at < head_.size()) c = head_[at];
      if (at >= head_.size() + gap_) c = tail_[at - head_.size() - gap_];
      static_cast<char*>(to)[i] = c;
    }
    return true;
  }

 private:
  std::string head_, tail_;
  uint64_t gap_;
};

TEST(CubexTar, LargeMembersHaveTheirSizeInAPaxRecord) {
  const uint64_t size = (uint64_t{9} << 30) + 10;
  std::string error;
  TarWriter writer;
  ASSERT_TRUE(writer.Open(TestPath("large.cubex"), &error));
  ASSERT_TRUE(writer.Begin("7.data", size, '\0', &error)) << error;
  EXPECT_FALSE(writer.End(&error));  // it flushes nothing; the header is checked below
  ASSERT_TRUE(writer.Finish(&error)) << error;
  const std::string head = ReadWhole(TestPath("large.cubex")).substr(0, 3 * 512);
  EXPECT_EQ(std::string(head.c_str()), "PaxHeader/7.data");
  EXPECT_EQ(head[156], 'x');
  EXPECT_EQ(std::string(head.c_str() + 512), "19 size=9663676426\n");
  EXPECT_EQ(std::stoul(head.substr(124, 11), nullptr, 8), 19u);
  EXPECT_EQ(std::string(head.c_str() + 1024), "7.data");

  const SparseSource file(head, MakeTar({{"anchor.xml", "x"}}), (size + 511) / 512 * 512);
  std::vector<TarMember> members;
  ASSERT_TRUE(ListTar(file, &members, &error)) << error;
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, "7.data");
  EXPECT_EQ(members[0].size, size);
  EXPECT_EQ(members[1].name, "anchor.xml");
}

TEST(CubexTar, RefusesDamageWithOffsetAndReason) {
  const std::string good = MakeTar({{"a", std::string(600, 'a')}, {"b", "b"}});
  std::string error;
  const auto spoil = [&](size_t offset, const std::string& bytes) {
    std::string tar = good;
    EXPECT_TRUE(List(tar.replace(offset, bytes.size(), bytes), &error).empty());
    return error;
  };
  EXPECT_EQ(spoil(257, "tar"), "offset 0: not a .cubex file: no tar header");
  EXPECT_EQ(spoil(1536 + 257, "tar"), "offset 1536: damaged header of a member");
  EXPECT_EQ(spoil(124, "0000000x"), "offset 0: damaged size of a member");
  EXPECT_EQ(spoil(124, "77777777777"), "offset 0: the file is cut off: a has 8589934591 bytes, 3072 are there");
  EXPECT_EQ(spoil(124, "\x80" + std::string(11, '\xff')), "offset 0: damaged size of a member");
  EXPECT_EQ(spoil(156, "x"), "offset 0: damaged pax header");
  EXPECT_TRUE(List("", &error).empty());
  EXPECT_TRUE(List(std::string(4096, '\0'), &error).empty());
  EXPECT_EQ(error, "offset 1024: not a .cubex file: no members");
  // CUBE 4.8 wrote wrong checksums, and its reader ignores them.
  std::string tar = good;
  EXPECT_EQ(List(tar.replace(148, 6, "000000"), &error).size(), 2u);
}

TEST(CubexTar, ACutFileIsNeverTakenForAWholeOne) {
  const std::string file = EncodeCubex(ExampleProfile(), {});
  size_t refused = 0;
  for (size_t length = 0; length < file.size(); length += 7) {
    Profile back;
    std::string error;
    if (ReadCubex(FromMemory(file.substr(0, length)), &back, &error)) {
      EXPECT_GE(length, file.size() - 1024 - 512);  // only the padding and the end mark are missing
      ExpectSameProfile(ExampleProfile(), back);
    } else {
      EXPECT_FALSE(error.empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace epik::archive
