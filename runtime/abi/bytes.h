// SPDX-License-Identifier: BSD-3-Clause
// Packs numbers and texts into bytes for another process of the same job, and unpacks them. The reader trusts nothing:
// when bytes are missing, good() becomes false and all further values are zero.
#ifndef EPIK_RUNTIME_ABI_BYTES_H_
#define EPIK_RUNTIME_ABI_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace epik::archive {

class BytesOut {
 public:
  template <class T>
  void Put(T value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Put(const std::string& text) {
    Put(static_cast<uint64_t>(text.size()));
    bytes_ += text;
  }
  void Put(const std::vector<std::string>& texts) {
    Put(static_cast<uint64_t>(texts.size()));
    for (const std::string& text : texts) Put(text);
  }
  template <class T>
  void PutAll(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    Put(static_cast<uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string Take() { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

class BytesIn {
 public:
  explicit BytesIn(std::string_view bytes) : bytes_(bytes) {}

  // False once a value was missing.
  bool good() const { return good_; }
  bool AtEnd() const { return bytes_.empty(); }

  template <class T>
  T Get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (Have(sizeof value)) {
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
    }
    return value;
  }
  std::string GetText() {
    const auto size = Get<uint64_t>();
    if (!Have(size)) return "";
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  // The count of things that follow, each of at least `least` bytes. A larger count than fits is damage: it must not
  // make the caller allocate.
  uint64_t GetCount(size_t least) {
    const auto count = Get<uint64_t>();
    if (count <= bytes_.size() / least) return count;
    good_ = false;
    return 0;
  }
  std::vector<std::string> GetTexts() {
    std::vector<std::string> texts(GetCount(sizeof(uint64_t)));
    for (std::string& text : texts) text = GetText();
    return texts;
  }
  template <class T>
  std::vector<T> GetAll() {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(GetCount(sizeof(T)));
    if (!values.empty()) std::memcpy(values.data(), bytes_.data(), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
    return values;
  }

 private:
  bool Have(uint64_t size) {
    good_ = good_ && size <= bytes_.size();
    return good_;
  }

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ABI_BYTES_H_
