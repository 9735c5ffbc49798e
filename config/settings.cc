// SPDX-License-Identifier: BSD-3-Clause
#include "config/settings.h"

#include "config/nearest.h"
#include "config/number.h"

namespace epik::config {
namespace {

#define SETTING(field, name, type, fallback, unit, section, since, help) constexpr auto kType_##field = type;
#include "config/settings.def"

constexpr std::array<Description, kSettings> kDescriptions = {{
#define SETTING(field, name, type, fallback, unit, section, since, help)                                  \
  {Key::field,                                                                                            \
   #name,                                                                                                 \
   kType_##field.kName,                                                                                   \
   fallback,                                                                                              \
   unit,                                                                                                  \
   section,                                                                                               \
   since,                                                                                                 \
   help,                                                                                                  \
   [] { return kType_##field.Accepted(); },                                                               \
   [] { return kType_##field.Noun(); },                                                                   \
   [](std::string_view text, Settings* settings) { return kType_##field.Parse(text, &settings->field); }, \
   [](const Settings& settings) { return kType_##field.Format(settings.field); }},
#include "config/settings.def"
}};

struct Retired {
  const char* name;
  const char* reason;
};

constexpr Retired kRetired[] = {
#define RETIRED(name, reason) {#name, reason},
#include "config/settings.def"
};

}  // namespace

std::string Origin::Text() const {
  switch (source) {
    case kDefault: return "default";
    case kFile: return file + ":" + std::to_string(line);
    case kEnvironment: return "environment";
  }
  return {};
}

// Defaults are parsed like values of the user, so both have the same form.
Settings::Settings() {
  for (const Description& row : kDescriptions) row.parse(row.fallback, this);
}

bool Settings::SameAs(const Settings& other) const {
  for (const Description& row : kDescriptions) {
    if (IsSet(row.key) != other.IsSet(row.key)) return false;
  }
#define SETTING(field, name, type, fallback, unit, section, since, help) \
  if (!(field == other.field)) return false;
#include "config/settings.def"
  return true;
}

const std::array<Description, kSettings>& Descriptions() { return kDescriptions; }

const Description& Describe(Key key) { return kDescriptions[static_cast<size_t>(key)]; }

const Description* FindDescription(std::string_view name) {
  for (const Description& row : kDescriptions) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

const char* WhyRetired(std::string_view name) {
  for (const Retired& retired : kRetired) {
    if (name == retired.name) return retired.reason;
  }
  return nullptr;
}

std::string_view NearestName(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Description& row : kDescriptions) known.push_back(row.name);
  known.push_back("EPK_CONF");
  return Nearest(name, known);
}

// Messages go to terminals, and values may come from other people's files: control characters could hide or forge
// lines.
std::string Printable(std::string_view text) {
  constexpr size_t kLongest = 200;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  if (text.size() > kLongest) {
    // A cut within a character of several bytes would leave bytes that no terminal can show.
    size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    out.resize(out.size() - (kLongest - end));
    out += "...";
  }
  return out;
}

bool Loaded::AllUsed() const {
  for (const Message& message : messages) {
    if (message.kind != Message::kNote) return false;
  }
  return true;
}

}  // namespace epik::config
