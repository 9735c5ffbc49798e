// SPDX-License-Identifier: BSD-3-Clause
#include "view/name.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "view/text.h"

namespace epik::view {
namespace {

// "operator()", "operator<" and "operator->" have no brackets.
bool IsPartOfOperator(std::string_view name, size_t at) {
  const std::string_view before = name.substr(0, at);
  return before.ends_with("operator") || before.ends_with("operator(") || before.ends_with("operator<") ||
         before.ends_with("operator-");
}

// Replaces the text between the outermost pair of `open` and `close` by dots. "operator()" and "operator<" stay.
std::string Hollow(std::string_view name, char open, char close, std::string_view dots) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool part_of_operator = IsPartOfOperator(name, i);
    if (name[i] == open && !part_of_operator && depth++ == 0) {
      out += open;
      if (i + 1 < name.size() && name[i + 1] != close) out += dots;
      continue;
    }
    if (name[i] == close && !part_of_operator && depth > 0) --depth;
    if (depth == 0) out += name[i];
  }
  return depth == 0 ? out : std::string(name);
}

std::string HollowAll(std::string_view name, std::string_view dots) {
  return Hollow(Hollow(name, '(', ')', dots), '<', '>', dots);
}

bool IsPartOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

struct Span {
  size_t begin, end;
};

// The part in which `name` differs from all of `others`.
Span Difference(std::string_view name, const std::vector<std::string_view>& others) {
  size_t front = name.size(), back = name.size();
  for (const std::string_view other : others) {
    const size_t most = std::min(name.size(), other.size());
    size_t same = 0;
    while (same < most && name[same] == other[same]) ++same;
    front = std::min(front, same);
    size_t end = 0;
    while (end < most && name[name.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
    back = std::min(back, end);
  }
  return {front, std::max(name.size() - back, front)};
}

// The text within the outermost brackets around the place; the whole name if no brackets are around it.
Span Inside(std::string_view name, size_t place) {
  size_t open = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i == place && depth == 0) break;
    if (IsPartOfOperator(name, i)) continue;
    if ((name[i] == '<' || name[i] == '(') && depth++ == 0) open = i + 1;
    if ((name[i] == '>' || name[i] == ')') && depth > 0 && --depth == 0 && i >= place) return {open, i};
  }
  return {0, name.size()};
}

Span WholeWords(std::string_view name, Span part, Span inside) {
  while (part.begin > inside.begin && IsPartOfWord(name[part.begin - 1])) --part.begin;
  while (part.end < inside.end && IsPartOfWord(name[part.end])) ++part.end;
  return part;
}

std::string_view Slice(std::string_view name, Span span) { return name.substr(span.begin, span.end - span.begin); }

// Shows the part in which `name` differs from `others`: "Sum<double>(…)", "Sum<…float…>(…)". The text around it is
// shortened first.
std::string TellApart(std::string_view name, const std::vector<std::string_view>& others, size_t width,
                      std::string_view dots) {
  Span part = Difference(name, others);
  const Span inside = Inside(name, part.begin);
  part.end = std::min(part.end, inside.end);
  const bool in_brackets = inside.begin > 0;
  // Shows whole words if these take no more than half.
  const Span words = WholeWords(name, part, inside);
  std::string different = Printable(Slice(name, words));
  if (Width(different) > width / 2) different = HollowAll(different, dots);
  if (in_brackets || Width(different) <= width / 2) {
    part = words;
  } else {
    different = Printable(Slice(name, part));
  }
  std::string left(name.substr(0, in_brackets ? inside.begin - 1 : part.begin));
  std::string right(name.substr(in_brackets ? inside.end + 1 : part.end));
  left = HollowAll(Printable(left), dots);
  right = HollowAll(Printable(right), dots);
  if (in_brackets) {
    left += name[inside.begin - 1] + std::string(part.begin > inside.begin ? dots : "");
    right = std::string(part.end < inside.end ? dots : "") + name[inside.end] + right;
  }
  right = Shorten(right, width / 4, Cut::kEnd, dots);
  const size_t rest = width - Width(right);
  different = Shorten(different, std::max(rest / 2, rest - std::min(rest, Width(left))), Cut::kMiddle, dots);
  if (different.empty()) return "";
  return Shorten(left, rest - Width(different), Cut::kMiddle, dots) + different + right;
}

// Joins "a > b > c" from the end, as far as there is room. name(i, room) gives the i-th of `count` names; *shown
// becomes the number of those that had room.
template <class Name>
std::string JoinPath(size_t count, size_t width, const Terminal& terminal, Name&& name, size_t* shown = nullptr) {
  constexpr size_t kLongestCaller = 40, kShortestCaller = 10;
  const std::string arrow = " > ", more = std::string(terminal.Ellipsis()) + arrow;
  std::string path;
  for (size_t i = count; i-- > 0;) {
    // Unless it is the first name, there must be room for the mark of omitted callers.
    const size_t reserved = i == 0 ? 0 : Width(more);
    const size_t room = width > reserved ? width - reserved : 1;
    if (path.empty()) {
      path = name(i, room);
      continue;
    }
    const size_t taken = Width(arrow) + Width(path), left = room > taken ? room - taken : 0;
    std::string caller = name(i, kLongestCaller);
    if (Width(caller) > left) caller = left < kShortestCaller ? "" : name(i, left);
    if (caller.empty()) {
      if (shown != nullptr) *shown = count - 1 - i;
      return more + path;
    }
    path = caller + arrow + path;
  }
  if (shown != nullptr) *shown = count;
  return path;
}

using Names = std::vector<std::string_view>;

size_t SameAtTheEnd(const Names& one, const Names& other) {
  const auto differ = std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend()).first;
  return static_cast<size_t>(differ - one.rbegin());
}

// A path whose last `shown` names are also those of other paths: the mark of omitted callers tells how many they are.
// If another path has as many, the mark has the innermost caller that differs. Empty: there is no room for that.
std::string WithCallers(const Names& names, const std::vector<const Names*>& alike, size_t shown, size_t width,
                        const Terminal& terminal) {
  constexpr size_t kLongestName = 20;
  const std::string arrow = " > ", dots(terminal.Ellipsis());
  size_t differs = names.size();
  for (const Names* other : alike) {
    const size_t same = SameAtTheEnd(names, *other);
    if (same >= shown && same < names.size() && other->size() == names.size()) differs = names.size() - 1 - same;
  }
  std::string before;
  if (differs < names.size())
    before = (differs > 0 ? dots + arrow : "") + ShortName(names[differs], kLongestName, terminal) + arrow;
  for (size_t last = shown; last > 0; --last) {
    const size_t from = names.size() - last, left_out = differs < names.size() ? from - differs - 1 : from;
    std::string path = before;
    if (left_out > 0) path += dots + " " + std::to_string(left_out) + " more" + arrow;
    for (size_t i = from; i < names.size(); ++i)
      path += (i == from ? "" : arrow) + ShortName(names[i], kLongestName, terminal);
    if (Width(path) <= width) return path;
  }
  return "";
}

}  // namespace

std::vector<std::string> ShortNames(const std::vector<std::string_view>& names, size_t width,
                                    const Terminal& terminal) {
  std::vector<std::string> all;
  for (const std::string_view name : names) all.push_back(ShortName(name, width, terminal));
  const std::vector<std::string> plain = all;
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string_view> alike;
    for (size_t j = 0; j < names.size(); ++j) {
      if (plain[j] == plain[i] && names[j] != names[i]) alike.push_back(names[j]);
    }
    if (alike.empty()) continue;
    const std::string shown = TellApart(names[i], alike, width, terminal.Ellipsis());
    if (!shown.empty()) all[i] = shown;
  }
  return all;
}

std::string ShortName(std::string_view name, size_t width, const Terminal& terminal) {
  std::string text = Printable(name.empty() ? "(unnamed)" : name);
  const std::string_view dots = terminal.Ellipsis();
  if (Width(text) > width) text = Hollow(text, '(', ')', dots);
  if (Width(text) > width) text = Hollow(text, '<', '>', dots);
  return Shorten(text, width, Cut::kMiddle, dots);
}

std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal) {
  return JoinPath(names.size(), width, terminal,
                  [&](size_t i, size_t room) { return ShortName(names[i], room, terminal); });
}

namespace {

constexpr std::string_view kOperator = "operator";

// Whether this is "operator" of C++, and not the end of a longer word.
bool IsOperator(std::string_view text, size_t at) {
  if (!text.substr(at).starts_with(kOperator)) return false;
  const char before = at == 0 ? ' ' : text[at - 1];
  return before != '_' && std::isalnum(static_cast<unsigned char>(before)) == 0;
}

}  // namespace

std::vector<std::string_view> SplitPath(std::string_view path) {
  constexpr std::string_view kArrow = " > ";
  std::vector<std::string_view> names;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    if (IsOperator(path, i)) {
      // "operator<<", "operator->": no brackets.
      i = std::min(path.find_first_not_of("<>=-", i + kOperator.size()), path.size()) - 1;
    } else if (depth == 0 && path.substr(i).starts_with(kArrow)) {
      names.push_back(path.substr(begin, i - begin));
      begin = i + kArrow.size();
      i = begin - 1;
    } else if (path[i] == '<') {
      ++depth;
    } else if (path[i] == '>' && depth > 0) {
      --depth;
    }
  }
  names.push_back(path.substr(begin));
  return names;
}

size_t ShortPaths::AddPath(std::string path) { return Add(SplitPath(kept_.emplace_back(std::move(path)))); }

size_t ShortPaths::AddName(std::string name) { return Add({kept_.emplace_back(std::move(name))}); }

size_t ShortPaths::Add(std::vector<std::string_view> names) {
  paths_.push_back(std::move(names));
  width_ = 0;
  return paths_.size() - 1;
}

constexpr size_t kMost = 16;  // a reader compares no more rows that look alike

std::string ShortPaths::At(size_t row, size_t width) {
  if (width_ != width) {
    width_ = width;
    plain_.clear();
    rows_of_.clear();
    for (size_t i = 0; i < paths_.size(); ++i) {
      plain_.push_back(ShortPath(paths_[i], width, terminal_));
      std::vector<size_t>& alike = rows_of_[plain_[i]];
      const bool is_known = std::any_of(alike.begin(), alike.end(), [&](size_t j) { return paths_[j] == paths_[i]; });
      if (alike.size() <= kMost && !is_known) alike.push_back(i);
    }
  }
  const std::vector<std::string_view>& names = paths_[row];
  std::vector<const std::vector<std::string_view>*> alike;
  for (const size_t other : rows_of_[plain_[row]]) {
    if (alike.size() < kMost && paths_[other] != names) alike.push_back(&paths_[other]);
  }
  if (alike.empty()) return plain_[row];
  size_t shown = 0;
  const std::string told = JoinPath(
      names.size(), width, terminal_,
      [&](size_t i, size_t room) {
        std::vector<std::string_view> beside = {names[i]};
        for (const std::vector<std::string_view>* other : alike) {
          const size_t from_end = names.size() - i;
          if (other->size() >= from_end) beside.push_back((*other)[other->size() - from_end]);
        }
        return ShortNames(beside, room, terminal_).front();
      },
      &shown);
  const bool hidden =
      std::any_of(alike.begin(), alike.end(), [&](const auto* other) { return SameAtTheEnd(names, *other) >= shown; });
  const std::string with_callers = hidden ? WithCallers(names, alike, shown, width, terminal_) : "";
  return with_callers.empty() ? told : with_callers;
}

}  // namespace epik::view
