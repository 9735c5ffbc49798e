// SPDX-License-Identifier: BSD-3-Clause
// The formats and views keep the promises of their lists, and the docs have every row of these lists.
#include "report/formats/formats.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "report/sample_profiles.h"
#include "view/text.h"

namespace epik::report {
namespace {

using nlohmann::json;

std::string FileText(const char* path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Written(const Format& format, const Subject& subject) {
  std::string text, error;
  std::vector<std::string> notes;
  if (!format.write(subject, AppendTo(&text), &notes, &error)) return "error: " + error;
  return text;
}

TEST(Formats, EachWritesAProfile) {
  const Sample sample = Stencil();
  for (const Format& format : Formats()) {
    if (format.Is(kNeedsPage) || (format.Is(kFromRows) && !format.Is(kReports))) continue;
    const std::string text = Written(format, {sample.profile, sample.manifest});
    EXPECT_FALSE(text.empty() || text.starts_with("error: ")) << format.name << ": " << text;
  }
}

TEST(Formats, ThoseThatShowViewsShowEach) {
  const Sample sample = Stencil();
  for (const View& view : Views()) {
    Subject subject{sample.profile, sample.manifest};
    subject.options.view = view.name;
    // The program has no counters, no phases and no analysis.
    if (view.name == "counters" || view.name == "iterations" || view.Is(kAnalysis)) continue;
    const std::string text = Written(*FindFormat("json"), subject);
    const json document = json::parse(text, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << text;
    const std::string wanted = view.Is(kTyped) ? "epik-report-" + std::string(view.name) : "epik-report";
    EXPECT_EQ(document["format"], wanted);
  }
}

TEST(Formats, AViewThatIsNotThereIsAnError) {
  const Sample sample = Stencil();
  Subject subject{sample.profile, sample.manifest};
  subject.options.view = "lode";
  std::string names;
  for (const View& view : Views()) names += " " + std::string(view.name);
  for (const char* name : {"text", "json", "csv", "markdown"}) {
    EXPECT_EQ(Written(*FindFormat(name), subject), "error: no view is called 'lode'; there are:" + names) << name;
  }
}

TEST(Formats, TheSchemaDescribesTypedViewsAndNoOthers) {
  const json definitions = json::parse(FileText("docs/report.schema.json"))["$defs"];
  std::set<std::string> described, typed = {"epik-report-scaling"};  // --pop of several archives gives it
  for (const json& definition : definitions) {
    const std::string pointer = "/properties/format/const";
    const json::json_pointer at(pointer);
    if (definition.contains(at)) described.insert(definition.at(at));
  }
  for (const View& view : Views()) {
    if (view.Is(kTyped)) typed.insert("epik-report-" + std::string(view.name));
  }
  EXPECT_EQ(described, typed);
}

TEST(Formats, TheDocsNameEach) {
  const std::string page = FileText("docs/report.md");
  for (const Format& format : Formats()) {
    if (!format.Is(kReports)) continue;
    EXPECT_NE(page.find("| `" + std::string(format.name) + "` |"), std::string::npos) << format.name;
  }
  for (const View& view : Views()) {
    EXPECT_NE(page.find("`--" + std::string(view.name)), std::string::npos) << view.name;
  }
}

TEST(Formats, ManualsHoldThemInEightyColumns) {
  for (const FormatTrait trait : {kReports, kConverts}) {
    const std::string lines = FormatLines(trait);
    size_t count = 0;
    for (size_t at = 0; at < lines.size(); ++count) {
      const size_t end = lines.find('\n', at);
      EXPECT_LE(view::Width(lines.substr(at, end - at)), 80u);
      at = end + 1;
    }
    EXPECT_EQ(count, FormatNames(trait).size());
  }
}

}  // namespace
}  // namespace epik::report
