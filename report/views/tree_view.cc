// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <deque>

#include "report/views/tree.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultBranches = 50;
constexpr size_t kHottest = 5;
constexpr size_t kShortestChain = 4;   // this many branches in a row that only pass control on are drawn as one line
constexpr double kNegligible = 0.001;  // of the time: folded branches with less get no line
constexpr double kHotSpot = 0.1;       // of the time is spent in the branch itself: bold
constexpr double kPassesOn = 0.1;      // × min_percent: a branch with less own time only passes control on
constexpr size_t kLeastPath = 34, kLeastName = 8;  // columns, on a narrow screen

std::string Basename(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class TreePrinter {
 public:
  TreePrinter(const Figures& figures, const ViewOptions& options)
      : figures_(figures),
        options_(options),
        tree_(figures, options.fold_recursion),
        is_difference_(figures.time.IsDifference()),
        whole_(figures.time.Whole()),
        passes_on_(kPassesOn * options.min_percent / 100 * whole_),
        table_({view::Figure("incl"),
                view::Figure("%"),
                view::Figure("excl"),
                view::Figure("visits", 2),
                view::Figure("max/mean", 1),
                {.header = "call path", .flexible = true, .least = kLeastPath}}) {}

  std::string Hottest() const;
  std::string Print();
  bool matches() const { return matches_; }  // after Print: whether any call path matches the pattern

 private:
  struct Line {
    std::string prefix;                // the drawing to the left, without the line's own connector
    std::string connector;             // empty for roots
    uint32_t branch = archive::kNone;  // the branch of the line, or the first one of a chain
    uint32_t below = archive::kNone;   // the branch whose children are below; for a chain, its last branch
    uint64_t chain = 0;                // the number of branches in this line
    uint32_t only = archive::kNone;    // the sibling, if there is only one
    uint64_t folded = 0;               // the number of siblings in this line; `branch` is kNone
    double inclusive = 0;              // of the siblings
    uint64_t visits = 0;
    uint64_t negligible = 0;  // children that get no line
  };
  struct Hidden {
    uint64_t count = 0, visits = 0;
    double inclusive = 0, weight = 0;
    uint32_t last = archive::kNone;
  };

  void Choose();
  void AddRow(const Line& line);
  void Expand(const std::vector<uint32_t>& branches, const std::string& prefix, bool roots, uint64_t* negligible);
  std::vector<uint32_t> Shown(const std::vector<uint32_t>& branches, Hidden* hidden) const;
  bool PassesOn(uint32_t branch, uint32_t* next) const;
  Line LineFor(uint32_t branch, bool may_be_chain) const;
  std::string Deeper(const Line& line) const;
  std::string Suffix(const Line& line) const;
  std::string NameCell(const Line& line, size_t width) const;
  std::string Name(uint32_t branch, size_t width) const;
  std::string Imbalance(uint32_t branch) const;

  const char* Tee() const { return options_.terminal.unicode ? "├─ " : "|- "; }
  const char* Corner() const { return options_.terminal.unicode ? "└─ " : "`- "; }

  const Figures& figures_;
  const ViewOptions& options_;
  const Tree tree_;
  const bool is_difference_;
  const double whole_;      // shares are of it
  const double passes_on_;  // exclusive time below which a branch only passes control on
  std::vector<bool> shown_;
  view::Table table_;
  std::deque<Line> lines_;  // one for each row of the table, which keeps references to it
  bool matches_ = true;
  std::vector<Line> pending_;  // the next one is last
};

void TreePrinter::Choose() {
  Choice choice;
  choice.most = options_.TopOr(kDefaultBranches);
  choice.least_weight = options_.min_percent / 100 * whole_;
  choice.passes_on = passes_on_;
  choice.depth = options_.depth;
  std::vector<bool> wanted;
  if (!options_.path_pattern.empty()) {
    wanted = tree_.Matching(figures_, options_.path_pattern);
    for (uint32_t b = static_cast<uint32_t>(tree_.size()); b-- > 0;) {
      if (wanted[b] && tree_.at(b).parent != archive::kNone) wanted[tree_.at(b).parent] = true;
    }
    matches_ = std::find(wanted.begin(), wanted.end(), true) != wanted.end();
    choice.wanted = &wanted;
  }
  shown_ = ChooseHottest(tree_, choice);
}

std::string TreePrinter::Hottest() const {
  std::vector<uint32_t> order;
  const auto weight = [&](uint32_t b) { return std::fabs(tree_.at(b).exclusive); };
  for (uint32_t b = 0; b < tree_.size(); ++b) {
    if (weight(b) > kNegligible * whole_) order.push_back(b);
  }
  const size_t count = std::min(order.size(), kHottest);
  if (count < 2) return "";
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](uint32_t a, uint32_t b) {
                      const double x = weight(a), y = weight(b);
                      return x > y || (x == y && a < b);
                    });
  view::Table table({view::Figure("excl"), view::Figure("%"),
                     view::Name(is_difference_ ? "largest differences" : "hottest call paths")});
  view::ShortPaths paths(options_.terminal);
  for (size_t i = 0; i < count; ++i) {
    const double own = tree_.at(order[i]).exclusive;
    table.AddRow({view::SecondsCell(own, options_.terminal.unicode), view::Percent(own, whole_),
                  view::Cell([&paths, row = paths.Add(tree_.PathNames(figures_, order[i]))](size_t width) {
                    return paths.At(row, width);
                  })});
  }
  return table.Render(options_.terminal) + "\n";
}

std::vector<uint32_t> TreePrinter::Shown(const std::vector<uint32_t>& branches, Hidden* hidden) const {
  std::vector<uint32_t> shown;
  for (uint32_t b : branches) {
    if (shown_[b]) {
      shown.push_back(b);
      continue;
    }
    ++hidden->count;
    hidden->last = b;
    hidden->visits += tree_.at(b).visits;
    hidden->inclusive += tree_.at(b).inclusive;
    hidden->weight += tree_.at(b).weight;
  }
  return shown;
}

bool TreePrinter::PassesOn(uint32_t branch, uint32_t* next) const {
  Hidden hidden;
  const std::vector<uint32_t> children = Shown(tree_.at(branch).children, &hidden);
  if (children.size() != 1 || hidden.weight >= kNegligible * whole_) return false;
  if (tree_.at(branch).levels > 1 || !(std::fabs(tree_.at(branch).exclusive) < passes_on_)) return false;
  *next = children[0];
  return true;
}

TreePrinter::Line TreePrinter::LineFor(uint32_t branch, bool may_be_chain) const {
  Line line;
  line.branch = line.below = branch;
  uint64_t passed = 0;
  uint32_t last = branch;
  for (uint32_t at = branch, next; may_be_chain && PassesOn(at, &next); at = next, ++passed) last = at;
  if (passed >= kShortestChain) {
    line.chain = passed;
    line.below = last;
  }
  return line;
}

// Puts siblings on the pile of pending lines, the first on top.
void TreePrinter::Expand(const std::vector<uint32_t>& branches, const std::string& prefix, bool roots,
                         uint64_t* negligible) {
  Hidden hidden;
  const std::vector<uint32_t> shown = Shown(branches, &hidden);
  const bool summary = hidden.count > 0 && hidden.weight >= kNegligible * whole_;
  const auto push = [&](Line line, bool last) {
    line.prefix = prefix;
    line.connector = roots ? "" : last ? Corner() : Tee();
    pending_.push_back(std::move(line));
  };
  if (summary) {
    Line line;
    line.folded = hidden.count;
    line.only = hidden.last;
    line.inclusive = hidden.inclusive;
    line.visits = hidden.visits;
    push(std::move(line), true);
  } else {
    *negligible = hidden.count;
  }
  for (size_t i = shown.size(); i-- > 0;) push(LineFor(shown[i], !roots), !summary && i + 1 == shown.size());
}

// Returns the lines to the left of a line's children. In a deep branch, only their end is kept.
std::string TreePrinter::Deeper(const Line& line) const {
  if (line.connector.empty()) return line.prefix;
  const bool last = line.connector == Corner();
  const std::string prefix = line.prefix + (last ? "   " : options_.terminal.unicode ? "│  " : "|  ");
  return view::Shorten(prefix, options_.terminal.width / 12 * 3, view::Cut::kStart, options_.terminal.Ellipsis());
}

std::string TreePrinter::Imbalance(uint32_t branch) const {
  if (figures_.profile.locations.size() < 2 || is_difference_) return "";
  const Spread spread = tree_.Imbalance(figures_, branch);
  if (spread.present == 0) return "-";
  if (spread.present > 1) return view::Ratio(spread.MaxOverMean());
  return "one " + LocationName(figures_.profile, spread.max_location);
}

void TreePrinter::AddRow(const Line& line) {
  using view::Style;
  const bool unicode = options_.terminal.unicode;
  const view::Cell name([this, &line](size_t width) { return NameCell(line, width); });
  if (line.branch == archive::kNone) {
    table_.AddRow({{view::SecondsCell(line.inclusive, unicode), Style::kFaint},
                   {view::Percent(line.inclusive, whole_), Style::kFaint},
                   "",
                   {view::Count(line.visits), Style::kFaint},
                   "",
                   name});
    return;
  }
  const Branch& b = tree_.at(line.branch);
  const Style style = b.again ? Style::kFaint : Style::kPlain;
  const bool hot = whole_ > 0 && std::fabs(b.exclusive) >= kHotSpot * whole_;
  double exclusive = b.exclusive;
  for (uint32_t at = line.below; at != line.branch; at = tree_.at(at).parent) exclusive += tree_.at(at).exclusive;
  table_.AddRow({{b.again ? "" : view::SecondsCell(b.inclusive, unicode), style},
                 {b.again ? "" : view::Percent(b.inclusive, whole_), style},
                 {b.again ? "" : view::SecondsCell(exclusive, unicode), hot ? Style::kBold : style},
                 {view::Count(b.visits), style},
                 {b.again ? "" : Imbalance(line.branch), style},
                 name});
}

// The name, which differs from those of the siblings that are shown.
std::string TreePrinter::Name(uint32_t branch, size_t width) const {
  constexpr size_t kMostSiblings = 50;
  const auto name = [&](uint32_t b) -> std::string_view { return figures_.profile.regions[tree_.at(b).region].name; };
  const uint32_t parent = tree_.at(branch).parent;
  if (view::Width(name(branch)) <= width || parent == archive::kNone) {
    return view::ShortName(name(branch), width, options_.terminal);
  }
  std::vector<std::string_view> names = {name(branch)};
  for (const uint32_t sibling : tree_.at(parent).children) {
    if (shown_[sibling] && sibling != branch && names.size() < kMostSiblings) names.push_back(name(sibling));
  }
  return view::ShortNames(names, width, options_.terminal).front();
}

std::string TreePrinter::Suffix(const Line& line) const {
  if (line.folded > 0 || line.chain > 0) return "";
  const Branch& b = tree_.at(line.branch);
  std::string suffix = b.again ? " (recursion)" : "";
  if (!b.again && b.levels > 1) {
    suffix = " (" + std::string(options_.terminal.Times()) + view::Count(static_cast<uint64_t>(b.levels)) + " levels)";
  }
  return line.negligible > 0 ? suffix + " +" + view::Count(line.negligible) : suffix;
}

std::string TreePrinter::NameCell(const Line& line, size_t width) const {
  const view::Terminal& terminal = options_.terminal;
  const std::string suffix = Suffix(line);
  const size_t for_name = kLeastName + view::Width(suffix);
  const std::string lead = view::Shorten(line.prefix, width > for_name + 3 ? width - for_name - 3 : 0,
                                         view::Cut::kStart, terminal.Ellipsis()) +
                           line.connector;
  const size_t lead_width = view::Width(lead);
  const size_t room = std::max(width - std::min(width, lead_width), kLeastName);
  const std::string dots(terminal.Ellipsis());
  if (line.folded == 1) return terminal.Dim(lead + dots + " " + Name(line.only, room - 4));
  if (line.folded > 1) return terminal.Dim(lead + dots + " " + view::Count(line.folded) + " more");
  if (line.chain > 0) {
    const std::string middle = " > " + dots + " " + view::Count(line.chain - 2) + " more > ";
    const size_t half = room > view::Width(middle) + 16 ? (room - view::Width(middle)) / 2 : 8;
    return terminal.Dim(lead + Name(line.branch, half) + middle + Name(line.below, half));
  }
  const Branch& b = tree_.at(line.branch);
  const size_t kept = std::max(room - std::min(room, view::Width(suffix)), kLeastName);
  const std::string name = Name(line.branch, kept);
  const archive::Region& region = figures_.profile.regions[b.region];
  std::string place;
  if (!region.file.empty() && !b.again) {
    std::string at(Basename(region.file));
    if (region.begin_line > 0) at += ":" + std::to_string(region.begin_line);
    place = "  " + view::Printable(at);
    const bool is_named_so = region.name.ends_with("@" + at);  // constructs of OpenMP
    if (is_named_so || view::Width(name) + view::Width(place) > kept) place.clear();
  }
  return terminal.Dim(lead) + (b.again ? terminal.Dim(name) : name) + terminal.Dim(suffix + place);
}

std::string TreePrinter::Print() {
  Choose();
  uint64_t negligible = 0;
  Expand(tree_.roots(), "", true, &negligible);
  bool any_negligible = negligible > 0;
  while (!pending_.empty()) {
    Line& line = lines_.emplace_back(std::move(pending_.back()));
    pending_.pop_back();
    AddRow(line);
    if (line.branch == archive::kNone) continue;
    Expand(tree_.at(line.below).children, Deeper(line), false, &line.negligible);
    any_negligible |= line.negligible > 0;
  }
  if (lines_.empty()) return "No call path matches.\n";
  std::string out = table_.Render(options_.terminal);
  if (any_negligible) out += options_.terminal.Dim("+n: n more below, together less than 0.1 % of the time") + "\n";
  if (is_difference_) out += options_.terminal.Dim("%: of all differences, added up without their signs") + "\n";
  return out;
}

}  // namespace

bool MakeTree(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error) {
  TreePrinter printer(figures, options);
  const std::string tree = printer.Print();
  if (!printer.matches()) {
    *error = "no call path matches --path " + options.path_pattern;
    return false;
  }
  view->text = (options.path_pattern.empty() ? printer.Hottest() : "") + tree;
  return true;
}

}  // namespace epik::report
