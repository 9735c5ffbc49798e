// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/request.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

namespace epik::serve {
namespace {

ParseState Parse(const std::string& text, Request* request) { return ParseRequest(text, request); }

TEST(Request, IsTakenApart) {
  Request request;
  ASSERT_EQ(
      Parse("GET /tiles/a%20b?from=1&to=2%2B3&x=a+b&flag HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX-Y:  z \r\n\r\n", &request),
      ParseState::kDone);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/tiles/a b");
  EXPECT_EQ(request.Get("from"), "1");
  EXPECT_EQ(request.Get("to"), "2+3");
  EXPECT_EQ(request.Get("x"), "a b");
  EXPECT_EQ(request.Get("flag", "absent"), "");
  EXPECT_EQ(request.Get("none", "absent"), "absent");
  EXPECT_EQ(request.header.at("host"), "127.0.0.1:80");
  EXPECT_EQ(request.header.at("x-y"), "z");
  EXPECT_FALSE(request.has_body);
}

TEST(Request, TheFirstOfSeveralValuesCounts) {
  Request request;
  ASSERT_EQ(Parse("GET /?token=a&token=b HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", &request), ParseState::kDone);
  EXPECT_EQ(request.Get("token"), "a");
  EXPECT_EQ(request.header.at("host"), "a");
}

TEST(Request, BodiesAreSeen) {
  Request with, chunked, empty;
  ASSERT_EQ(Parse("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", &with), ParseState::kDone);
  ASSERT_EQ(Parse("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", &chunked), ParseState::kDone);
  ASSERT_EQ(Parse("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &empty), ParseState::kDone);
  EXPECT_TRUE(with.has_body);
  EXPECT_TRUE(chunked.has_body);
  EXPECT_FALSE(empty.has_body);
}

TEST(Request, GarbageIsRefused) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/2\r\n\r\n"),
        std::string("get / HTTP/1.1\r\n\r\n"), std::string("GET http://x/ HTTP/1.1\r\n\r\n"),
        std::string("GET  HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\n: x\r\n\r\n"), std::string("GET / HTTP/1.1\r\nA: \0b\r\n\r\n", 26)}) {
    Request request;
    EXPECT_EQ(Parse(text, &request), ParseState::kBad) << text;
  }
}

TEST(Request, LimitsHold) {
  Request request;
  const std::string head = "GET / HTTP/1.1\r\nA: ";
  const std::string at = head + std::string(kMostRequestBytes - head.size() - 4, 'a') + "\r\n\r\n";
  EXPECT_EQ(at.size(), kMostRequestBytes);
  EXPECT_EQ(Parse(at, &request), ParseState::kDone);
  EXPECT_EQ(Parse(at.substr(0, at.size() - 1), &request), ParseState::kIncomplete);
  EXPECT_EQ(Parse(head + std::string(kMostRequestBytes, 'a'), &request), ParseState::kTooLarge);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many += "H" + std::to_string(i) + ": x\r\n";
  EXPECT_EQ(Parse(many + "\r\n", &request), ParseState::kBad);
}

TEST(Request, EscapesSurviveTheWayThere) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    std::string escaped;
    for (int i = 0; i < 20; ++i) {
      const auto byte = static_cast<unsigned char>(random());
      char escape[4];
      std::snprintf(escape, sizeof escape, random() % 2 == 0 ? "%%%02X" : "%%%02x", byte);
      text += static_cast<char>(byte);
      escaped += escape;
    }
    EXPECT_EQ(DecodeUrl(escaped, true), text);
  }
  EXPECT_EQ(DecodeUrl("%4", false), "%4");
  EXPECT_EQ(DecodeUrl("%zz%", false), "%zz%");
  EXPECT_EQ(DecodeUrl("a+b", false), "a+b");
}

// The fuzzer without libFuzzer: the same in every run.
TEST(Request, AnyBytesEnd) {
  std::mt19937 random(11);
  const std::string valid = "GET /tiles?from=1&to=2 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://x\r\n\r\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text = valid;
    for (unsigned i = 0; i < 1 + random() % 8; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    Request request;
    if (Parse(text, &request) == ParseState::kDone) {
      EXPECT_FALSE(request.method.empty());
    }
  }
}

}  // namespace
}  // namespace epik::serve
