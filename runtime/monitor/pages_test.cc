// SPDX-License-Identifier: BSD-3-Clause
// Pages of the board: processes tell of many operations at once, and each gets the times that it needs.
#include "runtime/monitor/pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/monitor/own_pages.h"

namespace epik::monitor {
namespace {

constexpr uint32_t kAll = ~uint32_t{0};

class PagesTest : public ::testing::Test {
 protected:
  void Open(uint64_t pages) {
    memory_.assign(Pages::BytesFor(pages), 0);
    pages_.Open(memory_.data(), pages);
  }
  void SetUp() override {
    Open(64);
    for (uint32_t i = 0; i < kOperationsOfPage; ++i) early_[i] = 100 + i, late_[i] = 200 + i;
  }
  // Tells of some operations, and needs those of `needs` when all have told.
  PageNews Exchange(const PageTimes& times, uint32_t tells, uint32_t needs, uint64_t page = 0, bool in_order = false) {
    PagePart part;
    part.last = part.first = times;
    part.tells = part.gives = tells;
    part.all = needs;
    part.in_order = in_order;
    PageNews news;
    EXPECT_TRUE(pages_.Exchange(Board::PlaceOf(7, page), 2, part, &news));
    return news;
  }
  bool IsEmpty() const {
    return std::all_of(memory_.begin(), memory_.end(), [](char byte) { return byte == 0; });
  }

  std::vector<char> memory_;
  Pages pages_;
  PageTimes early_, late_;
};

TEST_F(PagesTest, WhoComesLastGetsAllAtOnceAndTheOtherOneLater) {
  EXPECT_EQ(Exchange(early_, kAll, kAll).found, 0u);
  const PageNews second = Exchange(late_, kAll, kAll);
  EXPECT_EQ(second.found, kAll);
  EXPECT_FALSE(IsEmpty());
  const PageNews first = Exchange(early_, 0, kAll);
  EXPECT_EQ(first.found, kAll);
  for (const PageNews* news : {&first, &second}) {
    EXPECT_EQ(news->given, kAll);
    EXPECT_EQ(news->gone, 0u);
    EXPECT_EQ(news->last[5], 205u);
    EXPECT_EQ(news->first[31], 131u);
  }
  EXPECT_TRUE(IsEmpty());
}

TEST_F(PagesTest, APartOfAPageIsToldAndTakenByItself) {
  EXPECT_EQ(Exchange(early_, 0x0f, 0x0f).found, 0u);
  EXPECT_EQ(Exchange(late_, 0x3c, 0x3c).found, 0x0cu);
  EXPECT_EQ(Exchange(early_, 0x30, 0x3f).found, 0x3cu);
  EXPECT_EQ(Exchange(late_, 0x03, 0x33).found, 0x33u);
  EXPECT_EQ(Exchange(early_, 0, 0x03).found, 0x03u);
  EXPECT_TRUE(IsEmpty());
}

TEST_F(PagesTest, NoneComesBeforeThoseInFrontOfIt) {
  Exchange(early_, 0xfe, 0);
  EXPECT_EQ(Exchange(late_, 0xff, 0xff, 0, true).found, 0u);
  Exchange(early_, 0x01, 0);
  EXPECT_EQ(Exchange(late_, 0, 0xff, 0, true).found, 0xffu);
  EXPECT_TRUE(IsEmpty());
}

TEST_F(PagesTest, WhoNeedsATimeWaitsForItAlone) {
  PagePart part;
  part.last = part.first = early_;
  part.tells = part.given = 0x3;
  PageNews news;
  ASSERT_TRUE(pages_.Exchange(Board::PlaceOf(7, 0), 2, part, &news));
  EXPECT_EQ(news.found, 0u);
  Exchange(late_, 0x2, 0);
  part.tells = 0;
  ASSERT_TRUE(pages_.Exchange(Board::PlaceOf(7, 0), 2, part, &news));
  EXPECT_EQ(news.found, 0x2u);
  EXPECT_EQ(news.last[1], late_[1]);
  EXPECT_FALSE(IsEmpty());  // the first one lacks a time
}

TEST_F(PagesTest, WhatMadeRoomForOthersIsGone) {
  Open(1);  // four pages
  for (uint64_t page = 0; page < 5; ++page) {
    std::fill(std::begin(late_), std::end(late_), 1000 + page);
    Exchange(late_, kAll, kAll, page);
  }
  EXPECT_EQ(Exchange(early_, 0, kAll, 0).gone, kAll);  // the oldest one
  EXPECT_EQ(Exchange(early_, kAll, kAll, 1).found, kAll);
}

TEST_F(PagesTest, WithoutABoardThereIsNothing) {
  PagePart part;
  PageNews news;
  EXPECT_FALSE(pages_.Exchange(Board::PlaceOf(7, 0), 70'000, part, &news));
  pages_.Close();
  EXPECT_FALSE(pages_.Exchange(Board::PlaceOf(7, 0), 2, part, &news));
  EXPECT_FALSE(Pages().IsOpen());
}

TEST_F(PagesTest, WhoeverDiedWithTheLockBreaksTheBoard) {
  Open(1);
  const uint32_t held = 1;
  std::copy_n(reinterpret_cast<const char*>(&held), sizeof held, memory_.begin());
  PagePart part;
  PageNews news;
  EXPECT_FALSE(pages_.Exchange(Board::PlaceOf(7, 0), 2, part, &news));
  std::fill_n(memory_.begin(), sizeof held, 0);
  EXPECT_FALSE(pages_.Exchange(Board::PlaceOf(7, 0), 2, part, &news));
}

// Threads as processes, each with calls on several communicators, some of which not all members of a page make.
TEST_F(PagesTest, EachGetsEveryCallOnceHoweverTheyAreCut) {
  constexpr uint32_t kProcesses = 3, kCommunicators = 3, kCalls = 3000;
  Open(1024);
  std::vector<uint64_t> sums(kProcesses), gone(kProcesses);
  const auto run = [&](uint32_t process) {
    std::mt19937 random(process + 1);
    OwnPages own(&pages_, {.salt = 1, .by_exits = true, .in_order = process == 1, .most = 1000});
    const auto take = [&](const OwnPage& page) {
      gone[process] += static_cast<uint64_t>(std::popcount(page.news.gone));
      for (uint32_t i = 0; i < kOperationsOfPage; ++i) {
        if ((page.news.found >> i & 1) != 0)
          sums[process] += page.news.last[i] * 3 + page.news.first[i] * page.nodes[i];
      }
    };
    for (uint32_t call = 1; call <= kCalls; ++call) {
      const uint32_t communicator = call * 7 % kCommunicators, sequence = call / kCommunicators;
      OwnPage* page = own.Find(communicator, sequence);
      if (page == nullptr) page = own.Begin(communicator, sequence, {communicator + 50, 0, kProcesses, false});
      const uint64_t from = 10 * call + process, until = 10 * call + 9 - process;
      own.Add(page, sequence,
              {.entered = from, .left = until, .node = communicator + 1, .role = 0, .gives = true, .needs_all = true});
      if (random() % 50 == 0) own.Exchange(random() % 4 == 0 ? OwnPages::Which::kAll : OwnPages::Which::kClosed, take);
    }
    while (own.open() != 0) {
      own.Exchange(OwnPages::Which::kAll, take);
      std::this_thread::yield();
    }
    own.Clear();
  };
  std::vector<std::thread> threads;
  for (uint32_t p = 0; p < kProcesses; ++p) threads.emplace_back(run, p);
  for (std::thread& thread : threads) thread.join();
  uint64_t expected = 0;
  for (uint32_t call = 1; call <= kCalls; ++call) {
    expected += (10 * call + kProcesses - 1) * 3 + (10 * call + 9 - (kProcesses - 1)) * (call * 7 % kCommunicators + 1);
  }
  for (uint32_t p = 0; p < kProcesses; ++p) {
    EXPECT_EQ(sums[p], expected) << p;
    EXPECT_EQ(gone[p], 0u) << p;
  }
  EXPECT_TRUE(IsEmpty());
}

// The program frees communicators after a few calls. Their pages are exchanged soon, and do not stay.
TEST_F(PagesTest, PagesOfCommunicatorsThatAreGoneAreTold) {
  Open(1024);
  OwnPages own(&pages_, {.salt = 1, .by_exits = false, .in_order = false, .most = 100'000});
  uint64_t found = 0;
  const auto take = [&](const OwnPage& page) { found += static_cast<uint64_t>(std::popcount(page.news.found)); };
  for (uint32_t communicator = 0; communicator < 5000; ++communicator) {
    EXPECT_EQ(own.Find(communicator, 0), nullptr);
    OwnPage* page = own.Begin(communicator, 0, {communicator + 50, 0, 1, false});
    own.Add(page, 0, {.entered = 1, .left = 2, .node = 1, .role = 0, .gives = true, .needs_all = true});
    EXPECT_EQ(own.Find(communicator, 0), page);
    if (communicator % 100 == 99) own.Exchange(OwnPages::Which::kClosed, take);
  }
  EXPECT_LE(own.open(), 200u);
  own.Exchange(OwnPages::Which::kAll, take);
  EXPECT_EQ(found, 5000u);
  EXPECT_EQ(own.open(), 0u);
  // A communicator that has another call gets a page of the same number again.
  OwnPage* again = own.Find(3, 1);
  EXPECT_EQ(again, nullptr);
  again = own.Begin(3, 1, {53, 0, 1, false});
  own.Add(again, 1, {.entered = 3, .left = 4, .node = 1, .role = 0, .gives = true, .needs_all = true});
  own.Exchange(OwnPages::Which::kAll, take);
  EXPECT_EQ(found, 5001u);
  own.Clear();
}

}  // namespace
}  // namespace epik::monitor
