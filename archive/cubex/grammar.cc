// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/grammar.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "archive/cubex/elements.h"
#include "archive/files/xml_scanner.h"

namespace epik::archive {
namespace {

class Parser {
 public:
  Parser(std::string_view text, RawAnchor* raw, std::string* error)
      : begin_(text.data()), scanner_(text), raw_(raw), error_(error) {}

  bool Run() {
    stack_.push_back({Element::kDocument, nullptr, kNone});
    while (true) {
      bool good = true;
      switch (scanner_.Next()) {
        case XmlScanner::Token::kStart: good = Start(); break;
        case XmlScanner::Token::kText: good = TakeText(); break;
        case XmlScanner::Token::kEnd: good = End(); break;
        case XmlScanner::Token::kDone: return true;
        case XmlScanner::Token::kError: *error_ = "anchor.xml: " + scanner_.error(); return false;
      }
      if (!good) return false;
    }
  }

 private:
  struct Frame {
    Element element;
    const Rule* rule;
    uint32_t index;  // index in the list of things that the element defines
  };

  bool Fail(const std::string& what) {
    *error_ = "anchor.xml: offset " + std::to_string(scanner_.offset()) + ": " + what;
    return false;
  }

  // The attribute as a number; kNone is left for "none".
  bool Id(std::string_view name, uint32_t* value, std::string_view other = {}) {
    if (!scanner_.Attribute(name, &scratch_) && (other.empty() || !scanner_.Attribute(other, &scratch_))) {
      return Fail("<" + std::string(scanner_.name()) + "> without " + std::string(name));
    }
    const char* end = scratch_.data() + scratch_.size();
    const auto [stop, problem] = std::from_chars(scratch_.data(), end, *value);
    if (problem == std::errc() && stop == end && *value < kNone) return true;
    return Fail(std::string(name) + "=\"" + scratch_.substr(0, 40) + "\" is not a number of something");
  }

  void Line(std::string_view name, int* value) {
    if (!scanner_.Attribute(name, &scratch_)) return;
    const char* end = scratch_.data() + scratch_.size();
    if (std::from_chars(scratch_.data(), end, *value).ptr != end) *value = -1;
  }

  bool Start() {
    const Frame around = stack_.back();
    const Rule* rule = nullptr;
    for (const Rule& candidate : kRules) {
      if (candidate.parent == around.element && candidate.name == scanner_.name()) rule = &candidate;
      if (rule != nullptr) break;
    }
    if (rule == nullptr) return Skip(around);
    text_.clear();
    stack_.push_back({rule->element, rule, kNone});
    return Define(around, &stack_.back().index);
  }

  // Skips an element that a later version of the format may have added. A document whose root is unknown is refused.
  bool Skip(const Frame& around) {
    const std::string name = "element <" + std::string(scanner_.name().substr(0, 40)) + ">";
    if (around.element == Element::kDocument) return Fail("unknown " + name);
    if (around.element != Element::kUnknown) {
      const std::string said = name + " in <" + std::string(around.rule->name) + ">";
      std::vector<std::string>& all = raw_->unknown;
      constexpr size_t kMostSaid = 20;
      if (all.size() < kMostSaid && std::find(all.begin(), all.end(), said) == all.end()) all.push_back(said);
    }
    stack_.push_back({Element::kUnknown, nullptr, kNone});
    return true;
  }

  bool Define(const Frame& around, uint32_t* index) {
    switch (stack_.back().element) {
      case Element::kCube: return CheckVersion();
      case Element::kAttribute: return around.element != Element::kCube || TakeAttribute();
      case Element::kMetric: return DefineMetric(around, index);
      case Element::kRegion: return DefineRegion(index);
      case Element::kCallPath: return DefineCallPath(around, index);
      case Element::kTreeNode:
        *index = static_cast<uint32_t>(raw_->tree_nodes.size());
        raw_->tree_nodes.push_back({around.index, {}, {}});
        return true;
      case Element::kGroup:
        *index = static_cast<uint32_t>(raw_->groups.size());
        raw_->groups.push_back({around.index, 0, {}});
        return true;
      case Element::kLocation: {
        *index = static_cast<uint32_t>(raw_->locations.size());
        RawLocation& location = raw_->locations.emplace_back();
        location.group = around.index;
        return Id("Id", &location.id, "id");
      }
      case Element::kTopology:
        *index = static_cast<uint32_t>(raw_->topologies.size());
        scanner_.Attribute("name", &raw_->topologies.emplace_back().name);
        return true;
      case Element::kDimension: DefineDimension(&raw_->topologies[around.index]); return true;
      case Element::kMatrix: return Id("metricId", index);
      case Element::kText:
        if (stack_.back().rule->text == Text::kPlace) DefinePlace(&raw_->topologies[around.index]);
        if (stack_.back().rule->text != Text::kRow) return true;
        raw_->severity.push_back({around.index, 0, 0, 0});
        return Id("cnodeId", &raw_->severity.back().path_id);
      default: return true;
    }
  }

  bool CheckVersion() {
    std::string version;
    scanner_.Attribute("version", &version);
    const bool known = version.size() == 3 && (version == "3.0" || version.substr(0, 2) == "4.");
    return known || Fail("version \"" + version.substr(0, 40) + "\" of the CUBE format is not known (3.0, 4.0 to 4.9)");
  }

  bool TakeAttribute() {
    std::string key, value;
    if (!scanner_.Attribute("key", &key)) return Fail("<attr> without key");
    scanner_.Attribute("value", &value);
    raw_->attributes.emplace_back(std::move(key), std::move(value));
    return true;
  }

  bool DefineMetric(const Frame& around, uint32_t* index) {
    *index = static_cast<uint32_t>(raw_->metrics.size());
    RawMetric& metric = raw_->metrics.emplace_back();
    if (around.element == Element::kMetric) metric.parent = around.index;
    scanner_.Attribute("type", &metric.along);
    scanner_.Attribute("viztype", &metric.visibility);
    return Id("id", &metric.id);
  }

  bool DefineRegion(uint32_t* index) {
    *index = static_cast<uint32_t>(raw_->regions.size());
    Region& region = raw_->regions.emplace_back();
    region.paradigm = "unknown";  // CUBE's own defaults
    region.role = "unknown";
    scanner_.Attribute("mod", &region.file);
    Line("begin", &region.begin_line);
    Line("end", &region.end_line);
    return Id("id", &raw_->region_ids.emplace_back());
  }

  bool DefineCallPath(const Frame& around, uint32_t* index) {
    *index = static_cast<uint32_t>(raw_->call_paths.size());
    RawCallPath& path = raw_->call_paths.emplace_back();
    if (around.element == Element::kCallPath) path.parent = around.index;
    return Id("id", &path.id) && Id("calleeId", &path.callee);
  }

  static bool IsTrue(const std::string& word) { return word.size() == 4 && (word[0] == 't' || word[0] == 'T'); }

  // A topology without sense is no reason to refuse the file.
  void DefineDimension(RawTopology* topology) {
    Topology::Dimension dimension;
    scanner_.Attribute("name", &dimension.name);
    std::string periodic;
    if (scanner_.Attribute("periodic", &periodic)) dimension.periodic = IsTrue(periodic);
    if (!scanner_.Attribute("size", &scratch_) || !WholeNumber(scratch_, &dimension.size) || dimension.size == 0) {
      topology->problem = "a size that is no number";
    }
    if (!topology->location_ids.empty()) topology->problem = "a dimension behind coordinates";
    topology->dimensions.push_back(std::move(dimension));
  }

  void DefinePlace(RawTopology* topology) {
    uint32_t& id = topology->location_ids.emplace_back(0);
    if (scanner_.Attribute("locId", &scratch_) && WholeNumber(scratch_, &id)) return;
    topology->problem = "coordinates of other things than locations";
  }

  static bool WholeNumber(std::string_view text, uint32_t* value) {
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, *value);
    return problem == std::errc() && stop == end;
  }

  void TakePlace(RawTopology* topology) {
    const size_t wanted = topology->location_ids.size() * topology->dimensions.size();
    std::string_view rest = text_;
    while (topology->problem.empty()) {
      const size_t begin = rest.find_first_not_of(" \t\n");
      if (begin == std::string_view::npos) break;
      const size_t end = std::min(rest.find_first_of(" \t\n", begin), rest.size());
      uint32_t at = 0;
      if (topology->coordinates.size() == wanted || !WholeNumber(rest.substr(begin, end - begin), &at)) {
        topology->problem = "coordinates that are not numbers";
        break;
      }
      topology->coordinates.push_back(at);
      rest.remove_prefix(end);
    }
    if (topology->coordinates.size() != wanted) topology->problem = "a place with too few or too many coordinates";
  }

  bool TakeText() {
    const Frame& frame = stack_.back();
    if (frame.element == Element::kUnknown) return true;
    if (frame.element != Element::kText) {
      return scanner_.raw_text().find_first_not_of(" \t\r\n") == std::string_view::npos ||
             frame.element == Element::kTopologies || Fail("unexpected text");
    }
    if (frame.rule->text == Text::kIgnored) return true;
    if (frame.rule->text != Text::kRow) {
      scanner_.AppendText(&text_);
      return true;
    }
    RawSeverityRow& row = raw_->severity.back();
    if (row.length != 0) return Fail("<row> in several pieces");
    row.offset = static_cast<size_t>(scanner_.raw_text().data() - begin_);
    row.length = scanner_.raw_text().size();
    return true;
  }

  bool End() {
    const Frame frame = stack_.back();
    stack_.pop_back();
    if (frame.element != Element::kText || frame.rule->text == Text::kIgnored || frame.rule->text == Text::kRow) {
      return true;
    }
    const Frame& around = stack_.back();
    if (frame.rule->text == Text::kRank) return TakeRank(around);
    if (frame.rule->text == Text::kPlace) {
      TakePlace(&raw_->topologies[around.index]);
      text_.clear();
      return true;
    }
    *Target(around, frame.rule->text) = std::move(text_);
    text_.clear();
    return true;
  }

  bool TakeRank(const Frame& around) {
    int rank = -1;
    std::string_view digits = text_;
    while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
    while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, rank).ptr != end || rank < 0) {
      return Fail("\"" + text_.substr(0, 40) + "\" is not a rank");
    }
    (around.element == Element::kGroup ? raw_->groups[around.index].rank : raw_->locations[around.index].rank) = rank;
    return true;
  }

  // The member for the text of a child element. kRules allows no other pairs.
  std::string* Target(const Frame& around, Text text) {
    switch (around.element) {
      case Element::kMetric: return MetricText(&raw_->metrics[around.index], text);
      case Element::kRegion: return RegionText(&raw_->regions[around.index], text);
      case Element::kTreeNode:
        return text == Text::kKind ? &raw_->tree_nodes[around.index].kind : &raw_->tree_nodes[around.index].name;
      case Element::kGroup: return &raw_->groups[around.index].name;
      case Element::kLocation: return &raw_->locations[around.index].name;
      default: return &scratch_;
    }
  }

  std::string* MetricText(RawMetric* metric, Text text) {
    switch (text) {
      case Text::kDisplayName: return &metric->display_name;
      case Text::kUniqueName: return &metric->unique_name;
      case Text::kNumber: return &metric->number;
      case Text::kUnit: return &metric->unit;
      case Text::kValue: return &metric->value;
      default: return &metric->description;
    }
  }

  std::string* RegionText(Region* region, Text text) {
    switch (text) {
      case Text::kName: return &region->name;
      case Text::kMangled: return &region->mangled;
      case Text::kParadigm: return &region->paradigm;
      case Text::kRole: return &region->role;
      default: return &region->description;
    }
  }

  const char* begin_;
  XmlScanner scanner_;
  RawAnchor* raw_;
  std::string* error_;
  std::vector<Frame> stack_;
  std::string text_;     // of the innermost element
  std::string scratch_;  // of an attribute
};

}  // namespace

bool ParseRawAnchor(std::string_view text, RawAnchor* raw, std::string* error) {
  return Parser(text, raw, error).Run();
}

}  // namespace epik::archive
