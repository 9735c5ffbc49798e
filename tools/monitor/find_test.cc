// SPDX-License-Identifier: BSD-3-Clause
// Each host is gathered once, by whatever names it is called.
#include "tools/monitor/find.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/scopes/arenas.h"
#include "tools/scopes/rendezvous.h"

namespace epik::monitor {
namespace {

namespace fs = std::filesystem;

class Hosts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "hosts_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::string error;
    ASSERT_NE(scopes::SecretOf(folder_, true, &error), "") << error;
    ASSERT_TRUE(scopes::Announce(folder_, {"two", {"10.77.0.2", 4000}, ""}, &error)) << error;
    ASSERT_TRUE(scopes::Announce(folder_, {scopes::HostName(), {"127.0.0.1", 4001}, ""}, &error)) << error;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The addresses to gather from.
  std::string Found(const std::vector<std::string>& names, bool has_processes_here = true) const {
    std::vector<scopes::Place> places;
    std::string found, error;
    if (!FindHosts(folder_, names, has_processes_here ? scopes::HostName() : "", &places, &error)) return error;
    for (const scopes::Place& place : places) {
      found += place.name + " " + place.address.host + ":" + std::to_string(place.address.port) + " ";
    }
    return found;
  }

  std::string folder_;
};

TEST_F(Hosts, ThisHostIsReadWithoutItsScope) {
  const std::string here = scopes::HostName();
  EXPECT_EQ(Found({}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({here}), "");
  EXPECT_EQ(Found({here, "two"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"127.0.0.1:4001"}), "");
  EXPECT_EQ(Found({"127.0.0.2:4001"}), "") << "another address of this host";
  EXPECT_EQ(Found({"127.0.0.1:4002"}), "127.0.0.1:4002 127.0.0.1:4002 ") << "a way to another host, perhaps";
}

TEST_F(Hosts, AHostThatIsNamedTwiceIsGatheredOnce) {
  EXPECT_EQ(Found({"two", "two", "10.77.0.2:4000"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"10.77.0.2:4000", "two"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"10.77.0.3:4000", "two"}), "10.77.0.3:4000 10.77.0.3:4000 two 10.77.0.2:4000 ");
}

TEST_F(Hosts, AnAddressIsFoundByTheScopeThatListensThere) {
  EXPECT_EQ(Found({"10.77.0.2"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"two", "10.77.0.2"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"127.0.0.1"}), "");
  EXPECT_NE(Found({"10.77.0.4"}).find("host 10.77.0.4 has no scope"), std::string::npos);
  std::string error;
  ASSERT_TRUE(scopes::Announce(folder_, {"six", {"fd00::2", 4002}, ""}, &error)) << error;
  EXPECT_EQ(Found({"fd00::2"}), "six fd00::2:4002 ");
  ASSERT_TRUE(scopes::Announce(folder_, {"four", {"10.77.0.2", 4003}, ""}, &error)) << error;
  EXPECT_EQ(Found({"two"}), "two 10.77.0.2:4000 ");
  EXPECT_EQ(Found({"10.77.0.2"}), "several scopes listen at 10.77.0.2: name one of four, two");
}

TEST_F(Hosts, AFrontEndWithoutProcessesGathersTheScopeOfItsHost) {
  const std::string here = scopes::HostName();
  EXPECT_EQ(Found({here}, false), here + " 127.0.0.1:4001 ");
}

TEST_F(Hosts, AHostWithoutAScopeIsRefused) {
  EXPECT_NE(Found({"three"}).find("host three has no scope"), std::string::npos);
}

}  // namespace
}  // namespace epik::monitor
