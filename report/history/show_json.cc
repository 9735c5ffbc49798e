// SPDX-License-Identifier: BSD-3-Clause
#include "report/history/show.h"
#include "report/json_string.h"
#include "view/exact.h"

namespace epik::report {
namespace {

using analysis::Figure;
using analysis::Series;

void PutFigure(const Figure& figure, Buffer& out) {
  out << "{\"name\": " << JsonString(figure.name)
      << ", \"unit\": " << (figure.unit == Figure::Unit::kSeconds ? "\"sec\"" : "\"share\"")
      << ", \"less_is_better\": " << (figure.less_is_better ? "true" : "false") << ", \"values\": [";
  for (size_t r = 0; r < figure.values.size(); ++r) out << (r == 0 ? "" : ", ") << view::JsonNumber(figure.values[r]);
  out << "], \"trend\": {\"per_run\": " << view::JsonNumber(figure.trend.per_run)
      << ", \"probability\": " << view::JsonNumber(figure.trend.probability) << "}, \"jumps\": [";
  for (size_t j = 0; j < figure.jumps.size(); ++j) {
    const analysis::Jump& jump = figure.jumps[j];
    out << (j == 0 ? "" : ", ") << "{\"run\": " << std::to_string(jump.at)
        << ", \"before\": " << view::JsonNumber(jump.before) << ", \"after\": " << view::JsonNumber(jump.after)
        << ", \"probability\": " << view::JsonNumber(jump.probability) << "}";
  }
  out << "]}";
}

void PutSeries(const Series& series, Buffer& out) {
  out << "{\"title\": " << JsonString(series.title) << ", \"host_class\": " << JsonString(series.host_class)
      << ", \"ranks\": " << std::to_string(series.ranks) << ", \"threads\": " << std::to_string(series.threads)
      << ",\n\"runs\": [";
  for (size_t r = 0; r < series.runs.size(); ++r) {
    const analysis::HistoryRun& run = series.runs[r];
    out << (r == 0 ? "\n" : ",\n") << "{\"path\": " << JsonString(run.path)
        << ", \"started\": " << JsonString(run.started) << ", \"revision\": " << JsonString(run.revision) << "}";
  }
  out << "],\n\"figures\": [";
  for (size_t f = 0; f < series.figures.size(); ++f) {
    out << (f == 0 ? "\n" : ",\n");
    PutFigure(series.figures[f], out);
  }
  out << "]}";
}

}  // namespace

void ShowHistoryJson(const analysis::History& history, const Sink& sink) {
  Buffer out(sink);
  out << "{\"format\": \"epik-history\", \"version\": 1,\n\"series\": [";
  for (size_t s = 0; s < history.series.size(); ++s) {
    out << (s == 0 ? "\n" : ",\n");
    PutSeries(history.series[s], out);
  }
  out << "],\n\"left_out\": [";
  for (size_t i = 0; i < history.left_out.size(); ++i) {
    out << (i == 0 ? "" : ", ") << JsonString(history.left_out[i]);
  }
  out << "]}\n";
}

}  // namespace epik::report
