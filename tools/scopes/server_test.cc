// SPDX-License-Identifier: BSD-3-Clause
// Friends and strangers at the door of a scope, on the loopback address.
#include "tools/scopes/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tools/scopes/remote.h"
#include "tools/scopes/rendezvous.h"
#include "tools/scopes/simulated.h"

namespace epik::scopes {
namespace {

constexpr char kSecret[] = "0123";

// A host of a simulated job whose scope serves in a thread.
class ServedHost {
 public:
  ServedHost(const SimulatedJob& job, uint32_t number)
      : server_({}, kSecret, [=, this](const Plan&, bool from_now) {
          (from_now ? opened_from_now : opened_from_begin)++;
          return std::make_unique<SimulatedHost>(job, number);
        }) {
    std::string error;
    EXPECT_TRUE(server_.Listen(&error)) << error;
    thread_ = std::thread([this] {
      while (!stopped_) server_.ServeUntil(In(0.05));
    });
  }
  ~ServedHost() {
    stopped_ = true;
    thread_.join();
  }
  Address address() const { return {"127.0.0.1", server_.port()}; }

  std::atomic<int> opened_from_begin = 0, opened_from_now = 0;

 private:
  Server server_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

Plan PlanOf(const std::string& text) {
  Plan plan;
  std::string error;
  EXPECT_TRUE(ParseDescription(text, "test", &plan, &error)) << error;
  return plan;
}

int Connect(const Address& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_port = htons(address.port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  return fd;
}

// All bytes until the other end closes.
std::string ReadAll(int fd) {
  std::string all;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(fd, bytes, sizeof bytes)) > 0;) all.append(bytes, static_cast<size_t>(n));
  return all;
}

std::string ReadSome(int fd, size_t count) {
  std::string all(count, '\0');
  EXPECT_EQ(recv(fd, all.data(), count, MSG_WAITALL), static_cast<ssize_t>(count));
  return all;
}

class Doors : public testing::Test {
 protected:
  const SimulatedJob job_ = {4, 2, 3, false};
  ServedHost host_ = ServedHost(job_, 0);

  // A client that knows the secret is served, whatever the others do.
  void ExpectService() {
    Remote remote(PlanOf("scope all\n from calls\n"), kSecret, {"host0", host_.address()}, {}, false);
    Batch batch;
    double behind = 1;
    ASSERT_TRUE(remote.Ask(60)) << remote.why();
    ASSERT_TRUE(remote.Answer(&batch, &behind)) << remote.why();
    EXPECT_EQ(batch.scopes[0].parts.size(), 2 * 3u);
    EXPECT_EQ(behind, 0);  // it is the same clock
  }
};

TEST_F(Doors, AWrongSecretGetsNothing) {
  std::string error;
  EXPECT_EQ(Channel::Connect(host_.address(), "0124", In(60), &error), nullptr);
  EXPECT_FALSE(error.empty());
  ExpectService();
}

TEST_F(Doors, GarbageGetsANonceAndNothingElse) {
  for (const size_t size : {1, 63, 64, 65, 100'000}) {
    const int fd = Connect(host_.address());
    const std::string garbage(size, 'x');
    [[maybe_unused]] const ssize_t n = send(fd, garbage.data(), garbage.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    EXPECT_LE(ReadAll(fd).size(), kHelloBytes) << size;
    close(fd);
  }
  ExpectService();
}

TEST_F(Doors, WhatWasHeardIsOfNoUseLater) {
  const std::string nonce = Nonce();
  const int fd = Connect(host_.address());
  const std::string hello = ReadSome(fd, kHelloBytes), servers = hello.substr(8);
  Tagger tagger(Side::kClient, kSecret, nonce, servers);
  const std::string greeting = nonce + std::string(BytesOf(Proof(Side::kClient, kSecret, nonce, servers)));
  const Opening opening = {false, "scope all\n from calls\n", {}};
  const std::string said = greeting + PackFrame(Kind::kOpen, PackOpening(opening), &tagger);
  ASSERT_EQ(send(fd, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  const size_t opened = 4 + 1 + kTagBytes;
  EXPECT_EQ(ReadSome(fd, 32 + opened).substr(0, 32), BytesOf(Proof(Side::kServer, kSecret, nonce, servers)));
  close(fd);
  const int again = Connect(host_.address());
  ASSERT_EQ(send(again, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  EXPECT_LE(ReadAll(again).size(), kHelloBytes);
  close(again);
  ExpectService();
}

TEST_F(Doors, AFriendWhoSendsNonsenseIsShown) {
  for (const Kind kind : {Kind::kPull, Kind::kBatch, Kind::kOpen}) {
    std::string error;
    const auto channel = Channel::Connect(host_.address(), kSecret, In(60), &error);
    ASSERT_NE(channel, nullptr) << error;
    Frame answer;
    ASSERT_TRUE(channel->Send(kind, "nonsense", In(60)));
    ASSERT_TRUE(channel->Receive(&answer, In(60))) << channel->error();
    EXPECT_EQ(answer.kind, Kind::kRefused);
    EXPECT_FALSE(channel->Receive(&answer, In(60)));
  }
  ExpectService();
}

TEST_F(Doors, ManyConnectionsKeepNobodyOut) {
  for (int i = 0; i < 1000; ++i) close(Connect(host_.address()));
  ExpectService();
  // And a crowd that stays, says nothing, and never reads.
  std::vector<int> crowd;
  for (int i = 0; i < 300; ++i) crowd.push_back(Connect(host_.address()));
  ExpectService();
  for (const int fd : crowd) close(fd);
}

TEST(Remote, ATreeOfServersGathersAsOneAndALostOneIsReplaced) {
  const SimulatedJob job = {8, 2, 3, false};
  std::vector<std::unique_ptr<ServedHost>> hosts;
  std::vector<Place> places;
  for (uint32_t i = 0; i < 4; ++i) {
    hosts.push_back(std::make_unique<ServedHost>(job, i));
    places.push_back({"host" + std::to_string(i), hosts.back()->address()});
  }
  const Plan plan = PlanOf("gather tree 1\nscope all\n from calls\n");  // each behind the one before
  Station root(plan, nullptr, true);
  for (auto& child : MakeChildren(plan, kSecret, places)) root.Add(std::move(child));
  const Batch first = root.Pull(60);
  EXPECT_EQ(first.scopes[0].gathered, 3u);
  EXPECT_EQ(first.scopes[0].wrappers.size(), 8 * 3u);
  ASSERT_EQ(first.hosts.size(), 4u);
  hosts[0].reset();
  const Batch second = root.Pull(60);  // the hosts behind it were lost with it, and are asked directly from now on
  EXPECT_FALSE(second.hosts[0].lost.empty());
  const Batch third = root.Pull(60);
  int there = 0;
  for (const HostState& host : third.hosts) there += host.lost.empty() ? 1 : 0;
  EXPECT_EQ(there, 3);
  EXPECT_EQ(third.scopes[0].gathered, 0u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(hosts[i]->opened_from_begin, 1) << i;
    EXPECT_EQ(hosts[i]->opened_from_now, 1) << "its first calls were gathered before, " << i;
  }
}

TEST(Remote, AHostBehindAnotherOneIsFoundAtItsNewAddress) {
  const SimulatedJob job = {6, 2, 3, false};
  std::vector<std::unique_ptr<ServedHost>> hosts;
  std::vector<Place> places;
  for (uint32_t i = 0; i < 3; ++i) {
    hosts.push_back(std::make_unique<ServedHost>(job, i));
    places.push_back({"host" + std::to_string(i), hosts.back()->address()});
  }
  const Plan plan = PlanOf("gather tree 1\nscope all\n from calls\n");
  Station root(plan, nullptr, true);
  for (auto& child : MakeChildren(plan, kSecret, places)) root.Add(std::move(child));
  const auto pull = [&] {
    for (const Place& place : places) root.SetAddress(place.name, place.address);
    std::string lost;
    for (const HostState& host : root.Pull(60).hosts) lost += host.lost.empty() ? "" : host.name + " ";
    return lost;
  };
  EXPECT_EQ(pull(), "");
  const uint16_t old = hosts[2]->address().port;
  auto anew = std::make_unique<ServedHost>(job, 2);  // before the old one ends, so it has another port
  hosts[2] = std::move(anew);
  ASSERT_NE(hosts[2]->address().port, old);
  EXPECT_NE(pull(), "");  // its new address is not known yet
  places[2].address = hosts[2]->address();
  std::string lost = pull();  // the first host is left, and the hosts behind it are asked directly
  for (int i = 0; i < 100 && !lost.empty(); ++i) lost = pull();
  EXPECT_EQ(lost, "");
  EXPECT_EQ(root.Pull(60).hosts.size(), 3u);
}

class Folder : public testing::Test {
 protected:
  Folder() { EXPECT_NE(mkdtemp(name_.data()), nullptr); }
  ~Folder() override { [[maybe_unused]] const int failed = std::system(("rm -rf " + name_).c_str()); }
  std::string name_ = testing::TempDir() + "/rendezvous.XXXXXX";
};

TEST_F(Folder, TheSecretIsForItsOwnerAlone) {
  std::string error;
  EXPECT_EQ(SecretOf(name_, false, &error), "");
  const std::string secret = SecretOf(name_, true, &error);
  ASSERT_EQ(secret.size(), 64u) << error;
  EXPECT_EQ(SecretOf(name_, true, &error), secret);
  EXPECT_EQ(SecretOf(name_, false, &error), secret);
  struct stat info {};
  ASSERT_EQ(stat((name_ + "/scopes/secret").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((name_ + "/scopes").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  chmod((name_ + "/scopes/secret").c_str(), 0644);
  EXPECT_EQ(SecretOf(name_, true, &error), "");
  EXPECT_NE(error.find("only you may read"), std::string::npos) << error;
  unlink((name_ + "/scopes/secret").c_str());
  std::ofstream(name_ + "/elsewhere") << std::string(64, 'a');
  chmod((name_ + "/elsewhere").c_str(), 0600);
  ASSERT_EQ(symlink("../elsewhere", (name_ + "/scopes/secret").c_str()), 0);
  EXPECT_EQ(SecretOf(name_, true, &error), "");
}

TEST_F(Folder, ScopesAreFoundAndLeaveNothing) {
  std::string error;
  ASSERT_FALSE(SecretOf(name_, true, &error).empty()) << error;
  ASSERT_TRUE(Announce(name_, {"b", {"10.0.0.2", 7000}, "4711"}, &error)) << error;
  ASSERT_TRUE(Announce(name_, {"a", {"::1", 8000}, ""}, &error)) << error;
  std::ofstream(name_ + "/scopes/c.scope") << "nonsense";
  const std::vector<Announced> found = FindAnnounced(name_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address.host, "::1");
  EXPECT_EQ(found[1].address.port, 7000);
  EXPECT_EQ(found[1].slurm, "4711");
  unlink((name_ + "/scopes/c.scope").c_str());
  Withdraw(name_, "a");
  EXPECT_EQ(FindAnnounced(name_).size(), 1u);
  Withdraw(name_, "b");
  EXPECT_NE(access((name_ + "/scopes").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace epik::scopes
