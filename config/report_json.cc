// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON by hand: the runtime links this file, and must not bring a JSON library into other people's programs.
#include "config/report.h"

namespace epik::config {
namespace {

// Length of the UTF-8 character at the beginning of `text`; 0 if these bytes are not UTF-8, which JSON does not allow.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool in_range = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second > 0x9f);
    return in_range && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool in_range = !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second > 0x8f);
    return in_range && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string Quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const size_t length = Utf8Length(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[(c >> 4) & 15], kHex[c & 15]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + '"';
}

std::string Member(const char* name, std::string_view text) { return Quote(name) + ": " + Quote(text); }

const char* SourceName(Origin::Source source) {
  switch (source) {
    case Origin::kDefault: return "default";
    case Origin::kFile: return "file";
    case Origin::kEnvironment: return "environment";
  }
  return "";
}

const char* KindName(Message::Kind kind) {
  switch (kind) {
    case Message::kRefused: return "refused";
    case Message::kUnknown: return "unknown";
    case Message::kFile: return "file";
    case Message::kNote: return "note";
  }
  return "";
}

std::string Variable(const Settings& settings, const Description& row) {
  const Origin& origin = settings.OriginOf(row.key);
  std::string out = "{" + Member("name", row.name);
  const auto add = [&out](const char* name, std::string_view text) { out += ", " + Member(name, text); };
  add("value", row.format(settings));
  add("default", row.fallback);
  out += std::string(", \"set\": ") + (settings.IsSet(row.key) ? "true" : "false");
  add("source", SourceName(origin.source));
  if (origin.source == Origin::kFile) {
    add("file", origin.file);
    out += ", \"line\": " + std::to_string(origin.line);
  }
  add("type", row.type);
  add("accepted", row.accepted());
  add("unit", row.unit);
  add("section", row.section);
  add("since", row.since);
  add("help", row.help);
  return out + "}";
}

}  // namespace

std::string RenderJson(const Loaded& loaded) {
  std::string out = "{\"variables\": [";
  const char* separator = "\n  ";
  for (const Description& row : Descriptions()) {
    out += separator + Variable(loaded.settings, row);
    separator = ",\n  ";
  }
  out += "\n], \"messages\": [";
  separator = "\n  ";
  for (const Message& message : loaded.messages) {
    out += std::string(separator) + "{" + Member("kind", KindName(message.kind)) + ", " + Member("text", message.text) +
           "}";
    separator = ",\n  ";
  }
  return out + (loaded.messages.empty() ? "]}\n" : "\n]}\n");
}

}  // namespace epik::config
