// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "archive/files/atomic_file.h"
#include "archive/files/special_file.h"
#include "tools/epk/command.h"

namespace epik::epk {
namespace {

constexpr char kIncomplete[] = ": could not write everything";

// Goes on after a failure, and reports it at the end.
void WriteTo(FILE* file, const std::string& name, const Writing& write) {
  std::string error;
  bool complete = true;
  const report::Sink sink = [&](std::string_view text) {
    complete = complete && fwrite(text.data(), 1, text.size(), file) == text.size();
  };
  if (!write(sink, &error)) throw Fault(error);
  if (!complete || fflush(file) != 0) throw Fault(name + kIncomplete);
}

// 0: no terminal, or one that does not say.
size_t LinesOfTerminal() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_row;
}

}  // namespace

void WriteOutput(const std::string& path, const Writing& write) {
  if (path.empty()) return WriteTo(stdout, "standard output", write);
  if (archive::IsSpecialFile(path)) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "w"), fclose);
    if (file == nullptr) throw Fault(path + ": cannot be written");
    return WriteTo(file.get(), path, write);
  }
  archive::AtomicFile file;
  std::string error, trouble;
  if (!file.Open(path, &error)) throw Fault(error);
  bool complete = true;
  const report::Sink sink = [&](std::string_view text) {
    complete = complete && file.Write(text.data(), text.size(), &trouble);
  };
  if (!write(sink, &error)) throw Fault(error);
  if (!complete || !file.Commit(/*sync=*/false, &trouble)) throw Fault(trouble);
}

std::string PagerCommand(const std::string& less_flags) {
  setenv("LESSCHARSET", "utf-8", /*overwrite=*/0);
  const char* pager = std::getenv("PAGER");
  if (pager == nullptr || *pager == '\0') return "less " + less_flags + " 2>/dev/null || cat";
  setenv("LESS", less_flags.c_str(), /*overwrite=*/0);
  return std::string(pager) + " || cat";
}

void ShowText(std::string_view text) {
  const size_t height = LinesOfTerminal();
  const auto put = [&](const report::Sink& sink, std::string*) { return sink(text), true; };
  if (height == 0 || static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) < height) {
    return WriteOutput("", put);
  }
  fflush(stdout);
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // the reader may leave early
  FILE* pager = popen(PagerCommand("-FRX").c_str(), "w");
  FILE* out = pager != nullptr ? pager : stdout;
  fwrite(text.data(), 1, text.size(), out);
  if (pager != nullptr) pclose(pager);
  std::signal(SIGPIPE, before);
}

}  // namespace epik::epk
