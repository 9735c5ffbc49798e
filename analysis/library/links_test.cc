// SPDX-License-Identifier: BSD-3-Clause
// Asks for links at random, and compares them with a search through all links.
#include "analysis/library/links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>

namespace epik::library {
namespace {

constexpr uint32_t kLocations = 5;

struct Sent {
  epik_trace_ref from, to;
  int64_t from_ns, to_ns;
};

// Each location has an event at each place. Its time is ten times the place, plus the number of the location.
int64_t NsOf(uint32_t location, uint64_t place) { return static_cast<int64_t>(10 * place + location); }

std::vector<Sent> RandomMessages(std::mt19937_64* random, size_t count) {
  std::vector<std::vector<uint64_t>> free(kLocations);
  for (auto& places : free) {
    for (uint64_t p = 0; p < 2 * count; ++p) places.push_back(p);
    std::shuffle(places.begin(), places.end(), *random);
  }
  std::vector<Sent> all;
  for (size_t i = 0; i < count; ++i) {
    const auto end = [&](uint32_t kind) {
      const auto location = static_cast<uint32_t>((*random)() % kLocations);
      const uint64_t place = free[location].back();
      free[location].pop_back();
      return epik_trace_ref{place, location, kind};
    };
    const epik_trace_ref from = end(EPIK_TRACE_SEND), to = end(EPIK_TRACE_RECEIVE);
    all.push_back({from, to, NsOf(from.location, from.place), NsOf(to.location, to.place)});
  }
  return all;
}

Links LinksOf(const std::vector<Sent>& messages) {
  std::vector<Links::Member> members;
  for (uint32_t g = 0; g < messages.size(); ++g) {
    for (const epik_trace_ref& end : {messages[g].from, messages[g].to}) {
      members.push_back({g, end.location, end.place, NsOf(end.location, end.place), static_cast<uint16_t>(end.kind),
                         EPIK_TRACE_LINK_MESSAGE});
    }
  }
  return Links(kLocations, members);
}

bool Before(const epik_trace_message& a, const epik_trace_message& b) {
  return std::tie(a.send.location, a.send.place) < std::tie(b.send.location, b.send.place);
}

TEST(Links, OpenMessagesAreThoseOfALookAtAll) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    const std::vector<Sent> messages = RandomMessages(&random, 1 + random() % 200);
    const Links links = LinksOf(messages);
    for (int question = 0; question < 50; ++question) {
      const auto location = static_cast<uint32_t>(random() % kLocations);
      const uint64_t place = random() % (2 * messages.size());
      const int64_t ns = NsOf(location, place);
      std::vector<std::pair<uint32_t, uint64_t>> expected, found;
      for (const Sent& m : messages) {
        const bool sent = m.from.location == location && m.from.place <= place && m.to_ns > ns;
        const bool coming = m.to.location == location && m.to.place > place && m.from_ns <= ns &&
                            (m.from.location != location || m.from.place > place);
        if (sent || coming) expected.emplace_back(m.from.location, m.from.place);
      }
      auto open = links.OpenMessages(location, place, ns);
      std::sort(open.begin(), open.end(), Before);
      for (const epik_trace_message& m : open) found.emplace_back(m.send.location, m.send.place);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(expected, found);
    }
  }
}

TEST(Links, EachEndHasTheOther) {
  std::mt19937_64 random(8);
  const std::vector<Sent> messages = RandomMessages(&random, 300);
  const Links links = LinksOf(messages);
  for (const Sent& m : messages) {
    for (const auto& [from, to] : {std::pair(m.from, m.to), std::pair(m.to, m.from)}) {
      const auto others = links.Of(EPIK_TRACE_LINK_MESSAGE, from.location, from.place);
      ASSERT_EQ(1u, others.size());
      EXPECT_EQ(to.location, others[0].location);
      EXPECT_EQ(to.place, others[0].place);
      EXPECT_EQ(to.kind, others[0].kind);
    }
    EXPECT_TRUE(links.Of(EPIK_TRACE_LINK_REQUEST, m.from.location, m.from.place).empty());
  }
  EXPECT_TRUE(links.Of(EPIK_TRACE_LINK_MESSAGE, 0, 1u << 30).empty());
}

TEST(Links, AnEventMayBeInGroupsOfSeveralKinds) {
  const Links links(2, {{0, 0, 5, 50, EPIK_TRACE_SEND_BEGIN, EPIK_TRACE_LINK_MESSAGE},
                        {0, 1, 9, 90, EPIK_TRACE_RECEIVE, EPIK_TRACE_LINK_MESSAGE},
                        {1, 0, 5, 50, EPIK_TRACE_SEND_BEGIN, EPIK_TRACE_LINK_REQUEST},
                        {1, 0, 7, 70, EPIK_TRACE_SEND_END, EPIK_TRACE_LINK_REQUEST}});
  EXPECT_EQ(9u, links.Of(EPIK_TRACE_LINK_MESSAGE, 0, 5).at(0).place);
  EXPECT_EQ(7u, links.Of(EPIK_TRACE_LINK_REQUEST, 0, 5).at(0).place);
  EXPECT_TRUE(links.Of(EPIK_TRACE_LINK_TASK, 0, 5).empty());
}

TEST(Interface, ANullIsAnError) {
  const auto reason = [] { return std::string(epik_trace_error()); };
  EXPECT_EQ(epik_trace_open(nullptr), nullptr);
  EXPECT_EQ(reason(), "no archive: the path is NULL");
  EXPECT_EQ(epik_trace_get_location(nullptr, 0, nullptr), -1);
  EXPECT_EQ(reason(), "no place for the result: the pointer is NULL");
  epik_trace_region region;
  EXPECT_EQ(epik_trace_get_region(nullptr, 0, &region), -1);
  EXPECT_EQ(reason(), "no trace: the pointer is NULL");
  EXPECT_EQ(epik_trace_read(nullptr, nullptr, 3, 0, 1), nullptr);
  EXPECT_EQ(reason(), "no locations: the pointer is NULL");
  EXPECT_EQ(epik_trace_next(nullptr, nullptr, 1), 0u);
  EXPECT_EQ(epik_trace_at(nullptr, 0, 0, nullptr), -1);
  EXPECT_EQ(epik_trace_find(nullptr, 0, 0, nullptr), -1);
  EXPECT_EQ(epik_trace_state_frames(nullptr, nullptr), 0u);
  epik_trace_close(nullptr);
  epik_trace_cursor_close(nullptr);
  epik_trace_state_close(nullptr);
}

}  // namespace
}  // namespace epik::library
