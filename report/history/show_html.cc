// SPDX-License-Identifier: BSD-3-Clause
// One page without other files: inline styles, curves as SVG, no script. A CI job keeps it among its artefacts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "report/history/show.h"
#include "view/text.h"

namespace epik::report {
namespace {

using analysis::Figure;
using analysis::Jump;
using analysis::Series;

constexpr double kWide = 320, kHigh = 96, kMargin = 8;

constexpr char kHead[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>EPIK history</title>
<style>
body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:.95rem;margin:0}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(20.5rem,1fr));gap:1rem}
figure{margin:0;border:1px solid #d5d9de;border-radius:6px;padding:.6rem .7rem;overflow-wrap:anywhere}
figcaption{color:#57606a;font-size:.85rem}svg{width:100%;height:auto;display:block}
.bad{color:#b42318}.good{color:#1a7f37}.curve{fill:none;stroke:#3b6ea5;stroke-width:1.6}
.level{stroke:#b7791f;stroke-width:1.2;stroke-dasharray:4 3}circle{fill:#3b6ea5}circle.jump{fill:#b42318}
.runs{overflow-x:auto;margin-top:1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td{white-space:nowrap}
td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid #e4e7eb}
td.text,th.text{text-align:left}code{font-size:.9em}
@media (prefers-color-scheme:dark){body{color:#e6e9ed;background:#15181c}figure,td,th{border-color:#353b43}
figcaption{color:#9aa4af}.curve{stroke:#7fb0e6}circle{fill:#7fb0e6}}
</style></head><body>
<h1>EPIK: runs over time</h1>
)";

// Names from archives may be hostile: no part of them becomes markup.
std::string Escaped(std::string_view raw) {
  std::string text;
  for (const char c : view::Printable(raw)) {
    switch (c) {
      case '&': text += "&amp;"; break;
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '"': text += "&quot;"; break;
      default: text += c;
    }
  }
  return text;
}

std::string Fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// The scale begins at 0: a jump looks as large as it is.
class Curve {
 public:
  Curve(const Series& series, const Figure& figure) : series_(series), figure_(figure) {
    for (const double value : figure.values) top_ = std::isfinite(value) ? std::max(top_, value) : top_;
    if (top_ <= 0) top_ = 1;
  }

  std::string Svg() const {
    std::string line, points;
    for (size_t r = 0; r < figure_.values.size(); ++r) {
      if (!std::isfinite(figure_.values[r])) continue;
      line += (line.empty() ? "M" : "L") + Fixed(X(r)) + " " + Fixed(Y(figure_.values[r]));
      const bool jumps =
          std::any_of(figure_.jumps.begin(), figure_.jumps.end(), [&](const Jump& j) { return j.at == r; });
      const analysis::HistoryRun& run = series_.runs[r];
      points += "<circle" + std::string(jumps ? " class=\"jump\"" : "") + " cx=\"" + Fixed(X(r)) + "\" cy=\"" +
                Fixed(Y(figure_.values[r])) + "\" r=\"" + (jumps ? "4" : "2.5") + "\"><title>run " +
                std::to_string(r + 1) + ", " + Escaped(internal::When(run)) + ": " +
                internal::Value(figure_, figure_.values[r]) + "</title></circle>";
    }
    return "<svg viewBox=\"0 0 " + Fixed(kWide) + " " + Fixed(kHigh) + "\" role=\"img\" aria-label=\"" +
           Escaped(figure_.name) + " over runs\">" + Levels() + "<path class=\"curve\" d=\"" + line + "\"/>" + points +
           "</svg>";
  }

 private:
  double X(size_t run) const {
    const auto last = static_cast<double>(std::max<size_t>(figure_.values.size(), 2) - 1);
    return kMargin + (kWide - 2 * kMargin) * static_cast<double>(run) / last;
  }
  double Y(double value) const { return kHigh - kMargin - (kHigh - 2 * kMargin) * std::max(0.0, value) / top_; }

  // The mean before and after each jump.
  std::string Levels() const {
    std::string text;
    const auto level = [&](size_t from, size_t to, double value) {
      text += "<line class=\"level\" x1=\"" + Fixed(X(from)) + "\" x2=\"" + Fixed(X(to)) + "\" y1=\"" +
              Fixed(Y(value)) + "\" y2=\"" + Fixed(Y(value)) + "\"/>";
    };
    size_t from = 0;
    for (size_t j = 0; j < figure_.jumps.size(); ++j) {
      const Jump& jump = figure_.jumps[j];
      level(from, jump.at - 1, jump.before);
      if (j + 1 == figure_.jumps.size()) level(jump.at, figure_.values.size() - 1, jump.after);
      from = jump.at;
    }
    return text;
  }

  const Series& series_;
  const Figure& figure_;
  double top_ = 0;
};

void PutFigure(const Series& series, const Figure& figure, Buffer& out) {
  const size_t first = figure.FirstRun(), last = figure.LastRun();
  if (first >= figure.values.size()) return;
  out << "<figure><h3>" << Escaped(figure.name) << "</h3>" << Curve(series, figure).Svg() << "<figcaption>"
      << internal::Value(figure, figure.values[first]);
  if (last != first) {
    out << " to " << internal::Value(figure, figure.values[last]) << " ("
        << internal::Change(figure.values[first], figure.values[last]) << ")";
  }
  for (const Jump& jump : figure.jumps) {
    const bool bad = (jump.after > jump.before) == figure.less_is_better;
    out << "<br><span class=\"" << (bad ? "bad" : "good") << "\">" << internal::Change(jump.before, jump.after)
        << " since run " << std::to_string(jump.at + 1) << ", " << Escaped(internal::When(series.runs[jump.at]))
        << "</span>";
  }
  out << "</figcaption></figure>\n";
}

void PutRuns(const Series& series, Buffer& out) {
  out << "<div class=\"runs\"><table><tr><th>run</th><th class=\"text\">started</th><th class=\"text\">revision</th>";
  for (const Figure& figure : series.figures) out << "<th>" << Escaped(figure.name) << "</th>";
  out << "<th class=\"text\">archive</th></tr>\n";
  for (size_t r = series.runs.size(); r-- > 0;) {
    const analysis::HistoryRun& run = series.runs[r];
    out << "<tr><td>" << std::to_string(r + 1) << "</td><td class=\"text\">" << Escaped(internal::Day(run.started))
        << "</td><td class=\"text\"><code>" << Escaped(internal::ShortRevision(run.revision)) << "</code></td>";
    for (const Figure& figure : series.figures) out << "<td>" << internal::Value(figure, figure.values[r]) << "</td>";
    out << "<td class=\"text\">" << Escaped(run.path) << "</td></tr>\n";
  }
  out << "</table></div>\n";
}

}  // namespace

void ShowHistoryHtml(const analysis::History& history, const Sink& sink) {
  Buffer out(sink);
  out << kHead;
  for (const Series& series : history.series) {
    out << "<h2>" << Escaped(series.title) << "</h2><p>" << Escaped(internal::SizeOf(series, /*unicode=*/true)) << " · "
        << Escaped(series.host_class) << " · " << internal::RunsIn(series) << "</p>\n<div class=\"figures\">\n";
    for (const Figure& figure : series.figures) PutFigure(series, figure, out);
    out << "</div>\n";
    PutRuns(series, out);
  }
  if (const std::string why = internal::WhyMoreThanCpuTime(history); !why.empty()) out << "<p>" << why << "</p>\n";
  for (const std::string& sentence : history.left_out) out << "<p>" << Escaped(sentence) << "</p>\n";
  out << "</body></html>\n";
}

}  // namespace epik::report
