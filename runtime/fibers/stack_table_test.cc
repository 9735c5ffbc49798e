// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fibers/stack_table.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>

#include "runtime/fibers/home.h"

namespace epik::fibers {
namespace {

void Keep(Stack* stack, uint64_t place) {
  ASSERT_TRUE(stack->Reserve(stack->count + 1));
  stack->kept[stack->count++] = {1, place, 0, 0, true};
}

TEST(StackTable, FindsAStackByItsCalls) {
  StackTable table;
  EXPECT_EQ(table.Find(5000, nullptr, 0), nullptr);
  Stack* a = table.Add(100'000, {});
  Stack* b = table.Add(200'000, {});
  EXPECT_EQ(table.Find(100'000, nullptr, 0), a);
  EXPECT_EQ(table.Find(100'000 - kNear + 1, nullptr, 0), a);
  EXPECT_EQ(table.Find(100'000 - kNear, nullptr, 0), nullptr) << "below what one call may need";
  Keep(a, 100'000);
  Keep(a, 90'000);
  EXPECT_EQ(table.Find(95'000, nullptr, 0), a) << "between its calls";
  EXPECT_EQ(table.Find(90'000 - kNear + 1, nullptr, 0), a) << "below its innermost call";
  EXPECT_EQ(table.Find(150'000, nullptr, 0), nullptr);
  EXPECT_EQ(table.Find(150'000, b, 150'100), b) << "below the innermost call of the active one";
  EXPECT_EQ(table.Find(200'500, nullptr, 0), b) << "it began anew, a little further out";
  EXPECT_EQ(table.Find(200'400, nullptr, 0), b);
  EXPECT_EQ(table.Find(300'000, nullptr, 0), nullptr);
  table.Clear();
}

TEST(StackTable, BoundsAreBelieved) {
  StackTable table;
  Stack* a = table.Add(0, {10'000, 20'000});
  Stack* b = table.Add(0, {20'000, 30'000});
  EXPECT_EQ(table.Find(10'000, nullptr, 0), a);
  EXPECT_EQ(table.Find(19'999, nullptr, 0), a);
  EXPECT_EQ(table.Find(20'000, nullptr, 0), b);
  EXPECT_EQ(table.Find(9'999, nullptr, 0), nullptr);
  EXPECT_EQ(table.Find(30'000, nullptr, 0), nullptr);
  EXPECT_EQ(table.Overlapping({15'000, 16'000}), a);
  EXPECT_EQ(table.Overlapping({30'000, 40'000}), nullptr);
  EXPECT_EQ(table.Overlapping({5'000, 10'000}), nullptr);
  table.Remove(a);
  EXPECT_EQ(table.Find(15'000, nullptr, 0), nullptr);
  EXPECT_EQ(table.Find(25'000, nullptr, 0), b);
  table.Clear();
}

TEST(StackTable, ManyStacksAgainstAMap) {
  StackTable table;
  std::map<uint64_t, Stack*> truth;
  std::mt19937_64 random(7);
  constexpr uint64_t kPitch = 64u << 10;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t place = (1 + random() % 3'000) * kPitch;
    Stack* found = table.Find(place, nullptr, 0);
    ASSERT_EQ(found, truth.count(place) != 0 ? truth[place] : nullptr);
    if (found != nullptr && i % 3 == 0) {
      table.Remove(found);
      truth.erase(place);
    } else if (found == nullptr) {
      truth[place] = table.Add(place, {});
      ASSERT_NE(truth[place], nullptr);
    }
    ASSERT_EQ(table.count(), truth.size());
  }
  table.Clear();
}

TEST(StackTable, HasAnEnd) {
  StackTable table;
  for (uint64_t i = 1; i <= kMostStacks; ++i) ASSERT_NE(table.Add(i << 16, {}), nullptr);
  EXPECT_EQ(table.Add(uint64_t{kMostStacks + 1} << 16, {}), nullptr);
  Stack* active = table.At(1);
  for (int i = 0; i < 3; ++i) EXPECT_NE(table.Victim(active), active);
  table.Remove(table.Victim(active));
  EXPECT_NE(table.Add(uint64_t{kMostStacks + 1} << 16, {}), nullptr);
  table.Clear();
}

uint64_t Here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

TEST(HomeStack, IsWhereAThreadBegan) {
  const Range first = HomeStack(Here());
  EXPECT_TRUE(first.Has(Here()));
  void* fiber = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_FALSE(first.Has(reinterpret_cast<uint64_t>(fiber)));
  EXPECT_TRUE(HomeStack(0).Has(Here())) << "although it is not told where";
  std::thread([&first, fiber] {
    const Range own = HomeStack(Here());
    EXPECT_TRUE(own.Has(Here()));
    EXPECT_FALSE(own.Has(first.end - 1));
    EXPECT_FALSE(own.Has(reinterpret_cast<uint64_t>(fiber)));
  }).join();
  munmap(fiber, 1 << 16);
}

}  // namespace
}  // namespace epik::fibers
