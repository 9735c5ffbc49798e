// SPDX-License-Identifier: BSD-3-Clause
// Takes a report piece by piece: a report of a large run is never in memory as a whole.
#ifndef EPIK_REPORT_SINK_H_
#define EPIK_REPORT_SINK_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace epik::report {

using Sink = std::function<void(std::string_view)>;

// Collects small pieces and hands them on in large ones. Its destructor hands on the last one.
class Buffer {
 public:
  explicit Buffer(const Sink& sink) : sink_(sink) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { Flush(); }

  Buffer& operator<<(std::string_view text) {
    text_ += text;
    if (text_.size() >= kFull) Flush();
    return *this;
  }
  Buffer& operator<<(char c) { return *this << std::string_view(&c, 1); }

 private:
  static constexpr size_t kFull = 64 << 10;

  void Flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

  const Sink& sink_;
  std::string text_;
};

inline Sink AppendTo(std::string* out) {
  return [out](std::string_view text) { out->append(text); };
}

}  // namespace epik::report

#endif  // EPIK_REPORT_SINK_H_
