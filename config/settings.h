// SPDX-License-Identifier: BSD-3-Clause
// The configuration in force: typed fields, generated from settings.def, and the source of each value. It is linked
// into the measured program, so it neither prints nor stops: it returns errors as messages, and uses the default. One
// thread calls it once, before measurement starts.
#ifndef EPIK_CONFIG_SETTINGS_H_
#define EPIK_CONFIG_SETTINGS_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"

namespace epik::config {

// Groups of MPI functions as EPIK has named them; X… are switches, XREQTEST only when asked for by name.
inline constexpr const char* kMpiGroups =
    "CG CG_ERR CG_EXT CG_MISC COLL ENV ERR EXT IO IO_ERR IO_MISC MISC P2P PERF RMA RMA_ERR RMA_EXT RMA_MISC SPAWN TOPO "
    "TYPE TYPE_EXT TYPE_MISC XNONBLOCK | XREQTEST";
inline constexpr const char* kMpiDefault = "ALL";
inline constexpr const char* kOmpGroups =
    "PARALLEL LOOP SECTIONS SINGLE BARRIER CRITICAL ORDERED LOCK TASK TEAMS FLUSH";
// The groups of calls that EPK_MONITOR can name.
inline constexpr const char* kMonitorGroups = "COLL P2P OMP";

// enum class Timer { kAuto, … } and WordsOf(Timer), for each CHOICE.
#define CHOICE(type, words, ...)   \
  enum class type { __VA_ARGS__ }; \
  constexpr const char* WordsOf(type) { return words; }
#include "config/settings.def"

// One for each setting, in the order of the table: Key::trace, Key::paths, …
enum class Key {
#define SETTING(field, name, type, fallback, unit, section, since, help) field,
#include "config/settings.def"
};

#define SETTING(field, name, type, fallback, unit, section, since, help) +1
inline constexpr int kSettings =
#include "config/settings.def"
    ;

struct Origin {
  enum Source { kDefault, kFile, kEnvironment };
  Source source = kDefault;
  std::string file;
  int line = 0;

  std::string Text() const;  // "default", "FILE:LINE" or "environment"
};

struct Settings {
  Settings();  // the defaults

#define SETTING(field, name, type, fallback, unit, section, since, help) decltype(type)::Value field{};
#include "config/settings.def"

  std::array<Origin, kSettings> origins;

  const Origin& OriginOf(Key key) const { return origins[static_cast<size_t>(key)]; }
  // True: the user gave this value. A size is then a limit, and otherwise only a starting size.
  bool IsSet(Key key) const { return OriginOf(key).source != Origin::kDefault; }
  // True: all fields are equal, and the same fields are set.
  bool SameAs(const Settings& other) const;
};

// A row of the table, for code that lists, documents or completes the variables.
struct Description {
  Key key;
  const char* name;
  const char* type;
  const char* fallback;  // the default, as a user would write it
  const char* unit;
  const char* section;
  const char* since;
  const char* help;
  std::string (*accepted)();
  std::string (*noun)();
  bool (*parse)(std::string_view text, Settings* settings);
  std::string (*format)(const Settings& settings);
};

const std::array<Description, kSettings>& Descriptions();
const Description& Describe(Key key);
const Description* FindDescription(std::string_view name);  // null: no such variable

// Tells why a variable of the original EPIK, or one that was only planned, does nothing. Returns null for other names.
const char* WhyRetired(std::string_view name);

// The known name that `name` was probably meant to be; empty if none is near.
std::string_view NearestName(std::string_view name);

struct Message {
  enum Kind {
    kRefused,  // a value that is not accepted: the default is used
    kUnknown,  // a name of ours that does not exist
    kFile,     // a file that cannot be read, or a line that cannot be understood
    kNote,     // worth knowing, nothing is lost
  };
  Kind kind;
  std::string text;  // one line, without a newline; shows no foreign variable's value
};

struct Loaded {
  Settings settings;
  std::vector<Message> messages;

  bool AllUsed() const;  // nothing was refused, unknown or unreadable
};

struct Sources {
  const char* const* environment = nullptr;  // NAME=VALUE …, ended by null
  std::string installation_conf;             // the installation's EPIK.CONF; empty or missing: none
  std::string directory = ".";               // folder of ./EPIK.CONF, and of $EPK_CONF if it is relative
};

// The installation's EPIK.CONF; then $EPK_CONF (a file, or a directory with EPIK.CONF in it) or else ./EPIK.CONF; then
// the environment. The later wins.
Loaded Load(const Sources& sources);

// Load() with what this process has: its environment, directory and InstallationConf(). The only global access here.
Loaded LoadFromProcess();
// PREFIX/etc/EPIK.CONF when this code was loaded from PREFIX/bin or PREFIX/lib.
std::string InstallationConf();

// `text` on one line, as it may stand in a message: control characters escaped, cut when very long.
std::string Printable(std::string_view text);

}  // namespace epik::config

#endif  // EPIK_CONFIG_SETTINGS_H_
