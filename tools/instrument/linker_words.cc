// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/linker_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/instrument/compiler.h"

namespace epik::instrument {
namespace {

// Options of GNU ld, gold, lld and mold whose value may be the next linker word. Long names come with one dash or two;
// a value joined by `=` needs no entry.
constexpr std::string_view kLongWithValue =
    " soname rpath rpath-link dynamic-linker entry undefined defsym version-script dynamic-list retain-symbols-file "
    "require-defined exclude-libs wrap section-start plugin plugin-opt init fini oformat format mri-script script "
    "default-script dependency-file export-dynamic-symbol export-dynamic-symbol-list trace-symbol just-symbols filter "
    "auxiliary gpsize architecture audit depaudit out-implib output library library-path Ttext Tdata Tbss "
    "Ttext-segment "
    "Trodata-segment Tldata-segment Map assert exclude-modules-for-implib task-link sort-section hash-style "
    "version-exports-section image-base Tbss package-metadata remap-inputs-file ";
constexpr std::string_view kShortWithValue = " -h -I -T -e -u -z -m -L -l -o -A -b -c -F -f -G -R -y -Y -P -a ";

bool Lists(std::string_view list, std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         list.find(" " + std::string(name) + " ") != std::string_view::npos;
}

std::string_view WithoutDashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

bool TakesNextWord(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return Lists(kShortWithValue, word) || Lists(kLongWithValue, WithoutDashes(word));
}

bool IsLibraryFile(std::string_view word) {
  if (word.empty() || word[0] == '-') return false;
  return EndsWith(word, ".a") || EndsWith(word, ".so") || BaseName(word).find(".so.") != std::string_view::npos;
}

// These options change how the linker takes the libraries behind them, so our words belong in front of them.
bool OpensLibraries(std::string_view word) {
  constexpr std::array<std::string_view, 16> kWords = {"-(",
                                                       "--start-group",
                                                       "-start-group",
                                                       "--whole-archive",
                                                       "-whole-archive",
                                                       "-Bstatic",
                                                       "-Bdynamic",
                                                       "-dn",
                                                       "-dy",
                                                       "-non_shared",
                                                       "-call_shared",
                                                       "--as-needed",
                                                       "-as-needed",
                                                       "--no-as-needed",
                                                       "-no-as-needed",
                                                       "--start-lib"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

constexpr size_t kNone = ~size_t{0};

class Reader {
 public:
  explicit Reader(size_t end) { found_.first_library = end; }

  // Takes one word of the command. `at` is its index, or the index of the response file that it is in.
  void Word(size_t at, std::string_view word) {
    if (StartsWith(word, "-Wl,")) {
      word.remove_prefix(4);
      while (true) {
        const size_t comma = word.find(',');
        Linker(at, word.substr(0, comma));
        if (comma == std::string_view::npos) return;
        word.remove_prefix(comma + 1);
      }
    }
    if (x_linker_ != kNone) {
      const size_t begin = x_linker_;
      x_linker_ = kNone;
      return Linker(begin, word);
    }
    if (word == "-Xlinker") {
      x_linker_ = at;
    } else if (word == "-l" || word == "-L") {
      drivers_ = word;
      start_ = at;
    } else if (!drivers_.empty()) {
      Keep(start_, drivers_ + std::string(word));
      drivers_.clear();
    } else if (StartsWith(word, "-l") || StartsWith(word, "-L") || IsLibraryFile(word)) {
      Keep(pending_.empty() ? at : start_, word);
    }
  }

  LinkerWords Take() { return std::move(found_); }

 private:
  // Takes one word that the linker sees.
  void Linker(size_t at, std::string_view word) {
    if (!pending_.empty()) {
      const std::string option = std::move(pending_);
      pending_.clear();
      if (option == "-l" || option == "library") Keep(start_, "-l" + std::string(word));
      if (option == "-L" || option == "library-path") found_.folders.emplace_back(word);
      word_ = at;  // the rest of this word still belongs to the option
      return;
    }
    if (word_ != at) start_ = word_ = at;
    if (TakesNextWord(word)) {
      pending_ = Lists(kShortWithValue, word) ? word : WithoutDashes(word);
      return;
    }
    for (std::string_view name : {"library=", "library-path="}) {
      if (!StartsWith(WithoutDashes(word), name)) continue;
      const std::string value(WithoutDashes(word).substr(name.size()));
      return Keep(start_, (name == "library=" ? "-l" : "-L") + value);
    }
    const bool counts = StartsWith(word, "-l") || StartsWith(word, "-L") || IsLibraryFile(word) || OpensLibraries(word);
    if (counts) Keep(start_, word);
  }

  void Keep(size_t before, std::string_view word) {
    if (StartsWith(word, "-L")) return found_.folders.emplace_back(word.substr(2)), void();
    found_.first_library = std::min(found_.first_library, before);
    if (StartsWith(word, "-l") || word[0] != '-') found_.libraries.emplace_back(word);
  }

  LinkerWords found_;
  std::string pending_;      // the linker's option that waits for its value
  std::string drivers_;      // the compiler's option that waits for its value: -l or -L
  size_t x_linker_ = kNone;  // the index of an -Xlinker whose word comes next
  size_t start_ = 0;         // the first of the words that belong together
  size_t word_ = kNone;      // the word of the command that was read last
};

}  // namespace

LinkerWords ReadLinkerWords(const Words& words, size_t compiler, const ReadFile& read_file) {
  size_t end = compiler + 1;
  while (end < words.size() && words[end] != "--") ++end;
  Reader reader(end);
  for (size_t i = compiler + 1; i < end; ++i) {
    const bool linkers = words[i - 1] == "-Xlinker" || words[i] == "-Xlinker" || words[i] == "-l" || words[i] == "-L";
    if (!linkers && TakesValue(words[i])) {
      ++i;
      continue;
    }
    for (const std::string& word : ExpandResponseFiles({words[i]}, read_file)) {
      if (!word.empty()) reader.Word(i, word);
    }
  }
  return reader.Take();
}

}  // namespace epik::instrument
