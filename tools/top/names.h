// SPDX-License-Identifier: BSD-3-Clause
// Names for the keys of a running process, each looked up once.
#ifndef EPIK_TOOLS_TOP_NAMES_H_
#define EPIK_TOOLS_TOP_NAMES_H_

#include <string>
#include <unordered_map>

#include "archive/image/process_image.h"
#include "archive/symbols/symbols.h"

namespace epik::top {

class Names {
 public:
  Names();

  // Looks up the new keys of this image, all at once.
  void Learn(const archive::ProcessImage& image);

  // The name of a key that was in an image; any other key is shown as a number.
  std::string Of(event::Key key) const;

 private:
  symbols::Symbolizer symbolizer_;
  std::unordered_map<event::Key, std::string> names_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_NAMES_H_
