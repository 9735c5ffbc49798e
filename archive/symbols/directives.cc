// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/directives.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "archive/symbols/macros.h"

namespace epik::symbols {
namespace {

// Bounds against files that are no sources: real ones stay far below.
constexpr size_t kMostDirectives = 20'000;
constexpr size_t kLongestStatement = 2'000;      // lines
constexpr size_t kMostOpen = 100;                // open directives within each other
constexpr size_t kMostLines = 20;                // lines in which a macro is used
constexpr int kMostFiles = 400, kMostDepth = 8;  // that a source includes; depth of includes

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view WithoutIndent(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Splits `for schedule(dynamic) nowait` into words. `lower`: the language does not distinguish capital letters from
// small ones.
std::vector<Directive::Word> Words(std::string_view text, bool lower) {
  std::vector<Directive::Word> words;
  int depth = 0;
  bool in_word = false;
  for (char c : text) {
    if (lower) c = Lower(c);
    if (c == '(' && depth++ == 0) {
      in_word = false;
      continue;
    }
    if (c == ')' && depth > 0) {
      --depth;
      continue;
    }
    if (depth > 0) {
      if (!IsBlank(c) && !words.empty()) words.back().operand += c;
      continue;
    }
    if (IsLetter(c) && !in_word) words.emplace_back();
    in_word = IsLetter(c);
    if (in_word) words.back().name += c;
  }
  return words;
}

// ---- C and C++ ------------------------------------------------------------------------------------------------------

// Replaces comments and the contents of strings by blanks; line breaks stay. The string of a `_Pragma` stays.
std::string WithoutComments(std::string_view text) {
  std::string code(text);
  enum { kCode, kLine, kBlock, kString, kChar } state = kCode;
  for (size_t i = 0; i < code.size(); ++i) {
    const char c = code[i], next = i + 1 < code.size() ? code[i + 1] : '\0';
    if (c == '\n') {
      if (state != kBlock) state = kCode;
      continue;
    }
    if (state == kCode) {
      if (c == '/' && next == '/') state = kLine;
      if (c == '/' && next == '*') state = kBlock;
      if (c == '\'' && (i == 0 || !IsLetter(code[i - 1]))) state = kChar;
      if (c == '"' && code.compare(i + 1, 4, "omp ") == 0) {
        i = std::min(code.find_first_of("\"\n", i + 1), code.size());  // what a `_Pragma` says
        continue;
      }
      if (c == '"') state = kString;
      if (state == kLine || state == kBlock) code[i] = ' ';
      continue;
    }
    const bool ends =
        (state == kBlock && c == '*' && next == '/') || (state == kString && c == '"') || (state == kChar && c == '\'');
    if ((state == kString || state == kChar) && c == '\\' && next != '\n' && next != '\0') code[++i] = ' ';
    if (state == kBlock && ends) code[i + 1] = ' ';
    if (ends || c != '\n') code[i] = ' ';
    if (ends) state = kCode;
  }
  return code;
}

// Returns the position behind `#pragma omp` in this line, or 0 if the line has no such words.
size_t AfterPragma(std::string_view line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return 0;
  for (const std::string_view word : {"pragma", "omp"}) {
    at = line.find_first_not_of(" \t", word == "pragma" ? at + 1 : at);
    if (at == std::string_view::npos || line.substr(at, word.size()) != word) return 0;
    at += word.size();
  }
  return at == line.size() || !IsLetter(line[at]) ? at : 0;
}

// Finds the statement that begins in these lines, in the first one at `column`: up to its semicolon, or to its closing
// brace.
void FindStatement(const std::vector<std::string_view>& lines, size_t from, size_t column, Directive* directive) {
  int parentheses = 0, braces = 0;
  for (size_t i = from; i < std::min(lines.size(), from + kLongestStatement); ++i) {
    const std::string_view line = WithoutIndent(i == from ? lines[i].substr(column) : lines[i]);
    if (line.empty()) continue;
    if (directive->statement == 0) directive->statement = static_cast<int>(i) + 1;
    if (line.front() == '#') continue;
    for (const char c : line) {
      parentheses += (c == '(') - (c == ')');
      braces += (c == '{') - (c == '}');
      const bool ends = (c == ';' && parentheses <= 0 && braces <= 0) || (c == '}' && braces <= 0);
      if (!ends) continue;
      directive->end = static_cast<int>(i) + 1;
      return;
    }
  }
}

bool Continues(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r");
  return last != std::string_view::npos && line[last] == '\\';
}

// Returns the line with its continuation lines; `last` becomes the last of them.
std::string Whole(const std::vector<std::string_view>& lines, size_t* last) {
  std::string whole(lines[*last]);
  while (Continues(lines[*last]) && *last + 1 < lines.size()) {
    whole.erase(whole.find_last_of('\\'));
    whole += " " + std::string(lines[++*last]);
  }
  return whole;
}

// `#include "name"` or `#include <name>`. Other lines include nothing, and have no name.
struct Include {
  explicit Include(std::string_view line) {
    const size_t at = line.find_first_not_of(" \t", line.find('#') + 1);
    constexpr std::string_view kWord = "include";
    if (at == std::string_view::npos || line.substr(at, kWord.size()) != kWord) return;
    const size_t begin = line.find_first_not_of(" \t", at + kWord.size());
    if (begin == std::string_view::npos || (line[begin] != '"' && line[begin] != '<')) return;
    quoted = line[begin] == '"';
    const size_t end = line.find(quoted ? '"' : '>', begin + 1);
    if (end != std::string_view::npos) name = line.substr(begin + 1, end - begin - 1);
  }
  std::string name;
  bool quoted = false;
};

// Takes the macros of the files that a source includes.
void TakeMacros(std::string_view text, const ReadIncluded& read, int depth, int* files, Macros* macros) {
  const std::string code = WithoutComments(text);
  const std::vector<std::string_view> lines = Lines(code);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!WithoutIndent(lines[i]).starts_with("#")) continue;
    const size_t at = static_cast<size_t>(lines[i].data() - code.data());
    const Include include(text.substr(at, lines[i].size()));  // strings are blanks in `code`
    std::string included;
    if (!include.name.empty() && depth < kMostDepth && ++*files < kMostFiles &&
        read(include.name, include.quoted, &included)) {
      TakeMacros(included, read, depth + 1, files, macros);
    }
    macros->Take(Whole(lines, &i));
  }
}

// Finds directives of macros, or `_Pragma`, in the line `first`.
void FindMade(const std::vector<std::string_view>& lines, size_t first, const Macros& macros,
              std::vector<Directive>* found) {
  std::string code(lines[first]);
  size_t last = first, last_begin = 0;
  int open = 0;
  const auto count = [&open](std::string_view line) {
    for (const char c : line) open += (c == '(') - (c == ')');
  };
  size_t end = 0;
  count(lines[first]);
  std::vector<std::string> made = macros.In(code, &end);
  // The arguments may go over several lines.
  while (made.empty() && open > 0 && macros.MayGoOn(code) && last + 1 < lines.size() && last - first < kMostLines) {
    last_begin = code.size() + 1;
    code += " " + std::string(lines[++last]);
    count(lines[last]);
    if (open <= 0) made = macros.In(code, &end);
  }
  for (const std::string& words : made) {
    Directive& directive = found->emplace_back();
    directive.words = Words(words, false);
    directive.line = static_cast<int>(first) + 1;
    directive.last_line = static_cast<int>(last) + 1;
    FindStatement(lines, last, end > last_begin ? end - last_begin : 0, &directive);
  }
}

void FindInC(std::string_view text, const ReadIncluded& read, std::vector<Directive>* found) {
  const std::string code = WithoutComments(text);
  const std::vector<std::string_view> lines = Lines(code);
  Macros macros;
  int files = 0;
  for (size_t i = 0; i < lines.size() && found->size() < kMostDirectives; ++i) {
    const size_t at = AfterPragma(lines[i]);
    const size_t first = i;
    if (at != 0) {
      const std::string words = Whole(lines, &i).substr(at);
      Directive& directive = found->emplace_back();
      directive.words = Words(words, false);
      directive.line = static_cast<int>(first) + 1;
      directive.last_line = static_cast<int>(i) + 1;
      if (i + 1 < lines.size()) FindStatement(lines, i + 1, 0, &directive);
      continue;
    }
    if (!WithoutIndent(lines[i]).starts_with("#")) {
      FindMade(lines, i, macros, found);
      continue;
    }
    const size_t offset = static_cast<size_t>(lines[i].data() - code.data());
    const Include include(text.substr(offset, lines[i].size()));
    std::string included;
    if (!include.name.empty() && read != nullptr && ++files < kMostFiles &&
        read(include.name, include.quoted, &included)) {
      TakeMacros(included, read, 0, &files, &macros);
    }
    macros.Take(Whole(lines, &i));
  }
}

// ---- Fortran --------------------------------------------------------------------------------------------------------

// Returns the position behind the sentinel of a directive in this line, or 0 if the line has no sentinel.
size_t AfterSentinel(std::string_view line) {
  const size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line.size() - at < 5) return 0;
  const char mark = Lower(line[at]);
  if (mark != '!' && (at != 0 || (mark != 'c' && mark != '*'))) return 0;
  constexpr std::string_view kWord = "$omp";
  for (size_t i = 0; i < kWord.size(); ++i) {
    if (Lower(line[at + 1 + i]) != kWord[i]) return 0;
  }
  return at + 1 + kWord.size();
}

bool BeginsWith(std::string_view line, std::string_view word) {
  line = WithoutIndent(line);
  if (line.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (Lower(line[i]) != word[i]) return false;
  }
  return line.size() == word.size() || !IsLetter(line[word.size()]);
}

bool IsComment(std::string_view line) {
  const std::string_view text = WithoutIndent(line);
  return text.empty() || (text[0] == '!' && AfterSentinel(line) == 0);
}

// The line of the first statement, or directive, behind these lines; 0 when none is near.
int NextStatement(const std::vector<std::string_view>& lines, size_t from) {
  for (size_t i = from; i < std::min(lines.size(), from + kLongestStatement); ++i) {
    if (!IsComment(lines[i])) return static_cast<int>(i) + 1;
  }
  return 0;
}

// The line of the `end do` of the loop that begins behind these lines.
int EndOfLoop(const std::vector<std::string_view>& lines, size_t from) {
  int depth = 0;
  for (size_t i = from; i < std::min(lines.size(), from + kLongestStatement); ++i) {
    depth += BeginsWith(lines[i], "do");
    const bool ends = BeginsWith(lines[i], "enddo") || BeginsWith(lines[i], "end do");
    if (ends && --depth <= 0) return static_cast<int>(i) + 1;
  }
  return 0;
}

// `end single nowait` belongs to the last `single` that has no end yet.
void CloseDirective(const Directive& closing, std::vector<Directive>* found) {
  for (size_t i = found->size(); i-- > 0 && found->size() - i <= kMostOpen;) {
    Directive& open = (*found)[i];
    if (open.end != 0 || open.words.empty() || open.words[0].name != closing.words[1].name) continue;
    open.end = closing.last_line;
    if (closing.Has("nowait")) open.words.push_back({"nowait", ""});
    return;
  }
}

// `#define EACH !$omp parallel do`: replaces EACH at the begin of lines by its text. `made` holds their text.
void ReplaceMacros(std::vector<std::string_view>* lines, std::deque<std::string>* made) {
  constexpr std::string_view kDefine = "#define ";
  std::map<std::string_view, std::string_view> macros;
  for (std::string_view& line : *lines) {
    const std::string_view text = WithoutIndent(line);
    const bool defines = text.starts_with(kDefine);
    const std::string_view rest = WithoutIndent(defines ? text.substr(kDefine.size()) : text);
    size_t length = 0;
    while (length < rest.size() && IsLetter(rest[length])) ++length;
    const std::string_view name = rest.substr(0, length), behind = WithoutIndent(rest.substr(length));
    if (defines && AfterSentinel(behind) != 0) macros.insert_or_assign(name, behind);
    const auto macro = defines || macros.empty() ? macros.end() : macros.find(name);
    if (macro != macros.end()) line = made->emplace_back(std::string(macro->second) + " " + std::string(behind));
  }
}

void FindInFortran(std::string_view text, std::vector<Directive>* found) {
  std::vector<std::string_view> lines = Lines(text);
  std::deque<std::string> made;
  ReplaceMacros(&lines, &made);
  std::vector<size_t> loops;
  for (size_t i = 0; i < lines.size() && found->size() < kMostDirectives; ++i) {
    size_t at = AfterSentinel(lines[i]);
    if (at == 0) continue;
    Directive directive;
    directive.line = static_cast<int>(i) + 1;
    std::string words;
    while (true) {
      std::string_view rest = lines[i].substr(at);
      if (const size_t comment = rest.find('!'); comment != std::string_view::npos) rest = rest.substr(0, comment);
      const size_t last = rest.find_last_not_of(" \t\r");
      const bool continues = last != std::string_view::npos && rest[last] == '&';
      words += " " + std::string(rest.substr(0, continues ? last : rest.size()));
      const size_t next = i + 1 < lines.size() ? AfterSentinel(lines[i + 1]) : 0;
      // Fixed form: a mark in column 6 continues the line.
      const bool marked = next == 5 && lines[i + 1].size() > 5 && !IsBlank(lines[i + 1][5]) && lines[i + 1][5] != '0' &&
                          lines[i + 1][0] != ' ';
      if (next == 0 || (!continues && !marked)) break;
      at = next + marked;
      ++i;
      if (at < lines[i].size() && WithoutIndent(lines[i].substr(at)).substr(0, 1) == "&") {
        at = lines[i].find('&', at) + 1;
      }
    }
    directive.last_line = static_cast<int>(i) + 1;
    directive.words = Words(words, true);
    if (directive.words.size() > 1 && directive.words[0].name == "end") {
      CloseDirective(directive, found);
      continue;
    }
    directive.statement = NextStatement(lines, i + 1);
    if (directive.Has("do")) loops.push_back(found->size());
    found->push_back(std::move(directive));
  }
  for (const size_t loop : loops) {  // OpenMP's `end do` was left out
    Directive& directive = (*found)[loop];
    if (directive.end == 0) directive.end = EndOfLoop(lines, static_cast<size_t>(directive.last_line));
  }
}

}  // namespace

const Directive::Word* Directive::Find(std::string_view name) const {
  for (const Word& word : words) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

bool IsFortran(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot != std::string_view::npos && dot + 1 < path.size() && Lower(path[dot + 1]) == 'f';
}

std::vector<Directive> FindDirectives(std::string_view text, bool fortran, const ReadIncluded& read) {
  std::vector<Directive> found;
  fortran ? FindInFortran(text, &found) : FindInC(text, read, &found);
  return found;
}

}  // namespace epik::symbols
