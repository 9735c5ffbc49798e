// SPDX-License-Identifier: BSD-3-Clause
#include "view/name.h"

#include <algorithm>
#include <cctype>

#include "view/text.h"

namespace epik::view {
namespace {

// Replaces what stands between the outermost pair of `open` and `close` by dots. "operator()" and "operator<" survive.
std::string Hollow(std::string_view name, char open, char close, std::string_view dots) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool part_of_operator = name.substr(0, i).ends_with("operator") || name.substr(0, i).ends_with("operator(") ||
                                  name.substr(0, i).ends_with("operator<") || name.substr(0, i).ends_with("operator-");
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

bool IsPartOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

// Where `name` differs from all of `others`, as whole words.
std::string_view Difference(std::string_view name, const std::vector<std::string_view>& others) {
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
  size_t end = std::max(name.size() - back, front);
  while (front > 0 && IsPartOfWord(name[front - 1])) --front;
  while (end < name.size() && IsPartOfWord(name[end])) ++end;
  return name.substr(front, end - front);
}

// "a > b > c" from the end on, as far as there is room. name(i, room): the i-th of so many names.
template <class Name>
std::string JoinPath(size_t count, size_t width, const Terminal& terminal, Name&& name) {
  constexpr size_t kLongestCaller = 40;
  const std::string arrow = " > ", more = std::string(terminal.Ellipsis()) + arrow;
  std::string path;
  for (size_t i = count; i-- > 0;) {
    // Unless it is the first, there must be room to say that callers are left out.
    const size_t reserved = i == 0 ? 0 : Width(more);
    const size_t room = width > reserved ? width - reserved : 1;
    if (path.empty()) {
      path = name(i, room);
      continue;
    }
    const std::string longer = name(i, kLongestCaller) + arrow + path;
    if (Width(longer) > room) return more + path;
    path = longer;
  }
  return path;
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
    const std::string dots(terminal.Ellipsis());
    const std::string_view head = names[i].substr(0, names[i].find_first_of("<("));
    const bool within = head.size() < names[i].size();
    const std::string open = within ? names[i][head.size()] + dots : dots;
    const std::string close = within ? dots + (names[i][head.size()] == '<' ? ">" : ")") : dots;
    const size_t marks = Width(open) + Width(close);
    const size_t room = width > marks ? width - marks : 0;
    const std::string start = Shorten(Printable(head), room / 2, Cut::kMiddle, dots);
    const std::string other = Shorten(Printable(Difference(names[i], alike)), room - Width(start), Cut::kMiddle, dots);
    if (room > 0 && !other.empty()) all[i] = start + open + other + close;
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

// Of C++, and not the end of a longer word.
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

std::string ShortPaths::At(size_t row, size_t width) {
  if (width_ != width) {
    width_ = width;
    plain_.clear();
    rows_of_.clear();
    for (size_t i = 0; i < paths_.size(); ++i) {
      plain_.push_back(ShortPath(paths_[i], width, terminal_));
      rows_of_[plain_[i]].push_back(i);
    }
  }
  constexpr size_t kMost = 16;  // as many as a reader compares
  const std::vector<std::string_view>& names = paths_[row];
  std::vector<const std::vector<std::string_view>*> alike;
  for (const size_t other : rows_of_[plain_[row]]) {
    if (alike.size() < kMost && paths_[other] != names) alike.push_back(&paths_[other]);
  }
  if (alike.empty()) return plain_[row];
  return JoinPath(names.size(), width, terminal_, [&](size_t i, size_t room) {
    std::vector<std::string_view> beside = {names[i]};
    for (const std::vector<std::string_view>* other : alike) {
      const size_t from_end = names.size() - i;
      if (other->size() >= from_end) beside.push_back((*other)[other->size() - from_end]);
    }
    return ShortNames(beside, room, terminal_).front();
  });
}

}  // namespace epik::view
