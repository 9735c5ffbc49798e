// SPDX-License-Identifier: BSD-3-Clause
#include "config/coll_tree.h"

#include <charconv>

namespace epik::config {

namespace {

constexpr std::string_view kWords[] = {"off", "flat", "kary", "binomial", "host", "file"};
constexpr uint32_t kMostArity = 1u << 20;
constexpr int32_t kRoot = -1, kUnset = -2;

template <class T>
bool ToNumber(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

std::string_view TakeWord(std::string_view* text) {
  const size_t begin = std::min(text->find_first_not_of(" \t\r"), text->size());
  const size_t end = std::min(text->find_first_of(" \t\r", begin), text->size());
  const std::string_view word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return word;
}

// One line, without its comment. False: it is neither empty nor "RANK PARENT".
bool TakeLine(std::string_view line, uint32_t ranks, std::vector<int32_t>* parents, std::string* error) {
  const std::string_view first = TakeWord(&line), second = TakeWord(&line);
  if (first.empty()) return true;
  uint32_t rank = 0, parent = 0;
  const bool is_root = second == "-";
  if (!ToNumber(first, &rank) || (!is_root && !ToNumber(second, &parent)) || !TakeWord(&line).empty()) {
    *error = "a line is RANK PARENT, where the parent of the root is -";
  } else if (rank >= ranks || parent >= ranks) {
    *error = "the job has the ranks 0 to " + std::to_string(ranks - 1);
  } else if ((*parents)[rank] != kUnset) {
    *error = "rank " + std::to_string(rank) + " is there twice";
  } else {
    (*parents)[rank] = is_root ? kRoot : static_cast<int32_t>(parent);
    return true;
  }
  return false;
}

// Empty: the parents form one tree.
std::string WrongTree(const std::vector<int32_t>& parents) {
  int32_t root = kUnset;
  for (size_t r = 0; r < parents.size(); ++r) {
    if (parents[r] == kUnset) return "rank " + std::to_string(r) + " is missing";
    if (parents[r] != kRoot) continue;
    if (root != kUnset) return "ranks " + std::to_string(root) + " and " + std::to_string(r) + " are both roots";
    root = static_cast<int32_t>(r);
  }
  if (root == kUnset) return "there is no root: its parent is -";
  // Each rank is walked over once: 1 on the way, 2 known to lead to the root.
  std::vector<char> state(parents.size(), 0);
  state[static_cast<size_t>(root)] = 2;
  for (size_t r = 0; r < parents.size(); ++r) {
    size_t at = r;
    for (; state[at] == 0; at = static_cast<size_t>(parents[at])) state[at] = 1;
    if (state[at] == 1) return "rank " + std::to_string(at) + " is above itself";
    for (size_t back = r; state[back] == 1; back = static_cast<size_t>(parents[back])) state[back] = 2;
  }
  return "";
}

}  // namespace

bool ParseCollTree(std::string_view text, CollTree* tree) {
  const size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  for (uint32_t kind = 0; kind < std::size(kWords); ++kind) {
    if (word != kWords[kind]) continue;
    CollTree parsed;
    parsed.kind = static_cast<CollTree::Kind>(kind);
    if (parsed.kind == CollTree::Kind::kKary) {
      if (!ToNumber(rest, &parsed.arity) || parsed.arity == 0 || parsed.arity > kMostArity) return false;
    } else if (parsed.kind == CollTree::Kind::kFile) {
      if (rest.empty()) return false;
      parsed.file = rest;
    } else if (colon != std::string_view::npos) {
      return false;
    }
    *tree = parsed;
    return true;
  }
  return false;
}

std::string FormatCollTree(const CollTree& tree) {
  std::string text(kWords[static_cast<uint32_t>(tree.kind)]);
  if (tree.kind == CollTree::Kind::kKary) text += ":" + std::to_string(tree.arity);
  if (tree.kind == CollTree::Kind::kFile) text += ":" + tree.file;
  return text;
}

bool ReadParents(std::string_view text, uint32_t ranks, std::vector<int32_t>* parents, std::string* error) {
  std::vector<int32_t> read(ranks, kUnset);
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view all = text.substr(0, end);
    if (!TakeLine(all.substr(0, all.find('#')), ranks, &read, error)) {
      *error = "line " + std::to_string(line) + ": " + *error;
      return false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  *error = WrongTree(read);
  if (!error->empty()) return false;
  *parents = std::move(read);
  return true;
}

std::string WriteParents(const std::vector<int32_t>& parents, const std::string& comment) {
  std::string text = "# " + comment + "\n";
  for (size_t r = 0; r < parents.size(); ++r) {
    text += std::to_string(r) + " " + (parents[r] == kRoot ? "-" : std::to_string(parents[r])) + "\n";
  }
  return text;
}

}  // namespace epik::config
