// SPDX-License-Identifier: BSD-3-Clause
// The functions and regions that a setting means: a filter file, groups, or a pattern. It keeps the names that it has
// seen, for the sentence at the end of a run.
#ifndef EPIK_ARCHIVE_ANSWERS_SELECTION_H_
#define EPIK_ARCHIVE_ANSWERS_SELECTION_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/filter.h"

namespace epik::archive {

using Say = void (*)(const char* line);

class Selection {
 public:
  // Takes out the functions and regions that a filter file and EPK_GROUPS exclude. `groups` has a word a line; null: no
  // file, no words. Returns null, and the reason in *error, when the file cannot be read.
  static std::unique_ptr<Selection> OfFilter(const char* path, const char* groups, Say say, std::string* error);
  static std::unique_ptr<Selection> OfGroups(const char* words, Say say);
  static std::unique_ptr<Selection> OfPattern(const char* glob);

  bool Selects(const config::FilterSubject& subject);
  bool NamesConstructs() const;
  bool SelectsAllConstructs();

  // Says when a stripped module hides names from a filter.
  void SayStripped(const std::string& module, Say say) const;
  void Summarize(Say say) const;

 private:
  struct Rules {
    // Reports errors in the text, behind the name of its setting or file, if it has one.
    void Parse(const std::string& where, std::string_view text, Say say);
    bool Measures(const config::FilterSubject& subject) { return filter.Measures(subject, &used); }
    config::Filter filter;
    std::vector<bool> used;
  };

  std::string named_;  // the file, or the setting; empty: no filter, and no messages
  std::string glob_;
  Rules file_, groups_;  // without rules, they measure everything
  std::set<std::string> out_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_ANSWERS_SELECTION_H_
