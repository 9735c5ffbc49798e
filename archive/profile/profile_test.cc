// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/profile.h"

#include <gtest/gtest.h>

#include <limits>

namespace epik::archive {
namespace {

// main{solve{send}, io}, main2
Profile Example() {
  Profile p;
  p.hosts = {{"n"}};
  p.processes = {{0, 0, "p"}};
  p.locations = {{0, 0, "t0"}, {0, 1, "t1"}};
  p.regions = {{"main", "", "", -1, -1, "", "", ""},
               {"solve", "", "", -1, -1, "", "", ""},
               {"send", "", "", -1, -1, "", "", ""},
               {"io", "", "", -1, -1, "", "", ""}};
  p.call_paths = {{0, kNone}, {1, 0}, {2, 1}, {3, 0}, {0, kNone}};
  return p;
}

uint32_t Add(Profile* p, const std::string& name, Type type, Along along) {
  return p->AddMetric({name, "", "", "", type, along, kNone});
}

TEST(Values, AreSparseByCallPath) {
  Values values(Type::kUint64, 3, 2);
  EXPECT_FALSE(values.Has(1));
  EXPECT_EQ(values.Row(1), nullptr);
  EXPECT_EQ(values.Integer(1, 0), 0u);
  values.Set(2, 1, uint64_t{5});
  values.Set(0, 0, std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(values.Has(1));
  EXPECT_EQ(values.Integer(2, 0), 0u);
  EXPECT_EQ(values.Integer(2, 1), 5u);
  EXPECT_EQ(values.Real(2, 1), 5.0);
  EXPECT_EQ(values.Integer(0, 0), std::numeric_limits<uint64_t>::max());
}

TEST(Values, NoValueIsNeutral) {
  for (const auto& [type, neutral] : {std::pair(Type::kMin, std::numeric_limits<double>::max()),
                                      std::pair(Type::kMax, std::numeric_limits<double>::lowest()),
                                      std::pair(Type::kDouble, 0.0), std::pair(Type::kUint64, 0.0)}) {
    Values values(type, 2, 2);
    EXPECT_EQ(values.Real(0, 0), neutral);
    values.MutableRow(1);
    EXPECT_TRUE(values.Has(1));
    EXPECT_EQ(values.Real(1, 1), neutral);
  }
}

TEST(Values, WithoutLocationsThereIsNothingToHold) {
  Values values(Type::kDouble, 2, 0);
  values.MutableRow(1);
  EXPECT_TRUE(values.Has(1));
  EXPECT_FALSE(values.Has(0));
}

TEST(Profile, FindsMetricsByName) {
  Profile p = Example();
  EXPECT_EQ(p.FindMetric("time"), kNone);
  EXPECT_EQ(Add(&p, "visits", Type::kUint64, Along::kExclusive), 0u);
  EXPECT_EQ(Add(&p, "time", Type::kDouble, Along::kInclusive), 1u);
  EXPECT_EQ(p.FindMetric("time"), 1u);
  EXPECT_EQ(p.values[1].locations(), 2u);
}

TEST(Profile, LinksLeadDownwardsInOrder) {
  const Profile::Links links = Example().MakeLinks();
  EXPECT_EQ(links.roots, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(links.first_child, (std::vector<uint32_t>{1, 2, kNone, kNone, kNone}));
  EXPECT_EQ(links.next_sibling, (std::vector<uint32_t>{kNone, 3, kNone, kNone, kNone}));
}

TEST(Profile, ExclusiveAndInclusiveAreTwoViewsOfTheSame) {
  Profile p = Example();
  const uint32_t inclusive = Add(&p, "i", Type::kDouble, Along::kInclusive);
  const uint32_t exclusive = Add(&p, "e", Type::kUint64, Along::kExclusive);
  const double total[] = {100, 40, 8, 16, 3};
  const uint64_t own[] = {44, 32, 8, 16, 3};
  for (uint32_t c = 0; c < 5; ++c) {
    p.values[inclusive].Set(c, 1, total[c]);
    p.values[exclusive].Set(c, 1, own[c]);
  }
  const std::vector<double> wanted_total(total, total + 5), wanted_own(own, own + 5);
  EXPECT_EQ(p.Inclusive(inclusive, 1), wanted_total);
  EXPECT_EQ(p.Inclusive(exclusive, 1), wanted_total);
  EXPECT_EQ(p.Exclusive(inclusive, 1), wanted_own);
  EXPECT_EQ(p.Exclusive(exclusive, 1), wanted_own);
  EXPECT_EQ(p.Inclusive(exclusive, 0), std::vector<double>(5));
}

TEST(Profile, ExtremesOfASubtree) {
  Profile p = Example();
  const uint32_t least = Add(&p, "min", Type::kMin, Along::kExclusive);
  const uint32_t most = Add(&p, "max", Type::kMax, Along::kExclusive);
  for (const uint32_t m : {least, most}) {
    p.values[m].Set(1, 0, 5.0);
    p.values[m].Set(2, 0, 2.0);
    p.values[m].Set(3, 0, 9.0);
  }
  EXPECT_EQ(p.Inclusive(least, 0)[0], 2.0);
  EXPECT_EQ(p.Inclusive(least, 0)[1], 2.0);
  EXPECT_EQ(p.Inclusive(most, 0)[0], 9.0);
  EXPECT_EQ(p.Inclusive(most, 0)[1], 5.0);
  EXPECT_EQ(p.Inclusive(most, 0)[4], std::numeric_limits<double>::lowest());
}

TEST(Profile, PathsHaveNames) {
  const Profile p = Example();
  EXPECT_EQ(p.PathName(2), "main > solve > send");
  EXPECT_EQ(p.PathName(4), "main");
}

}  // namespace
}  // namespace epik::archive
