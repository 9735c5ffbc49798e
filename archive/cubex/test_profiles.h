// SPDX-License-Identifier: BSD-3-Clause
// Profiles and hand-made .cubex files for the tests of this folder.
#ifndef EPIK_ARCHIVE_CUBEX_TEST_PROFILES_H_
#define EPIK_ARCHIVE_CUBEX_TEST_PROFILES_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

// 2 ranks × 2 threads; main{solve{MPI_Send}, io}; time > mpi (inclusive), visits, energy (exclusive). CUBE's own tools
// read these cells (docs/formats.md).
Profile ExampleProfile();

// A tree of at most max_paths call paths with sparse rows of all types, and names with characters that need escapes.
Profile RandomProfile(std::mt19937_64* random, uint32_t max_paths = 40);

// The ways in which EncodeCubex differs from the writer.
struct Encoding {
  bool big_endian = false;
  bool dense = false;
  bool zip = false;
  bool gzip_anchor = false;
  size_t width = 8;  // of integers
};

// This encoder does not use the tested code, except for the anchor.
std::string EncodeCubex(const Profile& profile, const Encoding& encoding);

using TarContent = std::vector<std::pair<std::string, std::string>>;
// cube_padding: adds the extra block that CUBE expects after a member of k × 512 bytes.
std::string MakeTar(const TarContent& members, bool cube_padding = false);
std::string GetMember(const std::string& tar, const std::string& name);

// Checks the definitions, and each cell bit by bit.
void ExpectSameProfile(const Profile& expected, const Profile& actual);

std::string TestPath(const std::string& name);  // in the test's own folder
std::string ReadWhole(const std::string& path);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_TEST_PROFILES_H_
