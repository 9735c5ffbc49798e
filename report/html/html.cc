// SPDX-License-Identifier: BSD-3-Clause
#include "report/html/html.h"

#include <algorithm>
#include <string_view>

#include "analysis/algebra/unite.h"
#include "report/html/pack.h"

namespace epik::report {

size_t BytesInPage(const std::string& text) { return Base64(Deflated(text)).size(); }

bool WriteHtml(const archive::Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras,
               const Sink& sink, std::string* error, const HtmlBase& base) {
  const std::string_view page = extras.page;
  const size_t mark = page.find(kHtmlDataMark);
  if (mark == page.npos) {
    *error = std::string(kHtmlTemplate) + " is not the page that reports are made of: install EPIK again";
    return false;
  }
  // Base64 makes four characters of three bytes.
  constexpr size_t kLeast = 64 << 10;
  const size_t room = extras.most > page.size() ? (extras.most - page.size()) / 4 * 3 : 0;
  const size_t share = std::max(base.profile == nullptr ? room : room / 2, kLeast);
  HtmlExtras plain;  // messages of the other run are not shown
  if (base.profile != nullptr) plain.same = algebra::SameCallPaths(profile, *base.profile);
  std::string packed, packed_base;
  if (!PackProfile(profile, manifest, extras, share, &packed) ||
      (base.profile != nullptr && !PackProfile(*base.profile, *base.manifest, plain, share, &packed_base))) {
    *error = "out of memory";
    return false;
  }
  // A page from disk may load nothing; a page from a server may ask that server.
  constexpr std::string_view kNoConnections = "default-src 'none';";
  std::string head(page.substr(0, mark));
  if (const size_t at = head.find(kNoConnections); extras.asks_server && at != head.npos) {
    head.insert(at + kNoConnections.size(), " connect-src 'self';");
  }
  sink(head);
  sink(Base64(packed));
  if (base.profile != nullptr) {
    // The mark is in a script element, and another element follows.
    sink("</script>\n<script id=\"epik-base\" type=\"application/zlib+base64\">");
    sink(Base64(packed_base));
  }
  if (!extras.analysis.empty()) {
    sink("</script>\n<script id=\"epik-analysis\" type=\"application/zlib+base64\">");
    sink(Base64(Deflated(extras.analysis)));
  }
  if (!extras.prediction.empty()) {
    sink("</script>\n<script id=\"epik-prediction\" type=\"application/zlib+base64\">");
    sink(Base64(Deflated(extras.prediction)));
  }
  if (extras.asks_server)
    sink("</script>\n<script id=\"epik-timeline\" type=\"application/json\" data-served=\"yes\">");
  if (!extras.timeline.empty()) {
    sink("</script>\n<script id=\"epik-timeline\" type=\"application/zlib+base64\">");
    sink(Base64(Deflated(extras.timeline)));
  }
  sink(page.substr(mark + std::string_view(kHtmlDataMark).size()));
  return true;
}

}  // namespace epik::report
