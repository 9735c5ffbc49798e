// SPDX-License-Identifier: BSD-3-Clause
// Takes any bytes as a filter. Nothing may crash, every problem has a place, and EPIK's own rules mean the same after
// they were written out and read again.
#include "config/fuzz_filter.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "config/filter.h"

namespace epik::config {
namespace {

constexpr FilterSubject kSubjects[] = {
    {"ns::f<int>(int, char*) const", "_ZNK2ns1fIiEEiPc", "/src/solver/f.cc", "/opt/bin/prog", "compiler"},
    {"main", "main", "main.c", "prog", "compiler"},
    {"operator[](int)", "", "", "lib.so", "compiler"},
    {"MPI_Send", "", "", "", "mpi"},
    {"parallel @f.c:12", "", "f.c", "", "openmp"},
    {"loop", "", "f.f90", "", "user"},
};

void Require(bool condition, std::string_view text) {
  if (condition) return;
  std::fprintf(stderr, "broken by: %s\n", std::string(text).c_str());
  __builtin_trap();
}

// Whether Text() can write the rule. Rules of blocks, and rules that a line cannot hold, have no such form.
bool HasOwnForm(const FilterRule& rule) {
  return rule.chain == FilterRule::Chain::kOwn && rule.match != FilterRule::Match::kTau &&
         rule.pattern.find(" #") == std::string::npos;
}

void CheckOne(std::string_view text) {
  std::vector<FilterProblem> problems;
  const Filter filter = Filter::Parse(text, &problems);
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const FilterProblem& problem : problems) {
    Require(problem.line >= 1 && problem.line <= lines && problem.column >= 1 && !problem.text.empty(), text);
    Require(problem.text.find('\n') == std::string::npos, text);
  }
  std::string again;
  bool own = true;
  for (const FilterRule& rule : filter.rules()) {
    own = own && HasOwnForm(rule);
    again += rule.Text() + "\n";
  }
  std::vector<FilterProblem> none;
  const Filter reread = Filter::Parse(again, &none);
  if (own) Require(none.empty() && reread.rules().size() == filter.rules().size(), text);
  std::vector<bool> used(filter.rules().size());
  for (const FilterSubject& subject : kSubjects) {
    const bool measured = filter.Measures(subject, &used);
    if (own) Require(reread.Measures(subject) == measured, text);
  }
  Require(filter.Unused(used).size() <= filter.rules().size(), text);
}

}  // namespace
}  // namespace epik::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  epik::config::CheckOne(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
