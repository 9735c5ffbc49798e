// SPDX-License-Identifier: BSD-3-Clause
// The one command in front of EPIK.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "archive/cubex/reader.h"
#include "config/number.h"
#include "tools/epk/command.h"
#include "tools/epk/dispatch.h"
#include "tools/epk/message.h"
#include "tools/instrument/compiler.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

constexpr Command kCommands[] = {
#define COMMAND(Name, name, group, summary) {name, group, summary, Add##Name},
#include "tools/epk/commands.def"
#undef COMMAND
};

// `epk --max-anchor 4G COMMAND ...`. False, and a line on stderr: it has no size.
bool TakeLimit(std::vector<std::string>* words) {
  constexpr std::string_view kOption = "--max-anchor";
  if (words->empty() || words->front().substr(0, words->front().find('=')) != kOption) return true;
  const bool is_one_word = words->front().size() > kOption.size();
  std::string size = is_one_word ? words->front().substr(kOption.size() + 1) : "";
  words->erase(words->begin());
  if (!is_one_word && !words->empty()) {
    size = words->front();
    words->erase(words->begin());
  }
  uint64_t bytes = 0;
  if (!config::ParseSize(size, &bytes) || bytes == 0) {
    std::cerr << Message("epk:", "--max-anchor " + size + ": expected bytes, as in 64M or 4GB");
    return false;
  }
  archive::SetLargestAnchor(bytes);
  return true;
}

// If standard output is closed, the next file that the command opens gets its number, and the output. So this opens
// something there. Programs that the command starts find it closed as before.
void OpenStandardFiles() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    open(fd == STDOUT_FILENO ? "/dev/full" : "/dev/null", O_RDWR | O_CLOEXEC);  // takes the lowest number that is free
  }
}

int Main(std::vector<std::string> words) {
  OpenStandardFiles();
  if (!TakeLimit(&words)) return kUsage;
  const int status = Dispatch(kCommands, words, {view::DetectTerminal(STDOUT_FILENO), std::cout, std::cerr});
  // A full disk must not look like success: the output may be a report that is kept.
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  if (status == kDone) std::cerr << "epk: cannot write the output\n";
  return status == kDone ? kFault : status;
}

}  // namespace
}  // namespace epik::epk

int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  // Called as epk-gcc: a compiler of one word, for builds that quote $CC or look for it in PATH.
  const std::string compiler = words.empty() ? "" : epik::instrument::CompilerOfLink(words[0]);
  if (!compiler.empty()) {
    words[0] = compiler;
    words.insert(words.begin(), {"instrument", "--"});
  } else if (!words.empty()) {
    words.erase(words.begin());
  }
  return epik::epk::Main(words);
}
