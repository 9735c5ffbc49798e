// SPDX-License-Identifier: BSD-3-Clause
// Words that their owner overwrites while others read them, with a number beside them that changes before they do. A
// word is stored after all that its owner stored before it, and loaded before all that its reader loads after it. So a
// reader that has a new word also finds the new number, and knows that the words may not belong together. On x86 both
// are plain moves.
#ifndef EPIK_RUNTIME_EVENT_WORDS_H_
#define EPIK_RUNTIME_EVENT_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace epik::event {

using Word [[gnu::may_alias]] = uint64_t;

template <class T>
inline constexpr size_t kWordsOf = sizeof(T) / sizeof(Word);

// From the first word to the last.
template <class T>
inline void StoreWords(const T& from, T* to) {
  static_assert(sizeof(T) % sizeof(Word) == 0 && std::is_trivially_copyable_v<T>);
  const auto* words = reinterpret_cast<const Word*>(&from);
  auto* live = reinterpret_cast<Word*>(to);
  for (size_t i = 0; i < kWordsOf<T>; ++i) __atomic_store_n(&live[i], words[i], __ATOMIC_RELEASE);
}

template <class T>
inline void LoadWords(const T* from, T* to) {
  static_assert(sizeof(T) % sizeof(Word) == 0 && std::is_trivially_copyable_v<T>);
  const auto* live = reinterpret_cast<const Word*>(from);
  auto* words = reinterpret_cast<Word*>(to);
  for (size_t i = 0; i < kWordsOf<T>; ++i) words[i] = __atomic_load_n(&live[i], __ATOMIC_ACQUIRE);
}

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_WORDS_H_
