// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/derived.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace epik::analysis {

namespace {

// Several formulas may have one name: the first formula whose metrics all exist is used.
const Derived kKnown[] = {
    {"instructions per cycle", "", "PAPI_TOT_INS / PAPI_TOT_CYC"},
    {"instructions per cycle", "", "perf::INSTRUCTIONS / perf::CYCLES"},
    {"cycles stalled", "", "PAPI_RES_STL / PAPI_TOT_CYC"},
    {"floating-point operations per second", "1/sec", "PAPI_FP_OPS / time"},
    {"floating-point operations per second", "1/sec", "PAPI_DP_OPS / time"},
    {"level 1 data cache miss rate", "", "PAPI_L1_DCM / ( PAPI_LD_INS + PAPI_SR_INS )"},
    {"level 1 data cache miss rate", "", "PAPI_L1_DCM / PAPI_LST_INS"},
    {"level 1 data cache miss rate", "", "perf::L1-DCACHE-LOAD-MISSES / perf::L1-DCACHE-LOADS"},
    {"level 2 cache miss rate", "", "PAPI_L2_TCM / PAPI_L2_TCA"},
    {"last cache miss rate", "", "PAPI_L3_TCM / PAPI_L3_TCA"},
    {"last cache miss rate", "", "perf::CACHE-MISSES / perf::CACHE-REFERENCES"},
    {"last cache miss rate", "", "perf::LLC-LOAD-MISSES / perf::LLC-LOADS"},
    {"branch miss rate", "", "PAPI_BR_MSP / PAPI_BR_CN"},
    {"branch miss rate", "", "perf::BRANCH-MISSES / perf::BRANCHES"},
    {"memory bandwidth", "bytes/sec", "PAPI_L3_TCM * 64 / time"},
    {"memory bandwidth", "bytes/sec", "perf::CACHE-MISSES * 64 / time"},
    {"share of time on a processor", "", "perf::TASK-CLOCK / time"},
    {"share of time on a processor", "", "( rusage::ru_utime + rusage::ru_stime ) / time"},
    {"bytes of an allocation", "bytes", "heap::bytes_allocated / heap::allocations"},
    {"read bandwidth", "bytes/sec", "io::bytes_read / io::read_time"},
    {"write bandwidth", "bytes/sec", "io::bytes_written / io::write_time"},
    {"bytes of a read", "bytes", "io::bytes_read / io::reads"},
    {"bytes of a write", "bytes", "io::bytes_written / io::writes"},
    {"power", "W", "energy::package / time"},
};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

class Parser {
 public:
  Parser(std::string_view text, const ValueOf& value) : rest_(text), value_(value) {}

  // Returns whether the text is a formula; its value is in `result`.
  bool Parse(std::optional<double>* result) {
    *result = Sum();
    Skip();
    return good_ && rest_.empty();
  }

 private:
  static constexpr int kDeepest = 64;

  void Skip() {
    while (!rest_.empty() && IsBlank(rest_[0])) rest_.remove_prefix(1);
  }
  bool Take(char c) {
    Skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<double> Sum() {
    std::optional<double> sum = Product();
    for (;;) {
      const bool plus = Take('+');
      if (!plus && !Take('-')) return sum;
      const std::optional<double> next = Product();
      sum = sum && next ? std::optional(plus ? *sum + *next : *sum - *next) : std::nullopt;
    }
  }

  std::optional<double> Product() {
    std::optional<double> product = Term();
    for (;;) {
      const bool times = Take('*');
      if (!times && !Take('/')) return product;
      const std::optional<double> next = Term();
      if (!product || !next || (!times && *next == 0)) {
        product = std::nullopt;
      } else {
        product = times ? *product * *next : *product / *next;
      }
    }
  }

  std::optional<double> Term() {
    if (depth_ == kDeepest) good_ = false;
    if (!good_) return std::nullopt;
    if (Take('(')) {
      ++depth_;
      const std::optional<double> inner = Sum();
      --depth_;
      if (!Take(')')) good_ = false;
      return inner;
    }
    Skip();
    size_t end = 0;
    while (end < rest_.size() && !IsBlank(rest_[end]) && !std::strchr("+*/()", rest_[end])) ++end;
    const std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word.empty() || word == "-") {
      good_ = false;
      return std::nullopt;
    }
    const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '.';
    if (!number) return value_(word);
    char* behind;
    const double value = std::strtod(word.c_str(), &behind);
    if (*behind != '\0' || !std::isfinite(value)) good_ = false;
    return value;
  }

  std::string_view rest_;
  const ValueOf& value_;
  bool good_ = true;
  int depth_ = 0;
};

}  // namespace

std::optional<double> Evaluate(std::string_view formula, const ValueOf& value) {
  std::optional<double> result;
  if (!Parser(formula, value).Parse(&result)) return std::nullopt;
  return result;
}

bool NamesIn(std::string_view formula, std::vector<std::string>* names) {
  std::optional<double> result;
  const ValueOf note = [names](std::string_view name) {
    names->emplace_back(name);
    return std::optional(1.0);
  };
  return Parser(formula, note).Parse(&result);
}

std::vector<Derived> DerivedOf(const archive::Profile& profile) {
  const auto is_there = [&](const std::string& name) {
    const uint32_t metric = profile.FindMetric(name);
    return metric != archive::kNone && !profile.IsMissing(metric);
  };
  std::vector<Derived> all;
  const auto add = [&](const Derived& derived) {
    std::vector<std::string> names;
    if (!NamesIn(derived.formula, &names) || !std::all_of(names.begin(), names.end(), is_there)) return;
    if (std::any_of(all.begin(), all.end(), [&](const Derived& other) { return other.name == derived.name; })) return;
    all.push_back(derived);
  };
  for (const archive::Metric& metric : profile.metrics) {
    if (metric.description.compare(0, kComputed.size(), kComputed) != 0) continue;
    const std::string formula = metric.description.substr(kComputed.size());
    add({metric.unique_name, metric.unit, formula.substr(0, formula.find(';'))});
  }
  for (const Derived& known : kKnown) add(known);
  return all;
}

}  // namespace epik::analysis
