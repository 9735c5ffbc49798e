// SPDX-License-Identifier: BSD-3-Clause
// Tests the reader on damaged files: it answers for all bytes, and all that it accepts can be used and written again.
#include <gtest/gtest.h>

#include <cstdlib>

#include "archive/cubex/reader.h"
#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"
#include "archive/files/from_memory.h"

namespace epik::archive {
namespace {

int Rounds() {
  const char* wanted = std::getenv("EPIK_TEST_ROUNDS");
  return wanted == nullptr ? 40000 : std::atoi(wanted);
}

void Mutate(std::mt19937_64* random, std::string* bytes) {
  const auto upto = [random](size_t n) { return static_cast<size_t>((*random)() % (n + 1)); };
  static const std::string kWords[] = {"<cnode id=\"0\" calleeId=\"0\">",
                                       "</cnode>",
                                       "4294967295",
                                       "-1",
                                       "\"",
                                       "<",
                                       ">",
                                       "/>",
                                       "<metric id=\"0\">",
                                       "INCLUSIVE",
                                       "VOID",
                                       "MINDOUBLE",
                                       "UINT8",
                                       "CUBEX.DATA",
                                       std::string(4, '\xff'),
                                       std::string(8, '\0'),
                                       "<![CDATA[",
                                       "]]>",
                                       "<!--",
                                       "<severity><matrix metricId=\"0\"><row cnodeId=\"0\">1 2 3 4</row>"};
  for (size_t n = upto(3) + 1; n > 0; --n) {
    if (bytes->empty()) return;
    const size_t at = upto(bytes->size() - 1);
    const std::string& word = kWords[upto(std::size(kWords) - 1)];
    switch (upto(5)) {
      case 0: (*bytes)[at] = static_cast<char>((*random)()); break;
      case 1: (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << upto(7))); break;
      case 2: bytes->replace(at, std::min(word.size(), bytes->size() - at), word); break;  // keeps the length
      case 3: bytes->insert(at, word); break;
      case 4: bytes->erase(at, upto(40)); break;
      default: {
        const size_t from = upto(bytes->size() - 1);
        const std::string part = bytes->substr(from, upto(64));
        bytes->replace(at, std::min(part.size(), bytes->size() - at), part);
      }
    }
  }
}

// The members are separate, so that damage reaches the anchor and the tables, not only the headers around them.
TarContent Split(const std::string& file, const Profile& profile) {
  TarContent members;
  for (size_t m = 0; m < profile.metrics.size(); ++m) {
    for (const char* kind : {".index", ".data"}) {
      const std::string name = std::to_string(m) + kind;
      members.emplace_back(name, GetMember(file, name));
    }
  }
  members.emplace_back("anchor.xml", GetMember(file, "anchor.xml"));
  return members;
}

// Uses everything that the reader accepted.
void Use(const Profile& profile) {
  std::string error;
  ASSERT_EQ(profile.metrics.size(), profile.values.size());
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    profile.Exclusive(m, 0);
    profile.Inclusive(m, 0);
  }
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) profile.PathName(p);
  // A file may have no usable call path or metric; all other content that was read can be written.
  if (!profile.call_paths.empty() && !profile.metrics.empty()) {
    EXPECT_TRUE(CheckDefinitions(profile, &error)) << error;
  }
}

TEST(CubexReader, SurvivesDamage) {
  constexpr uint64_t kSeed = 4711;
  std::mt19937_64 random(kSeed);
  int accepted = 0;
  const int rounds = Rounds();
  Profile profile;
  std::string file;
  TarContent members;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " round " + std::to_string(round));
    if (round % 100 == 0) {
      profile = RandomProfile(&random, 8);
      const auto bits = random();
      file = EncodeCubex(profile, {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 24) == 0, 8});
      members = Split(file, profile);
    }
    std::string damaged;
    if (round % 4 == 0) {
      damaged = file;
      Mutate(&random, &damaged);
    } else {
      TarContent changed = members;
      Mutate(&random, &changed[random() % 2 == 0 ? changed.size() - 1 : random() % changed.size()].second);
      damaged = MakeTar(changed, random() % 2 == 0);
    }
    Profile back;
    std::string error;
    if (ReadCubex(FromMemory(std::move(damaged)), &back, &error)) {
      ++accepted;
      Use(back);
    } else {
      ASSERT_FALSE(error.empty());
    }
    if (HasFailure()) break;
  }
  // Both results must be frequent, or else the damage is useless.
  EXPECT_GT(accepted, rounds / 20);
  EXPECT_LT(accepted, rounds - rounds / 20);
}

}  // namespace
}  // namespace epik::archive
