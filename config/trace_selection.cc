// SPDX-License-Identifier: BSD-3-Clause
#include "config/trace_selection.h"

#include <limits>

#include "config/number.h"

namespace epik::config {
namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

// Reads "10-20"; the second number is not less than the first.
template <class T>
bool ParseRange(std::string_view text, bool (*parse)(std::string_view, T*), T* first, T* last) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  return parse(text.substr(0, dash), first) && parse(text.substr(dash + 1), last) && *first <= *last;
}

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (!SameWord(text->substr(0, prefix.size()), prefix)) return false;
  *text = Trim(text->substr(prefix.size()));
  return true;
}

// Takes the text up to the next comma, and the comma.
std::string_view NextWord(std::string_view* text) {
  const size_t comma = text->find(',');
  const std::string_view word = Trim(text->substr(0, comma));
  *text = comma == std::string_view::npos ? std::string_view() : text->substr(comma + 1);
  return word;
}

// Reads "7", "8-15" or "every:100". Ranks are not negative, so a minus sign always separates two of them.
bool AddRanks(std::string_view item, RankSet* ranks) {
  if (TakePrefix("every:", &item)) {
    if (ranks->every != 0 || item.empty() || !IsDigit(item[0])) return false;
    return ParseInteger(item, &ranks->every) && ranks->every > 0;
  }
  if (item.empty() || !IsDigit(item[0])) return false;
  RankSet::Range range;
  if (ParseInteger(item, &range.first)) {
    range.last = range.first;
  } else if (!ParseRange(item, ParseInteger, &range.first, &range.last)) {
    return false;
  }
  ranks->ranges.push_back(range);
  return true;
}

// Reads the text after "window:". A region's name may contain colons and commas ("a::f(int, int)"), so the window ends
// at the first ":A-B" that is followed by a comma or by nothing.
bool TakeWindow(std::string_view* text, std::vector<TraceSelection::Window>* windows) {
  for (size_t colon = text->find(':'); colon != std::string_view::npos; colon = text->find(':', colon + 1)) {
    const size_t end = text->find(',', colon);
    TraceSelection::Window window;
    const size_t length = end == std::string_view::npos ? end : end - colon - 1;
    const std::string_view range = Trim(text->substr(colon + 1, length));
    if (!ParseRange(range, ParseUnsigned, &window.first, &window.last)) continue;
    window.region = std::string(Trim(text->substr(0, colon)));
    if (window.region.empty() || window.first == 0) return false;
    windows->push_back(std::move(window));
    *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
    return true;
  }
  return false;
}

// Reads the text after "ranks:". Commas separate ranks, up to the first word that is no rank.
bool TakeRanks(std::string_view* text, TraceSelection* selection) {
  if (!selection->ranks.all) return false;
  selection->ranks.all = false;
  if (!AddRanks(NextWord(text), &selection->ranks)) return false;
  while (!text->empty()) {
    std::string_view rest = *text;
    if (!AddRanks(NextWord(&rest), &selection->ranks)) break;
    *text = rest;
  }
  return true;
}

std::string FormatWindow(const TraceSelection::Window& window) {
  return "window:" + window.region + ":" + std::to_string(window.first) + "-" + std::to_string(window.last);
}

// Reads the text after "time:". Without an end, the span lasts to the end of the program.
bool AddSpan(std::string_view text, MeasureSelection* selection) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  MeasureSelection::Span span{0, kForEver};
  const std::string_view end = Trim(text.substr(dash + 1));
  if (!ParseDuration(Trim(text.substr(0, dash)), &span.from_ns)) return false;
  if (!end.empty() && !ParseDuration(end, &span.to_ns)) return false;
  if (span.from_ns < 0 || span.from_ns >= span.to_ns) return false;
  selection->spans.push_back(span);
  return true;
}

bool IsOneOf(std::string_view word, std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
  return SameWord(word, a) || SameWord(word, b) || SameWord(word, c) || SameWord(word, d);
}

bool AddWord(std::string_view word, TraceSelection* selection) {
  if (IsOneOf(word, "all", "1", "on", "yes") || SameWord(word, "true")) return selection->all = true;
  if (SameWord(word, "comm")) return selection->comm = true;
  if (SameWord(word, "msgs")) return selection->msgs = true;
  if (TakePrefix("slow:", &word)) {
    return selection->slow_ns == 0 && ParseDuration(word, &selection->slow_ns) && selection->slow_ns > 0;
  }
  if (TakePrefix("visits:", &word)) {
    return selection->visits == 0 && ParseUnsigned(word, &selection->visits) && selection->visits > 0;
  }
  return false;
}

}  // namespace

bool RankSet::Contains(int64_t rank) const {
  if (all || (every > 0 && rank % every == 0)) return true;
  for (const Range& range : ranges) {
    if (rank >= range.first && rank <= range.last) return true;
  }
  return false;
}

bool ParseRanks(std::string_view text, RankSet* ranks) {
  RankSet parsed;
  text = Trim(text);
  if (!SameWord(text, "all")) {
    parsed.all = false;
    if (text.empty() || text.back() == ',') return false;
    while (!text.empty()) {
      if (!AddRanks(NextWord(&text), &parsed)) return false;
    }
  }
  *ranks = std::move(parsed);
  return true;
}

std::string FormatRanks(const RankSet& ranks) {
  if (ranks.all) return "all";
  std::string out;
  for (const RankSet::Range& range : ranks.ranges) {
    if (!out.empty()) out += ',';
    out += std::to_string(range.first);
    if (range.last != range.first) out += '-' + std::to_string(range.last);
  }
  if (ranks.every > 0) out += (out.empty() ? "every:" : ",every:") + std::to_string(ranks.every);
  return out;
}

bool ParseTrace(std::string_view text, TraceSelection* selection) {
  TraceSelection parsed;
  text = Trim(text);
  if (IsOneOf(text, "off", "0", "no", "false")) {
    *selection = parsed;
    return true;
  }
  if (text.empty() || text.back() == ',') return false;
  parsed.on = true;
  while (!text.empty()) {
    text = Trim(text);
    if (TakePrefix("window:", &text)) {
      if (!TakeWindow(&text, &parsed.windows)) return false;
    } else if (TakePrefix("ranks:", &text)) {
      if (!TakeRanks(&text, &parsed)) return false;
    } else if (!AddWord(NextWord(&text), &parsed)) {
      return false;
    }
  }
  *selection = std::move(parsed);
  return true;
}

bool ParseMeasure(std::string_view text, MeasureSelection* selection) {
  MeasureSelection parsed;
  text = Trim(text);
  if (!SameWord(text, "all")) {
    if (text.empty() || text.back() == ',') return false;
    while (!text.empty()) {
      text = Trim(text);
      if (TakePrefix("window:", &text)) {
        if (!TakeWindow(&text, &parsed.windows)) return false;
        continue;
      }
      std::string_view word = NextWord(&text);
      if (!TakePrefix("time:", &word) || !AddSpan(word, &parsed)) return false;
    }
  }
  *selection = std::move(parsed);
  return true;
}

std::string FormatMeasure(const MeasureSelection& selection) {
  if (selection.always()) return "all";
  std::string out;
  for (const TraceSelection::Window& window : selection.windows) out += FormatWindow(window) + ",";
  for (const MeasureSelection::Span& span : selection.spans) {
    out +=
        "time:" + FormatDuration(span.from_ns) + "-" + (span.to_ns == kForEver ? "" : FormatDuration(span.to_ns)) + ",";
  }
  out.pop_back();
  return out;
}

std::string FormatTrace(const TraceSelection& selection) {
  if (!selection.on) return "off";
  std::string out;
  const auto add = [&out](const std::string& word) { out += (out.empty() ? "" : ",") + word; };
  if (selection.all) add("all");
  if (selection.comm) add("comm");
  if (selection.slow_ns > 0) add("slow:" + FormatDuration(selection.slow_ns));
  if (selection.msgs) add("msgs");
  if (selection.visits > 0) add("visits:" + std::to_string(selection.visits));
  for (const TraceSelection::Window& window : selection.windows) add(FormatWindow(window));
  if (!selection.ranks.all) add("ranks:" + FormatRanks(selection.ranks));
  return out;
}

}  // namespace epik::config
