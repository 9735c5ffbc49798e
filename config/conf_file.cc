// SPDX-License-Identifier: BSD-3-Clause
#include "config/conf_file.h"

#include "config/number.h"

namespace epik::config {
namespace {

bool IsNameStart(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }

// The name at the beginning of `text`; empty if `text` does not begin with a name.
std::string_view LeadingName(std::string_view text) {
  if (text.empty() || !IsNameStart(text[0])) return {};
  size_t n = 1;
  while (n < text.size() && IsNameChar(text[n])) ++n;
  return text.substr(0, n);
}

class LineParser {
 public:
  LineParser(const Environment& environment, std::string_view doc_dir, ConfText* out)
      : environment_(environment), doc_dir_(doc_dir), out_(out) {}

  void Parse(std::string_view line, int number) {
    line_ = number;
    rest_ = Trim(line);
    if (rest_.empty() || rest_[0] == '#') return;
    if (rest_.find('\0') != std::string_view::npos) return Refuse("holds a zero byte");
    const std::string_view key = LeadingName(rest_);
    rest_ = Trim(rest_.substr(key.size()));
    // The message does not repeat a line that is no setting: the user may have named a private file by mistake.
    if (key.empty() || rest_.empty() || rest_[0] != '=') return Refuse("not of the form KEY = value");
    rest_ = Trim(rest_.substr(1));
    ConfEntry entry{std::string(key), {}, {}, number};
    value_.clear();
    secret_ = false;
    const std::string_view before = rest_;
    if (!ParseValue()) return;
    entry.value = value_;
    entry.shown = secret_ ? std::string(Trim(before.substr(0, before.size() - rest_.size()))) : value_;
    out_->entries.push_back(std::move(entry));
  }

 private:
  void Refuse(std::string_view reason) { out_->problems.push_back({line_, std::string(reason), true}); }

  bool Fail(std::string_view reason) {
    Refuse(reason);
    return false;
  }

  bool ParseValue() {
    if (rest_.empty()) return true;
    if (rest_[0] != '"' && rest_[0] != '\'') return ParseBare();
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    if (!(quote == '"' ? ParseDoubleQuoted() : ParseSingleQuoted())) return false;
    const std::string_view behind = Trim(rest_);
    return behind.empty() || behind[0] == '#' || Fail("text behind the closing quote");
  }

  bool ParseBare() {
    const size_t comment = rest_.find('#');
    std::string_view text = Trim(rest_.substr(0, comment));
    rest_ = comment == std::string_view::npos ? std::string_view() : rest_.substr(comment);
    while (!text.empty()) {
      if (text[0] == '$') {
        if (!Expand(&text)) return false;
      } else {
        value_ += text[0];
        text.remove_prefix(1);
      }
    }
    return true;
  }

  bool ParseSingleQuoted() {
    const size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return Fail("a quote is not closed");
    value_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool ParseDoubleQuoted() {
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '$') {
        if (!Expand(&rest_)) return false;
      } else if (rest_[0] == '\\' && rest_.size() > 1) {
        TakeEscape();
      } else {
        value_ += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    if (rest_.empty()) return Fail("a quote is not closed");
    rest_.remove_prefix(1);
    return true;
  }

  // A backslash before anything else stays, as it does in a shell.
  void TakeEscape() {
    switch (rest_[1]) {
      case 'n': value_ += '\n'; break;
      case 'r': value_ += '\r'; break;
      case 't': value_ += '\t'; break;
      case '"':
      case '\\':
      case '$': value_ += rest_[1]; break;
      default: value_.append(rest_.substr(0, 2)); break;
    }
    rest_.remove_prefix(2);
  }

  // At a `$`: $NAME or ${NAME}; a `$` before any other text stands for itself.
  bool Expand(std::string_view* text) {
    const bool braced = text->size() > 1 && (*text)[1] == '{';
    const size_t begin = braced ? 2 : 1;
    const std::string_view name = LeadingName(text->substr(begin));
    size_t end = begin + name.size();
    if (braced) {
      if (name.empty() || end >= text->size() || (*text)[end] != '}') return Fail("${ without NAME}");
      ++end;
    } else if (name.empty()) {
      value_ += '$';
      text->remove_prefix(1);
      return true;
    }
    Append(name);
    text->remove_prefix(end);
    return true;
  }

  void Append(std::string_view name) {
    if (const auto found = environment_.Find(name)) {
      value_ += *found;
      secret_ = secret_ || !IsOurs(name);
    } else if (name == "DOCDIR" && !doc_dir_.empty()) {
      value_ += doc_dir_;
    } else {
      out_->problems.push_back({line_, "$" + std::string(name) + " is not set, taken as empty", false});
    }
  }

  const Environment& environment_;
  const std::string_view doc_dir_;
  ConfText* const out_;
  int line_ = 0;
  std::string_view rest_;
  std::string value_;
  bool secret_ = false;
};

}  // namespace

bool IsOurs(std::string_view name) {
  const std::string_view prefix = name.substr(0, 4);
  return prefix == "EPK_" || prefix == "ESD_" || prefix == "ELG_";
}

ConfText ParseConf(std::string_view text, const Environment& environment, std::string_view doc_dir) {
  ConfText out;
  LineParser parser(environment, doc_dir, &out);
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);  // the byte order mark of some editors
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    parser.Parse(text.substr(0, end), number);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

std::string QuoteValue(std::string_view value) {
  const bool bare = value.find_first_of("#$\"'\\\r\n") == std::string_view::npos && Trim(value) == value;
  if (bare && !value.empty()) return std::string(value);
  std::string out = "\"";
  for (const char c : value) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"':
      case '\\':
      case '$': out += '\\', out += c; break;
      default: out += c; break;
    }
  }
  return out + '"';
}

}  // namespace epik::config
