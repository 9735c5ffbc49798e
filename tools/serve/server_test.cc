// SPDX-License-Identifier: BSD-3-Clause
// A real server on the loopback address, with friendly and hostile clients.
#include "tools/serve/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace epik::serve {
namespace {

int Connect(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience = {20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

std::string ReadAll(int fd) {
  std::string all;
  char buffer[65536];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<size_t>(n));
  return all;
}

class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}, std::function<void()> tick = {}) {
    server_ = std::make_unique<Server>(
        options, [this](const Request& request) { return Answer(request); }, tick);
    ASSERT_TRUE(server_->Listen()) << server_->Error();
    const std::string url = server_->Url();
    token_ = url.substr(url.find("token=") + 6);
    thread_ = std::thread([this] {
      server_->Run();
      ended_ = true;
    });
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }

  Response Answer(const Request& request) {
    ++answered_;
    if (request.path == "/stream") return {200, "text/event-stream", "", true};
    if (request.path == "/large") return {200, "text/plain", std::string(5'000'000, 'x'), false};
    return {200, "text/plain", "path " + request.path, false};
  }

  std::string Host() const { return "127.0.0.1:" + std::to_string(server_->Port()); }

  std::string Ask(const std::string& text) const {
    const int fd = Connect(server_->Port());
    EXPECT_GE(fd, 0);
    EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const std::string answer = ReadAll(fd);
    close(fd);
    return answer;
  }

  std::string Get(const std::string& target, const std::string& more = "") const {
    return Ask("GET " + target + " HTTP/1.1\r\nHost: " + Host() + "\r\n" + more + "\r\n");
  }

  std::string Status(const std::string& answer) const { return answer.substr(9, 3); }

  std::unique_ptr<Server> server_;
  std::string token_;
  std::thread thread_;
  std::atomic<bool> ended_{false};
  std::atomic<int> answered_{0};
};

TEST_F(ServerTest, AnswersWhoHasTheToken) {
  Start();
  const std::string answer = Get("/a?token=" + token_);
  EXPECT_EQ(Status(answer), "200");
  EXPECT_NE(answer.find("\r\n\r\npath /a"), std::string::npos);
  EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_EQ(answer.find("Access-Control-Allow"), std::string::npos);
  EXPECT_EQ(Status(Get("/a", "X-Epik-Token: " + token_ + "\r\n")), "200");
  EXPECT_EQ(Get("/large?token=" + token_).size() > 5'000'000, true);
}

TEST_F(ServerTest, StrangersGetNothing) {
  Start();
  EXPECT_EQ(Status(Get("/")), "403");
  EXPECT_EQ(Status(Get("/?token=")), "403");
  EXPECT_EQ(Status(Get("/?token=" + token_.substr(1))), "403");
  std::string wrong = token_;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(Status(Get("/?token=" + wrong)), "403");
  // A request of another site's page, under its own name or ours.
  EXPECT_EQ(Status(Get("/?token=" + token_, "Origin: http://evil.example\r\n")), "403");
  EXPECT_EQ(Status(Get("/?token=" + token_, "Origin: null\r\n")), "403");
  EXPECT_EQ(Status(Ask("GET /?token=" + token_ + " HTTP/1.1\r\nHost: evil.example\r\n\r\n")), "403");
  EXPECT_EQ(Status(Ask("GET /?token=" + token_ + " HTTP/1.1\r\n\r\n")), "403");
  EXPECT_EQ(Status(Ask("POST /?token=" + token_ + " HTTP/1.1\r\nHost: " + Host() + "\r\n\r\n")), "405");
  EXPECT_EQ(Status(Ask("rubbish\r\n\r\n")), "400");
  EXPECT_EQ(answered_, 0);
  EXPECT_EQ(Status(Get("/?token=" + token_, "Origin: http://" + Host() + "\r\n")), "200");
}

TEST_F(ServerTest, OnlyTheLoopbackAddressListens) {
  Start();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_->Port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);  // 127.0.0.2 belongs to this machine too
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_NE(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(fd);
}

TEST_F(ServerTest, TokensDiffer) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(RandomToken());
  EXPECT_EQ(tokens.size(), 100u);
  EXPECT_EQ(tokens.begin()->size(), 32u);
}

TEST_F(ServerTest, APortInUseIsNamed) {
  Start();
  ServerOptions same;
  same.port = server_->Port();
  Server second(same, [](const Request&) { return Response(); });
  EXPECT_FALSE(second.Listen());
  EXPECT_NE(second.Error().find(std::to_string(same.port)), std::string::npos) << second.Error();
}

// Connections that send nothing, or garbage slowly, or never read, do not take the place of others.
TEST_F(ServerTest, AThousandConnectionsHurtNobody) {
  Start();
  std::vector<int> idle;
  for (int i = 0; i < 1000; ++i) {
    const int fd = Connect(server_->Port());
    if (fd < 0) continue;
    if (i % 3 == 0) {
      EXPECT_EQ(write(fd, "GET /", 5), 5);
    }
    idle.push_back(fd);
  }
  EXPECT_GT(idle.size(), 500u);
  EXPECT_EQ(Status(Get("/?token=" + token_)), "200");
  for (const int fd : idle) close(fd);
}

TEST_F(ServerTest, StreamsGetWhatIsBroadcast) {
  ServerOptions options;
  options.tick_milliseconds = 10;
  std::atomic<int> ticks{0};
  Start(options, [&] { server_->Broadcast("tick\n" + std::to_string(++ticks)); });
  const int fd = Connect(server_->Port());
  const std::string ask = "GET /stream?token=" + token_ + " HTTP/1.1\r\nHost: " + Host() + "\r\n\r\n";
  ASSERT_EQ(write(fd, ask.data(), ask.size()), static_cast<ssize_t>(ask.size()));
  std::string got;
  char buffer[1024];
  while (got.find("data: tick\ndata: ") == std::string::npos) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    ASSERT_GT(n, 0);
    got.append(buffer, static_cast<size_t>(n));
  }
  EXPECT_NE(got.find("text/event-stream"), std::string::npos);
  EXPECT_EQ(got.find("Content-Length"), std::string::npos);
  close(fd);
}

TEST_F(ServerTest, ASlowReaderIsDroppedAndTheOthersGoOn) {
  ServerOptions options;
  options.tick_milliseconds = 1;
  constexpr int kTimes = 64;
  static const std::string much(1'000'000, 'x');  // the server ends after this test
  static std::atomic<int> sent;
  sent = 0;
  Start(options, [&] {
    if (answered_ == 0 || sent == kTimes) return;  // nobody listens yet
    server_->Broadcast(much);
    ++sent;
  });
  const int fd = Connect(server_->Port());
  const std::string ask = "GET /stream?token=" + token_ + " HTTP/1.1\r\nHost: " + Host() + "\r\n\r\n";
  ASSERT_EQ(write(fd, ask.data(), ask.size()), static_cast<ssize_t>(ask.size()));
  while (sent < kTimes) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(Status(Get("/?token=" + token_)), "200");
  // All data sent before the connection was dropped arrives, and then the end.
  EXPECT_LT(ReadAll(fd).size(), kTimes * much.size());
  close(fd);
}

TEST_F(ServerTest, EndsWhenTheLastPageHasGone) {
  ServerOptions options;
  options.linger_seconds = 1;
  Start(options);
  const int fd = Connect(server_->Port());
  const std::string ask = "GET /stream?token=" + token_ + " HTTP/1.1\r\nHost: " + Host() + "\r\n\r\n";
  ASSERT_EQ(write(fd, ask.data(), ask.size()), static_cast<ssize_t>(ask.size()));
  char buffer[1024];
  ASSERT_GT(read(fd, buffer, sizeof buffer), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(ended_);
  close(fd);
  for (int i = 0; i < 100 && !ended_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(ended_);
}

TEST_F(ServerTest, EndsBySignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    ended_ = false;
    Start();
    EXPECT_EQ(Status(Get("/?token=" + token_)), "200");
    kill(getpid(), signal);
    thread_.join();
    EXPECT_TRUE(ended_);
  }
}

}  // namespace
}  // namespace epik::serve
