// SPDX-License-Identifier: BSD-3-Clause
// A scanner for the part of XML that CUBE anchors use: elements, attributes, text, CDATA, comments, the five named
// entities. It gives one token at a time and does not recurse, so that hostile nesting costs no stack. It checks that
// tags match, and refuses document type definitions, which could expand without end.
#ifndef EPIK_ARCHIVE_FILES_XML_SCANNER_H_
#define EPIK_ARCHIVE_FILES_XML_SCANNER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epik::archive {

class XmlScanner {
 public:
  enum class Token { kStart, kEnd, kText, kDone, kError };

  // The text must outlive the scanner.
  explicit XmlScanner(std::string_view text) : text_(text) {}

  Token Next();  // `<x/>` gives kStart and kEnd; ends after the outermost element

  std::string_view name() const { return name_; }  // of kStart and kEnd
  // Decoded value of an attribute of kStart; returns false when there is no attribute of that name.
  bool Attribute(std::string_view name, std::string* value) const;
  std::string_view raw_text() const { return raw_; }  // of kText
  void AppendText(std::string* to) const;             // of kText, decoded, line ends as blanks (as CubeLib does)

  size_t offset() const { return start_; }  // where the token begins
  size_t depth() const { return open_.size(); }
  const std::string& error() const { return error_; }  // "offset N: reason"

 private:
  Token Fail(const std::string& what);
  Token Markup();
  Token StartTag();
  Token EndTag();
  Token Close();
  bool ReadAttribute();
  bool SkipPast(std::string_view mark);
  void SkipBlanks();
  std::string_view ReadName();

  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;
  std::string_view name_;
  std::string_view raw_;
  bool cdata_ = false;
  bool self_closing_ = false;
  bool seen_root_ = false;
  std::vector<std::pair<std::string_view, std::string_view>> attributes_;
  std::vector<std::string_view> open_;
  std::string error_;
};

// Makes text safe for an anchor: escapes markup, replaces control characters by blanks and bytes that are not UTF-8 by
// '?'.
std::string EscapeXml(std::string_view text);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_XML_SCANNER_H_
