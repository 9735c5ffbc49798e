// SPDX-License-Identifier: BSD-3-Clause
// The syntax of EPIK.CONF: lines of `KEY = value # comment`.
//   bare value      up to the first # or the end of the line, blanks around it dropped; $NAME and ${NAME} are replaced
//   "double quotes" may hold # and blanks; $NAME as above; \" \\ \$ \n \r \t
//   'single quotes' taken as it stands, no replacement
// Variables come from the environment. Pure text in, entries out: no file is touched here.
#ifndef EPIK_CONFIG_CONF_FILE_H_
#define EPIK_CONFIG_CONF_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"

namespace epik::config {

struct ConfEntry {
  std::string key;
  std::string value;
  // The value to show in messages: without the values of variables that are not EPIK's, which may be secrets.
  std::string shown;
  int line;
};

struct ConfProblem {
  int line;
  std::string text;
  bool ignored;  // the line is not used
};

struct ConfText {
  std::vector<ConfEntry> entries;
  std::vector<ConfProblem> problems;
};

// `doc_dir` is the value of $DOCDIR if the environment does not set it.
ConfText ParseConf(std::string_view text, const Environment& environment, std::string_view doc_dir);

// `value` such that ParseConf reads it back, with quotes only where they are needed.
std::string QuoteValue(std::string_view value);

// EPK_…, ESD_…, ELG_…: the names that are ours to read, to warn about and to show.
bool IsOurs(std::string_view name);

}  // namespace epik::config

#endif  // EPIK_CONFIG_CONF_FILE_H_
