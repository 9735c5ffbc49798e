// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/compiler/after_inlining/selection.h"

#include <algorithm>
#include <fstream>
#include <iterator>

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
  filter_ = config::Filter::Parse(text, nullptr);
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

bool IsPieceOf(std::string_view piece, std::string_view function) {
  function = symbols::FoldClone(function);
  const size_t mark = piece.rfind(".part.");
  if (mark != std::string_view::npos) return symbols::FoldClone(piece.substr(0, mark)) == function;
  piece = symbols::FoldClone(piece);
  const auto [at, other] = std::mismatch(piece.begin(), piece.end(), function.begin(), function.end());
  if (piece.size() != function.size() || at == piece.end() || at == piece.begin()) return false;
  const bool structor = at[-1] == 'C' || at[-1] == 'D';
  return structor && *at == '4' && (*other == '1' || *other == '2') && std::equal(at + 1, piece.end(), other + 1);
}

}  // namespace epik::after_inlining
