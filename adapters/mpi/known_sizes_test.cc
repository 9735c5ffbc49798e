// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/known_sizes.h"

#include <gtest/gtest.h>

namespace epik::mpi {
namespace {

constexpr uint64_t kLibrary = 0x7f0012340000, kTypes = 53;

const void* At(uint64_t address) { return reinterpret_cast<const void*>(address); }
const void* TypeOf(uint64_t number) { return At(kLibrary + number * KnownSizes::kTypeBytes); }

uint64_t SizeOf(KnownSizes* sizes, const void* type) {
  uint64_t size = 0;
  return sizes->Find(type, &size) ? size : 0;
}

// The program may lie anywhere, and its copy is added between the library's types.
TEST(KnownSizesTest, KnowsTypesOfTheLibraryAndCopiesInTheProgram) {
  for (uint64_t page = 0; page < 32; ++page) {
    KnownSizes sizes = {};
    const void* copy = At(0x555500000380 + page * 4096);
    for (uint64_t i = 0; i < kTypes; ++i) {
      sizes.Add(TypeOf(i), i + 1);
      if (i == kTypes / 2) sizes.Add(copy, 1000);
    }
    for (uint64_t i = 0; i < kTypes; ++i) EXPECT_EQ(SizeOf(&sizes, TypeOf(i)), i + 1) << page << " " << i;
    EXPECT_EQ(SizeOf(&sizes, copy), 1000u) << page;
  }
}

TEST(KnownSizesTest, DoesNotKnowOthers) {
  KnownSizes sizes = {};
  EXPECT_EQ(SizeOf(&sizes, nullptr), 0u);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(1)), 0u);
  sizes.Add(TypeOf(1), 8);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(1 + KnownSizes::kPlaces)), 0u);
  EXPECT_EQ(SizeOf(&sizes, nullptr), 0u);
}

// If both places are taken, MPI is asked, and the others stay.
TEST(KnownSizesTest, TakesNoPlaceOfAnother) {
  KnownSizes sizes = {};
  for (uint64_t i = 0; i < 3; ++i) sizes.Add(TypeOf(i * KnownSizes::kPlaces), i + 1);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(0)), 1u);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(KnownSizes::kPlaces)), 2u);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(2 * KnownSizes::kPlaces)), 0u);
  sizes.Add(TypeOf(KnownSizes::kPlaces), 2);
  EXPECT_EQ(SizeOf(&sizes, TypeOf(0)), 1u);
}

}  // namespace
}  // namespace epik::mpi
