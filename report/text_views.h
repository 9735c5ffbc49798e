// SPDX-License-Identifier: BSD-3-Clause
// The parts of the text report; text.cc puts them together.
#ifndef EPIK_REPORT_TEXT_VIEWS_H_
#define EPIK_REPORT_TEXT_VIEWS_H_

#include <string>

#include "report/figures.h"
#include "report/text.h"

namespace epik::report {

std::string Header(const Figures& figures, const archive::Manifest& manifest, const TextOptions& options);
std::string TreeView(const Figures& figures, const TextOptions& options);
std::string FlatView(const Figures& figures, const TextOptions& options);
std::string LoadView(const Figures& figures, const TextOptions& options);
std::string CallersView(const Figures& figures, const TextOptions& options);

// "label    text", wrapped at words to the width, with the label's indent kept.
std::string Labelled(const std::string& label, const std::string& text, size_t width);

// "program > " when every call path begins with an artificial root of that name; else nothing.
std::string RootPrefix(const Figures& figures);

inline size_t TopOr(const TextOptions& options, size_t otherwise) {
  return options.top == TextOptions::kDefaultTop ? otherwise : options.top;
}

}  // namespace epik::report

#endif  // EPIK_REPORT_TEXT_VIEWS_H_
