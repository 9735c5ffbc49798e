// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/compiler/after_inlining/selection.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "archive/symbols/names.h"

namespace epik::after_inlining {

void Selection::LeaveOut(std::string_view list) {
  std::string text;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || list[i] == ',') {
      if (!text.empty()) left_out_.push_back(text);
      text.clear();
      continue;
    }
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    text += list[i];
  }
}

bool Selection::ReadFilter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<config::FilterProblem> problems;  // `epk instrument` and the run report them
  filter_ = config::Filter::Parse(text, &problems);
  return !file.bad();
}

bool Selection::Measures(std::string name, const std::string& symbol, const std::string& file) const {
  const auto holds = [&](const std::string& text) { return file.find(text) != std::string::npos; };
  if (std::any_of(left_out_.begin(), left_out_.end(), holds)) return false;
  if (filter_.empty()) return true;
  if (name.empty()) name = symbols::ReadableName(symbol, true);
  return filter_.Measures({name, symbol, file, "", "compiler"});
}

bool IsOutlined(std::string_view symbol) {
  return symbols::IsOmpOutlined(symbol) || symbol.find("._loopfn.") != std::string_view::npos;
}

namespace {

// The digits by which two constructors, or two destructors, of one class differ: `_ZN1SC1Ev` and `_ZN1SC2Ev`. Zeros for
// all other names.
std::pair<char, char> StructorKinds(std::string_view one, std::string_view other) {
  const auto [at, there] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (one.size() != other.size() || at == one.end() || at == one.begin()) return {0, 0};
  const bool structor = at[-1] == 'C' || at[-1] == 'D';
  if (!structor || !std::equal(at + 1, one.end(), there + 1)) return {0, 0};
  return {*at, *there};
}

}  // namespace

bool IsPieceOf(std::string_view piece, std::string_view function) {
  function = symbols::FoldClone(function);
  const size_t mark = piece.rfind(".part.");
  if (mark != std::string_view::npos) return symbols::FoldClone(piece.substr(0, mark)) == function;
  const auto [common, own] = StructorKinds(symbols::FoldClone(piece), function);
  return common == '4' && (own == '1' || own == '2');
}

bool IsBaseStructor(std::string_view base, std::string_view complete) {
  return StructorKinds(base, complete) == std::pair('2', '1');
}

}  // namespace epik::after_inlining
