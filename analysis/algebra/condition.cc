// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/condition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "analysis/algebra/names.h"
#include "config/words.h"

namespace epik::algebra {

namespace {

// A change with several runs must be significant at this level, or a busy machine would fail CI now and then.
constexpr double kSignificance = 0.05;

// Times are converted to seconds, the unit of metrics. Other units must match the metric, which CheckNames checks.
bool ParseLimit(std::string_view text, Condition* condition) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), condition->limit);
  if (problem != std::errc() || !std::isfinite(condition->limit)) return false;
  condition->unit = config::Trim(text.substr(static_cast<size_t>(stop - text.data())));
  condition->percent = condition->unit == "%";
  if (condition->percent) condition->unit.clear();
  if (condition->unit == "ms") condition->limit *= 1e-3;
  if (condition->unit == "us") condition->limit *= 1e-6;
  return condition->unit.empty() || condition->unit == "s" || condition->unit == "ms" || condition->unit == "us";
}

// The colon between the metric and the region: a single one, because counters have names such as io::bytes_read and
// sde:::walker::steps.
size_t FindColon(std::string_view what) {
  size_t at = what.find(':');
  while (at != std::string_view::npos) {
    const size_t end = std::min(what.find_first_not_of(':', at), what.size());
    if (end - at == 1) break;
    at = what.find(':', end);
  }
  return at;
}

bool Exceeds(const Condition& condition, double value) {
  switch (condition.sign) {
    case Condition::Sign::kMore: return value > condition.limit;
    case Condition::Sign::kAtLeast: return value >= condition.limit;
    case Condition::Sign::kLess: return value < condition.limit;
    default: return value <= condition.limit;
  }
}

}  // namespace

bool ParseCondition(const std::string& text, Condition* condition, std::string* error) {
  *condition = Condition();
  condition->text = text;
  const auto fail = [&](const std::string& what) {
    *error = "'" + text + "': " + what + "; expected METRIC:REGION > VALUE, as in 'time:solve > 5%'";
    return false;
  };
  const std::string_view whole = text;
  // The last sign counts: names of regions may contain <, > and colons, as in vec<int>::at.
  size_t sign = whole.find_last_of("<>");
  if (sign == std::string_view::npos) return fail("no < or >");
  const bool or_equal = sign + 1 < whole.size() && whole[sign + 1] == '=';
  const bool more = whole[sign] == '>';
  condition->sign = more       ? or_equal ? Condition::Sign::kAtLeast : Condition::Sign::kMore
                    : or_equal ? Condition::Sign::kAtMost
                               : Condition::Sign::kLess;
  const std::string_view value = config::Trim(whole.substr(sign + (or_equal ? 2 : 1)));
  if (!ParseLimit(value, condition)) {
    return fail("'" + std::string(value) + "' is no number, with %, s, ms or us after it or nothing");
  }
  const std::string_view what = config::Trim(whole.substr(0, sign));
  const size_t colon = FindColon(what);
  condition->metric = config::Trim(what.substr(0, colon));
  if (colon != std::string_view::npos) condition->region = config::Trim(what.substr(colon + 1));
  if (condition->metric.empty()) return fail("no metric");
  if (colon != std::string_view::npos && condition->region.empty()) return fail("no region after the colon");
  return true;
}

bool CheckNames(const Condition& condition, const Runs& runs, std::string* error) {
  const archive::Profile& definitions = runs.definitions();
  const auto fail = [&] {
    *error = "'" + condition.text + "': " + *error;
    return false;
  };
  if (!CheckMetric(runs, condition.metric, error)) return fail();
  const bool wall = condition.metric == kWall;
  // Accepting a region here would silently check the wrong thing in CI.
  if (wall && !condition.region.empty()) {
    *error = "the wall time is that of a whole run: no region can be named";
    return fail();
  }
  if (!wall && !condition.unit.empty() &&
      definitions.metrics[ChooseMetric(definitions, condition.metric, error)].unit != "sec") {
    *error = "metric " + condition.metric + " is no time, but the limit is in " + condition.unit;
    return fail();
  }
  std::vector<bool> regions;
  return condition.region.empty() || ChooseRegions(definitions, condition.region, &regions, error) || fail();
}

bool Evaluate(const Condition& condition, Runs* runs, Outcome* outcome, std::string* error) {
  const archive::Profile& definitions = runs->definitions();
  outcome->condition = condition;
  Change& change = outcome->change;
  if (condition.metric == kWall) {
    if (!runs->LoadWalls(error)) return false;
    outcome->unit = "sec";
    change = runs->Wall();
  } else {
    const uint32_t metric = ChooseMetric(definitions, condition.metric, error);
    std::vector<bool> regions;
    if (!condition.region.empty() && !ChooseRegions(definitions, condition.region, &regions, error)) return false;
    if (!runs->Load(metric, error)) return false;
    outcome->unit = definitions.metrics[metric].unit;
    change = condition.region.empty() ? runs->Total(metric) : runs->OfRegions(metric, regions);
  }
  if (change.unknown != 0) return true;
  const bool exceeds = Exceeds(condition, condition.percent ? change.Percent() : change.Difference());
  // With one run on each side nothing is known about noise, so the change alone decides.
  const bool noisy = runs->before() + runs->after() > 2 && change.Probability() > kSignificance;
  outcome->fired = exceeds && !noisy;
  outcome->within_noise = exceeds && noisy;
  return true;
}

}  // namespace epik::algebra
