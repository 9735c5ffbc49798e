// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/xml_scanner.h"

#include <algorithm>
#include <cstdint>

namespace epik::archive {
namespace {

struct Entity {
  std::string_view name;
  char character;
};
constexpr Entity kEntities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}, {"&quot;", '"'}};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool EndsName(char c) {
  return IsBlank(c) || c == '=' || c == '>' || c == '/' || c == '<' || c == '"' || c == '\'' || c == '&';
}

void AppendDecoded(std::string_view raw, bool entities, std::string* to) {
  for (size_t i = 0; i < raw.size(); ++i) {
    char c = raw[i];
    if (c == '\n' || c == '\r') c = ' ';
    if (c == '&' && entities) {
      for (const Entity& entity : kEntities) {
        if (raw.substr(i, entity.name.size()) != entity.name) continue;
        c = entity.character;
        i += entity.name.size() - 1;
        break;
      }
    }
    to->push_back(c);
  }
}

// Length of the UTF-8 sequence at the front; 0 when it is not valid.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t n = lead >= 0xC2 && lead <= 0xDF ? 2 : (lead & 0xF0) == 0xE0 ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  if (n == 0 || n > text.size()) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_character = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90) ||
                            (lead == 0xEF && second == 0xBF && byte(2) >= 0xBE);
  return overlong || no_character ? 0 : n;
}

}  // namespace

XmlScanner::Token XmlScanner::Fail(const std::string& what) {
  error_ = "offset " + std::to_string(start_) + ": " + what;
  return Token::kError;
}

void XmlScanner::SkipBlanks() {
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
}

bool XmlScanner::SkipPast(std::string_view mark) {
  const size_t found = text_.find(mark, at_);
  if (found == std::string_view::npos) return false;
  at_ = found + mark.size();
  return true;
}

std::string_view XmlScanner::ReadName() {
  const size_t begin = at_;
  while (at_ < text_.size() && !EndsName(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

XmlScanner::Token XmlScanner::Next() {
  if (!error_.empty()) return Token::kError;
  if (self_closing_) {
    self_closing_ = false;
    return Close();
  }
  while (true) {
    if (seen_root_ && open_.empty()) return Token::kDone;  // all text behind the outermost element is ignored
    start_ = at_;
    if (at_ >= text_.size()) {
      return Fail(open_.empty() ? "no element" : "the text ends within <" + std::string(open_.back()) + ">");
    }
    const std::string_view rest = text_.substr(at_);
    if (rest[0] != '<') {
      at_ = std::min(text_.find('<', at_), text_.size());
      raw_ = text_.substr(start_, at_ - start_);
      cdata_ = false;
      if (!open_.empty()) return Token::kText;
      if (!std::all_of(raw_.begin(), raw_.end(), IsBlank)) return Fail("text outside of any element");
    } else if (rest.substr(0, 2) == "<?") {
      if (!SkipPast("?>")) return Fail("unfinished <?");
    } else if (rest.substr(0, 4) == "<!--") {
      if (!SkipPast("-->")) return Fail("unfinished comment");
    } else {
      return Markup();
    }
  }
}

XmlScanner::Token XmlScanner::Markup() {
  constexpr std::string_view kCdata = "<![CDATA[";
  if (text_.substr(at_, kCdata.size()) == kCdata && !open_.empty()) {
    at_ += kCdata.size();
    const size_t begin = at_;
    if (!SkipPast("]]>")) return Fail("unfinished CDATA");
    raw_ = text_.substr(begin, at_ - 3 - begin);
    cdata_ = true;
    return Token::kText;
  }
  if (text_.substr(at_, 2) == "<!") return Fail("unexpected <!");
  return text_.substr(at_, 2) == "</" ? EndTag() : StartTag();
}

XmlScanner::Token XmlScanner::StartTag() {
  ++at_;
  name_ = ReadName();
  if (name_.empty()) return Fail("'<' without a name");
  attributes_.clear();
  while (true) {
    SkipBlanks();
    if (at_ >= text_.size()) return Fail("unfinished <" + std::string(name_) + ">");
    if (text_[at_] == '>') break;
    if (text_[at_] == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '>') {
      self_closing_ = true;
      ++at_;
      break;
    }
    if (!ReadAttribute()) return Fail("damaged attribute of <" + std::string(name_) + ">");
  }
  ++at_;
  open_.push_back(name_);
  seen_root_ = true;
  return Token::kStart;
}

bool XmlScanner::ReadAttribute() {
  const std::string_view name = ReadName();
  SkipBlanks();
  if (name.empty() || at_ >= text_.size() || text_[at_] != '=') return false;
  ++at_;
  SkipBlanks();
  if (at_ >= text_.size()) return false;
  const char quote = text_[at_];
  if (quote != '"' && quote != '\'') return false;
  const size_t begin = ++at_;
  const size_t end = text_.find(quote, begin);
  if (end == std::string_view::npos) return false;
  at_ = end + 1;
  attributes_.emplace_back(name, text_.substr(begin, end - begin));
  return true;
}

XmlScanner::Token XmlScanner::EndTag() {
  at_ += 2;
  const std::string_view name = ReadName();
  SkipBlanks();
  if (at_ >= text_.size() || text_[at_] != '>') return Fail("unfinished </" + std::string(name) + ">");
  ++at_;
  if (open_.empty()) return Fail("</" + std::string(name) + "> closes nothing");
  if (name != open_.back()) return Fail("</" + std::string(name) + "> within <" + std::string(open_.back()) + ">");
  return Close();
}

XmlScanner::Token XmlScanner::Close() {
  name_ = open_.back();
  open_.pop_back();
  return Token::kEnd;
}

bool XmlScanner::Attribute(std::string_view name, std::string* value) const {
  for (const auto& [key, raw] : attributes_) {
    if (key != name) continue;
    value->clear();
    AppendDecoded(raw, true, value);
    return true;
  }
  return false;
}

void XmlScanner::AppendText(std::string* to) const { AppendDecoded(raw_, !cdata_, to); }

std::string EscapeXml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t n = Utf8Length(text);
    if (n > 1) {
      out.append(text.substr(0, n));
    } else if (n == 0) {
      out.push_back('?');
    } else {
      const char c = text[0];
      const auto* entity =
          std::find_if(std::begin(kEntities), std::end(kEntities), [c](const Entity& e) { return e.character == c; });
      if (entity != std::end(kEntities)) {
        out.append(entity->name);
      } else {
        out.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c);
      }
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

}  // namespace epik::archive
