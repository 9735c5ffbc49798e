// SPDX-License-Identifier: BSD-3-Clause
// No process waits without end for one that is stopped, or whose host is gone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/drivers/helpers.h"
#include "analysis/drivers/test_throws.h"

namespace epik::drivers {
namespace {

using Sources = std::vector<std::unique_ptr<replay::EventSource>>;

constexpr std::chrono::milliseconds kShort(1'000);

// One location, which a process reads that this test plays.
struct OneHelper {
  OneHelper() {
    auto [one, other] = Link::Pair();
    one.set_whom("rank 3");
    far = std::move(other);
    std::vector<Link> links;
    links.push_back(std::move(one));
    helpers.emplace(std::move(links), kShort);
    helpers->Share({1}, 1);
    lanes.emplace(Sources(1), 0, &*helpers);
    helpers->Serve(&*lanes);
    sources = lanes->Sources();
  }
  ~OneHelper() { helpers->Serve(nullptr); }
  std::string Read() {
    archive::Event event;
    return WhatItThrows([&] { sources[0]->Next(&event); });
  }

  Link far;
  std::optional<Helpers> helpers;
  std::optional<Lanes> lanes;
  Sources sources;
};

constexpr char kSilent[] = "rank 3 was silent for 1 s: it is stopped, or its host is gone; nothing was written";

TEST(Helpers, ThatAreStoppedEndTheReading) {
  OneHelper test;
  EXPECT_EQ(test.Read(), kSilent);
  EXPECT_EQ(WhatItThrows([&] { test.helpers->Answer(0); }), kSilent);
}

TEST(Helpers, ThatAreStoppedWithinANoteEndTheReading) {
  OneHelper test;
  const uint64_t head[3] = {3, 100, 1};
  ASSERT_EQ(write(test.far.descriptor(), head, sizeof head), ssize_t{sizeof head});
  EXPECT_EQ(test.Read(), kSilent);
}

TEST(Helpers, ThatDoNotReadEndTheReading) {
  OneHelper test;
  const std::vector<uint64_t> much(4 << 20);
  test.helpers->Ask(0, much);
  EXPECT_EQ(test.Read(), kSilent);
}

TEST(Helpers, ThatWorkForLongAreWaitedFor) {
  OneHelper test;
  const Pulse pulse({&test.far}, BeatOf(kShort));
  std::thread works([&] {
    std::this_thread::sleep_for(2 * kShort);
    test.far.Send(4, 0);  // the location has no events
  });
  EXPECT_EQ(test.Read(), "");
  works.join();
}

TEST(Helpers, WaitForRankZeroWhileItLives) {
  auto [near, far] = Link::Pair();
  far.LimitWaits(kShort);
  Helper helper;
  int status = 0;
  std::thread works([&, link = &far] { status = Help(link, helper); });
  {
    std::vector<Link> links;
    links.push_back(std::move(near));
    Helpers helpers(std::move(links), kShort);
    std::this_thread::sleep_for(2 * kShort);
    helpers.Dismiss(7);
    works.join();
  }
  EXPECT_EQ(status, 7);
}

TEST(Helpers, GiveUpARankZeroThatIsStopped) {
  auto [near, far] = Link::Pair();
  far.LimitWaits(kShort);
  far.set_whom("rank 0");
  EXPECT_EQ(WhatItThrows([link = &far] { Help(link, {}); }),
            "rank 0 was silent for 1 s: it is stopped, or its host is gone");
}

}  // namespace
}  // namespace epik::drivers
