// SPDX-License-Identifier: BSD-3-Clause
//
// One HTTP request of a browser, parsed from the bytes of its connection. Everything in it comes from a stranger.
#ifndef EPIK_TOOLS_SERVE_REQUEST_H_
#define EPIK_TOOLS_SERVE_REQUEST_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace epik::serve {

struct Request {
  std::string method;
  std::string path;                           // decoded, without the query
  std::map<std::string, std::string> query;   // decoded; the first of several values counts
  std::map<std::string, std::string> header;  // names in lower case; the first of several values counts
  bool has_body = false;

  // The parameter's value, or `otherwise`.
  std::string Get(const std::string& name, const std::string& otherwise = "") const;
};

inline constexpr size_t kMostRequestBytes = 16384;

enum class ParseState { kIncomplete, kDone, kBad, kTooLarge };

// Parses the head of a request from the begin of `bytes`. Takes time linear in `bytes`, and refuses more than
// kMostRequestBytes.
ParseState ParseRequest(std::string_view bytes, Request* request);

// %41 becomes A, and `+` a blank in queries. An incomplete escape stays as it is.
std::string DecodeUrl(std::string_view text, bool is_query);

}  // namespace epik::serve

#endif  // EPIK_TOOLS_SERVE_REQUEST_H_
