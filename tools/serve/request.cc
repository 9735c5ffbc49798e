// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/request.h"

#include <algorithm>
#include <cctype>

namespace epik::serve {
namespace {

constexpr size_t kMostParameters = 64;
constexpr size_t kMostHeaders = 100;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Bounded, because anybody on this machine can connect. The first of several values counts.
void ParseQuery(std::string_view text, std::map<std::string, std::string>* query) {
  while (!text.empty() && query->size() < kMostParameters) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(part.size() + (part.size() < text.size() ? 1 : 0));
    const size_t sign = part.find('=');
    const std::string_view value = sign == std::string_view::npos ? std::string_view() : part.substr(sign + 1);
    if (!part.empty()) query->emplace(DecodeUrl(part.substr(0, sign), true), DecodeUrl(value, true));
  }
}

// METHOD SP TARGET SP HTTP/1.x
bool ParseFirstLine(std::string_view line, Request* request) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  // Browsers send HTTP/1.0 or 1.1; everything else is refused.
  if (line.substr(last + 1, 7) != "HTTP/1." || line.size() != last + 9) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (first == 0 || target.empty() || target[0] != '/') return false;
  for (const char c : line.substr(0, first)) {
    if (std::isupper(static_cast<unsigned char>(c)) == 0) return false;
  }
  request->method = line.substr(0, first);
  const size_t mark = target.find('?');
  request->path = DecodeUrl(target.substr(0, mark), false);
  if (mark != std::string_view::npos) ParseQuery(target.substr(mark + 1), &request->query);
  return true;
}

bool ParseHeader(std::string_view line, Request* request) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || request->header.size() >= kMostHeaders) return false;
  request->header.emplace(Lower(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  return true;
}

// No request of our pages has a body. A body that we do not read could be taken for the next request.
bool SaysBody(const Request& request) {
  if (request.header.count("transfer-encoding") != 0) return true;
  const auto length = request.header.find("content-length");
  return length != request.header.end() && length->second != "0";
}

}  // namespace

std::string Request::Get(const std::string& name, const std::string& otherwise) const {
  const auto found = query.find(name);
  return found == query.end() ? otherwise : found->second;
}

ParseState ParseRequest(std::string_view bytes, Request* request) {
  const size_t end = bytes.substr(0, kMostRequestBytes).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return bytes.size() >= kMostRequestBytes ? ParseState::kTooLarge : ParseState::kIncomplete;
  }
  std::string_view head = bytes.substr(0, end);
  // A NUL would end the text early for every C function that gets it later.
  if (head.find('\0') != std::string_view::npos) return ParseState::kBad;
  bool is_first = true;
  while (is_first || !head.empty()) {
    const size_t size = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, size);
    if (!(is_first ? ParseFirstLine(line, request) : ParseHeader(line, request))) return ParseState::kBad;
    head.remove_prefix(std::min(size + 2, head.size()));
    is_first = false;
  }
  request->has_body = SaysBody(*request);
  return ParseState::kDone;
}

std::string DecodeUrl(std::string_view text, bool is_query) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += is_query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace epik::serve
