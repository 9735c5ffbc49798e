// SPDX-License-Identifier: BSD-3-Clause
// Compressed rows: which metrics have them, and that readers get the same values.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <random>

#include "archive/cubex/format.h"
#include "archive/cubex/reader.h"
#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"

namespace epik::archive {
namespace {

// A tree of `paths` call paths on `locations` threads, with visits (mostly small numbers) and noise that does not
// compress.
Profile Wide(uint32_t paths, uint32_t locations) {
  Profile profile;
  profile.hosts = {{"host"}};
  profile.processes = {{0, 0, "rank 0"}};
  for (uint32_t l = 0; l < locations; ++l) profile.locations.push_back({0, static_cast<int>(l), ""});
  profile.regions.resize(1);
  profile.regions[0].name = profile.regions[0].mangled = "f";
  for (uint32_t p = 0; p < paths; ++p) profile.call_paths.push_back({0, p == 0 ? kNone : p - 1 - (p - 1) % 7});
  const uint32_t visits = profile.AddMetric({"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t time = profile.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kInclusive, kNone});
  const uint32_t noise = profile.AddMetric({"noise", "Noise", "", "", Type::kDouble, Along::kExclusive, kNone});
  std::mt19937_64 random(1);
  for (uint32_t p = 0; p < paths; ++p) {
    for (uint32_t l = 0; l < locations; ++l) {
      if ((p + l) % 3 != 0) profile.values[visits].Set(p, l, uint64_t{1} + (p + l) % 11);
      if (l == p % locations) profile.values[time].Set(p, l, 1.0 / (1 + p));
      profile.values[noise].Set(p, l, static_cast<double>(random()) / 3);
    }
  }
  return profile;
}

std::string Written(const Profile& profile, const std::string& name) {
  std::string error;
  EXPECT_TRUE(WriteCubex(TestPath(name), profile, {}, &error)) << error;
  return ReadWhole(TestPath(name));
}

TEST(PackedRows, LargeMetricsBecomeSmallerAndReadTheSame) {
  const Profile profile = Wide(5000, 64);
  const std::string file = Written(profile, "wide.cubex");
  EXPECT_TRUE(GetMember(file, "0.data").starts_with(kZipDataMagic));
  EXPECT_TRUE(GetMember(file, "1.data").starts_with(kZipDataMagic));
  EXPECT_TRUE(GetMember(file, "2.data").starts_with(kDataMagic)) << "noise became larger";
  EXPECT_LT(GetMember(file, "0.data").size(), 5000 * 64 * 8 / 3);
  EXPECT_LT(GetMember(file, "1.data").size(), 5000 * 64 * 8 / 4);
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(TestPath("wide.cubex"), &back, &error)) << error;
  ExpectSameProfile(profile, back);
}

// The layout that the tools of CUBE expect: magic, number of rows, {offset in the plain rows, offset and length of its
// stream}.
TEST(PackedRows, EachRowCanBeUnpackedAlone) {
  const Profile profile = Wide(5000, 64);
  const std::string data = GetMember(Written(profile, "alone.cubex"), "0.data");
  const char* at = data.data() + kZipDataMagic.size();
  uint64_t rows = 0;
  std::memcpy(&rows, at, 8);
  ASSERT_EQ(rows, 5000u);
  const char* streams = at + 8 + rows * 24;
  uint64_t end = 0;
  for (uint64_t r = 0; r < rows; ++r) {
    uint64_t entry[3];
    std::memcpy(entry, at + 8 + r * 24, sizeof entry);
    EXPECT_EQ(entry[0], r * 64 * 8);
    EXPECT_EQ(entry[1], end);
    end += entry[2];
    uint64_t cells[64];
    uLongf size = sizeof cells;
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(cells), &size, reinterpret_cast<const Bytef*>(streams + entry[1]),
                         entry[2]),
              Z_OK);
    ASSERT_EQ(size, sizeof cells);
  }
  EXPECT_LE(streams + end - data.data(), static_cast<std::ptrdiff_t>(data.size()));
  EXPECT_NE(data.size() % 512, 0u);
}

TEST(PackedRows, SmallFilesAndShortRowsStayPlain) {
  EXPECT_TRUE(GetMember(Written(Wide(100, 64), "small.cubex"), "0.data").starts_with(kDataMagic));
  EXPECT_TRUE(GetMember(Written(Wide(20000, 8), "narrow.cubex"), "0.data").starts_with(kDataMagic));
}

// Each file has one row more than the one before, so the size of some member becomes a multiple of 512.
TEST(PackedRows, MembersAreFoundWhateverTheirSize) {
  for (uint32_t paths = 2600; paths < 2610; ++paths) {
    const Profile profile = Wide(paths, 64);
    const std::string file = Written(profile, "sizes.cubex");
    ASSERT_TRUE(GetMember(file, "0.data").starts_with(kZipDataMagic));
    ASSERT_NE(GetMember(file, "0.data").size() % 512, 0u);
    ASSERT_FALSE(GetMember(file, "anchor.xml").empty());
  }
}

}  // namespace
}  // namespace epik::archive
