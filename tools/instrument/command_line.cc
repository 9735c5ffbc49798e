// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/command_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace epik::instrument {
namespace {

constexpr std::array<std::string_view, 22> kQueries = {"-E",
                                                       "-M",
                                                       "-MM",
                                                       "-fsyntax-only",
                                                       "--version",
                                                       "-dumpversion",
                                                       "-dumpfullversion",
                                                       "-dumpmachine",
                                                       "-dumpspecs",
                                                       "-###",
                                                       "--help",
                                                       "-cc1",
                                                       "-cc1as",
                                                       "--analyze",
                                                       "-show",
                                                       "-compile_info",
                                                       "-compile-info",
                                                       "-link_info",
                                                       "-link-info",
                                                       "-showme",
                                                       "--showme",
                                                       "-qversion"};

constexpr std::array<std::string_view, 5> kQueryPrefixes = {"-print-", "--print-", "--help=", "-showme:", "--showme:"};

struct Extension {
  std::string_view suffix;
  Language language;
};
constexpr std::array kExtensions = {Extension{".c", Language::kC},         Extension{".i", Language::kC},
                                    Extension{".h", Language::kC},         Extension{".m", Language::kC},
                                    Extension{".C", Language::kCxx},       Extension{".cc", Language::kCxx},
                                    Extension{".cpp", Language::kCxx},     Extension{".CPP", Language::kCxx},
                                    Extension{".cxx", Language::kCxx},     Extension{".cp", Language::kCxx},
                                    Extension{".c++", Language::kCxx},     Extension{".ii", Language::kCxx},
                                    Extension{".mm", Language::kCxx},      Extension{".hh", Language::kCxx},
                                    Extension{".hpp", Language::kCxx},     Extension{".hxx", Language::kCxx},
                                    Extension{".h++", Language::kCxx},     Extension{".H", Language::kCxx},
                                    Extension{".tcc", Language::kCxx},     Extension{".ixx", Language::kCxx},
                                    Extension{".cppm", Language::kCxx},    Extension{".s", Language::kAssembler},
                                    Extension{".S", Language::kAssembler}, Extension{".sx", Language::kAssembler}};

bool HasPrefixOf(const auto& prefixes, std::string_view word) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return StartsWith(word, p); });
}

bool IsFortranSuffix(std::string_view suffix) {
  std::string lower(suffix);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 9> kFortran = {".f",   ".for", ".ftn", ".fpp", ".f90",
                                                        ".f95", ".f03", ".f08", ".f18"};
  return Contains(kFortran, lower);
}

Language LanguageOfFile(std::string_view path) {
  const std::string_view name = BaseName(path);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return Language::kNone;
  const std::string_view suffix = name.substr(dot);
  for (const Extension& row : kExtensions) {
    if (row.suffix == suffix) return row.language;
  }
  return IsFortranSuffix(suffix) ? Language::kFortran : Language::kNone;
}

// The language that the value of -x names. CUDA and HIP count as none, because they also compile for a device, which
// has no hooks.
Language LanguageOfOption(std::string_view value) {
  if (StartsWith(value, "c++") || StartsWith(value, "objective-c++")) return Language::kCxx;
  if (value == "c" || value == "c-header" || value == "cpp-output" || StartsWith(value, "objective-c"))
    return Language::kC;
  if (StartsWith(value, "f77") || StartsWith(value, "f95")) return Language::kFortran;
  if (StartsWith(value, "assembler")) return Language::kAssembler;
  return Language::kNone;
}

bool CarriesHooks(Language language) {
  return language == Language::kC || language == Language::kCxx || language == Language::kFortran;
}

bool IsDebugLevel(std::string_view word) {
  for (std::string_view exact :
       {"-g", "-gsplit-dwarf", "-gline-tables-only", "-gline-directives-only", "-gmlt", "-gbtf"}) {
    if (word == exact) return true;
  }
  if (word.size() == 3 && StartsWith(word, "-g") && std::isdigit(static_cast<unsigned char>(word[2])) != 0) return true;
  for (std::string_view prefix : {"-ggdb", "-gdwarf", "-gstabs", "-glldb", "-gvms", "-gctf", "-gxcoff"}) {
    if (StartsWith(word, prefix)) return true;
  }
  return false;
}

class Parser {
 public:
  explicit Parser(CommandLine& line) : line_(line) {}

  void Parse(const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.empty()) continue;
      const bool takes_value = TakesValue(word) && i + 1 < words.size();
      if (takes_value) {
        ValueOption(word, words[++i]);
      } else if (word[0] == '-' && word != "-") {
        Option(word);
      } else {
        Input(word);
      }
    }
    Finish();
  }

 private:
  void ValueOption(const std::string& option, const std::string& value) {
    if (option == "-o" || option == "--output") {
      line_.output = value;
    } else if (option == "-x") {
      forced_ = value;
    } else if (option == "-isystem" || option == "-idirafter") {
      line_.system_dirs.push_back(value);
    } else if (option == "-l") {
      line_.links_libc = line_.links_libc || value == "c";
      line_.inputs.push_back("-l" + value);
    } else if (option == "-Xlinker" && (value == "-r" || value == "-i")) {
      line_.relocatable = true;
    } else if (option == "--sysroot" || option == "-isysroot" || option == "-B" || option == "-target" ||
               option == "-gcc-toolchain") {
      line_.probe_options.push_back(option);
      line_.probe_options.push_back(value);
    }
  }

  void Option(const std::string& word) {
    if (Contains(kQueries, word) || HasPrefixOf(kQueryPrefixes, word)) {
      line_.queries = true;
    } else if (word == "-c" || word == "-S") {
      stops_before_link_ = true;
    } else if (StartsWith(word, "-o")) {
      line_.output = word.substr(2);
    } else if (StartsWith(word, "-x")) {
      forced_ = word.substr(2);
    } else if (StartsWith(word, "-isystem")) {
      line_.system_dirs.push_back(word.substr(8));
    } else if (StartsWith(word, "-l")) {
      line_.links_libc = line_.links_libc || word == "-lc";
      line_.inputs.push_back(word);
    } else if (IsDebugLevel(word)) {
      line_.debug = true;
    } else if (word == "-finstrument-functions" || word == "-finstrument-functions-after-inlining") {
      line_.hooks = true;
    } else {
      LinkOption(word);
      ProbeOption(word);
    }
  }

  void LinkOption(const std::string& word) {
    if (word == "-shared" || word == "--shared") line_.shared = true;
    if (word == "-static" || word == "--static" || word == "-static-pie" || word == "-Wl,-static")
      line_.is_static = true;
    if (word == "-nostdlib" || word == "-nodefaultlibs") line_.no_libraries = true;
    if (word == "-ffreestanding") line_.freestanding = true;
    if (StartsWith(word, "-flto")) line_.lto = true;
    if (word == "-fno-lto") line_.lto = false;
    if (word == "-r" || word == "-Wl,-r" || word == "-Wl,-i" || word == "-Wl,--relocatable") line_.relocatable = true;
  }

  void ProbeOption(const std::string& word) {
    for (std::string_view prefix : {"-m", "--sysroot=", "-isysroot", "-stdlib=", "-B", "--target=", "-nostdinc",
                                    "-specs=", "--gcc-toolchain=", "-std=", "-cxx-isystem"}) {
      if (StartsWith(word, prefix)) {
        line_.probe_options.push_back(word);
        return;
      }
    }
  }

  void Input(const std::string& word) {
    line_.inputs.push_back(word);
    const bool forced = !forced_.empty() && forced_ != "none";
    const Language language = forced ? LanguageOfOption(forced_) : LanguageOfFile(word);
    if (forced && StartsWith(forced_, "cuda")) return;
    line_.assembles = line_.assembles || language == Language::kAssembler;
    if (!CarriesHooks(language)) return;
    const bool header = forced ? EndsWith(forced_, "-header")
                               : word.find(".h", word.rfind('.')) != std::string::npos || EndsWith(word, ".H");
    makes_header_ = makes_header_ || header;
    line_.sources.push_back(word);
    line_.compiles = true;
    if (line_.language != Language::kNone) return;
    // g++ takes .c and .h for C++.
    const bool as_cxx = !forced && language == Language::kC && line_.name.language == Language::kCxx;
    line_.language = as_cxx ? Language::kCxx : language;
  }

  void Finish() {
    if (line_.inputs.empty()) line_.queries = true;
    line_.links = !line_.queries && !stops_before_link_ && !makes_header_;
    line_.compiles = line_.compiles && !line_.queries;
  }

  CommandLine& line_;
  std::string forced_;  // the -x in effect
  bool stops_before_link_ = false;
  bool makes_header_ = false;
};

}  // namespace

CommandLine ParseCommandLine(const Words& words, const ReadFile& read_file) {
  CommandLine line;
  size_t at = 0;
  while (at < words.size() && IsCompilerLauncher(words[at])) ++at;
  // `ccache --version`, `distcc -j` ask the launcher itself.
  if (at >= words.size() || words[at].empty() || words[at][0] == '-') return line;
  line.has_compiler = true;
  line.compiler = at;
  line.name = RecognizeCompiler(words[at]);
  const Words arguments(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  Parser(line).Parse(ExpandResponseFiles(arguments, read_file));
  line.linker = ReadLinkerWords(words, at, read_file);
  return line;
}

bool IsConfigureProbe(const CommandLine& line) {
  Words paths = line.inputs;
  paths.push_back(line.output);
  for (const std::string& path : paths) {
    const std::string_view name = BaseName(path);
    // autoconf, SCons · CMake's compiler identification · its try_compile · Meson · waf
    if (StartsWith(name, "conftest") || StartsWith(name, "conftst")) return true;
    if (StartsWith(name, "CMake") && name.find("CompilerId.") != std::string_view::npos) return true;
    if (StartsWith(name, "cmTC_")) return true;
    for (std::string_view part :
         {"/cmTC_", "CMakeFiles/CMakeTmp/", "CMakeFiles/CMakeScratch/", "meson-private/", ".conf_check_"}) {
      if (path.find(part) != std::string::npos) return true;
    }
  }
  // cc -Werror -fsome-flag -c -x c /dev/null
  return !line.sources.empty() &&
         std::all_of(line.sources.begin(), line.sources.end(), [](const std::string& s) { return s == "/dev/null"; });
}

}  // namespace epik::instrument
