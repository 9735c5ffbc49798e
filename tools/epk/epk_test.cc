// SPDX-License-Identifier: BSD-3-Clause
// The real binary, as people start it: checks stdout, stderr and the status.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Result {
  int status;
  std::string out, err;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kEpk = fs::absolute("tools/epk/epk");

Result Shell(const std::string& command) {
  const fs::path folder = testing::TempDir();
  const std::string out = folder / "out", err = folder / "err";
  const int status = std::system(("{ " + command + "; } >" + out + " 2>" + err).c_str());
  return {WEXITSTATUS(status), ReadFile(out), ReadFile(err)};
}

Result Epk(const std::string& words, const std::string& environment = "") {
  return Shell("env LC_ALL=C " + environment + " " + kEpk + " " + words);
}

// On a terminal of 80 columns.
std::string OnTerminal(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
  winsize window{24, 80, 0, 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &window);
  if (pid == 0) {
    std::vector<char*> argv = {const_cast<char*>(kEpk.c_str())};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> envp = {const_cast<char*>("PATH=/usr/bin:/bin")};
    for (const std::string& each : environment) envp.push_back(const_cast<char*>(each.c_str()));
    envp.push_back(nullptr);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(terminal);
  waitpid(pid, nullptr, 0);
  return text;
}

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Epk, AloneShowsTheWay) {
  const Result result = Epk("");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("epk - "));
  EXPECT_NE(result.out.find("doctor"), std::string::npos);
  EXPECT_LE(LongestLine(result.out), 80u);
}

TEST(Epk, Version) {
  const Result result = Epk("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.find("epk "), 0u);
  EXPECT_NE(result.out.find('.'), std::string::npos);
}

TEST(Epk, WrongWords) {
  const Result command = Epk("docter");
  EXPECT_EQ(command.status, 2);
  EXPECT_EQ(command.out, "");
  EXPECT_EQ(command.err, "epk: unknown command 'docter'; did you mean 'doctor'?\n");
  const Result option = Epk("doctor --jsno");
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.out, "");
  EXPECT_EQ(option.err, "epk doctor: unknown option '--jsno'; did you mean '--json'?\n");
}

TEST(Epk, AReportIgnoresNoWord) {
  const Result format = Epk("report archive --waits --format folded");
  EXPECT_EQ(format.status, 2);
  EXPECT_EQ(format.err, "epk report: --waits can be shown as text, json, csv or markdown only\n");
  const Result order = Epk("report archive --flat --sort bytes");
  EXPECT_EQ(order.status, 2);
  EXPECT_EQ(order.err, "epk report: --sort bytes goes with --mpi only\n");
  // There is no archive `a`. Scripts may have these words, so they do no harm where there is one.
  for (const auto& [words, why] : std::map<std::string, std::string>{
           {"report a --sort visits", "report: --sort has no effect: it goes with --flat, --callers-of and --mpi"},
           {"report a --flat --depth 1", "report: --depth has no effect: it goes with --tree"},
           {"report a --mpi --min 50", "report: --min has no effect: it goes with --tree"},
           {"report a --format csv --metric visits",
            "report: --metric has no effect: it goes with --format folded and --format speedscope"},
           {"report a --format json --top 3", "report: --top has no effect: --format json has the whole profile"},
           {"report a --format csv --path x", "report: --path has no effect: --format csv has the whole profile"},
           {"convert a --to folded --max-size 1",
            "convert: --min-duration and --max-size have no effect: --to folded is made of a profile"},
           {"convert a --to otf2 -o x --metric y", "convert: --metric has no effect: --to otf2 has all metrics"}}) {
    const Result told = Epk(words);
    EXPECT_EQ(told.status, 1) << words;
    EXPECT_EQ(told.err.substr(0, told.err.find('\n')), "epk " + why) << words;
  }
  EXPECT_EQ(Epk("report a --format folded --metric ''").err, "epk report: --metric: the name of a metric is empty\n");
  EXPECT_EQ(Epk("help report extra").err, "epk: unexpected argument 'extra'\n");
  EXPECT_EQ(Epk("--version x").err, "epk: unexpected argument 'x'\n");
}

TEST(Epk, WhatIsNotNamedIsAskedFor) {
  EXPECT_EQ(Epk("diff").err, "epk diff: no archives named; 'epk help diff' has examples\n");
  EXPECT_EQ(Epk("monitor").err, "epk monitor: no job named; 'epk help monitor' has examples\n");
  EXPECT_EQ(Epk("convert").err, "epk convert: --to is missing; 'epk help convert' has examples\n");
}

TEST(Epk, MessagesNameTheMistake) {
  EXPECT_EQ(Epk("report --format csv --format json").err, "epk report: --format is given twice\n");
  EXPECT_EQ(Epk("report --top 1 --top 2 --top 3").err, "epk report: --top is given 3 times\n");
  EXPECT_EQ(Epk("run -t").err, "epk run: --trace needs a value\n");
  for (const char* command : {"report", "info", "score", "check", "convert --to folded", "max -o x", "diff"}) {
    const Result result = Epk(std::string(command) + " ''");
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_NE(result.err.find("the name of an archive is empty"), std::string::npos) << result.err;
  }
}

TEST(Epk, MessagesDoNotControlTheTerminal) {
  for (const char* words : {"run $'\\e[31mx'", "instrument -- $'\\e[31mx'", "--max-anchor $'\\e[31mx' info"}) {
    const Result result = Shell("bash -c \"exec " + kEpk + " " + words + "\"");
    EXPECT_NE(result.status, 0) << words;
    EXPECT_NE(result.err.find("?[31mx"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\033'), std::string::npos) << result.err;
  }
}

TEST(Epk, ACompleteArchiveOfAnotherUserNeedsNoRights) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a folder away";
  const std::string as_nobody = "setpriv --reuid 65534 --clear-groups " + kEpk;
  if (Shell(as_nobody + " --version").status != 0) GTEST_SKIP() << "another user cannot call epk here";
  // Other users see nothing of a test's own folder.
  std::string made = "/tmp/epik_theirs.XXXXXX";
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  ASSERT_EQ(chmod(made.c_str(), 0755), 0);
  const fs::path folder = made;
  std::ofstream(folder / "manifest.json") << "{\"manifest_version\": 1}";
  std::ofstream(folder / "summary.cubex");
  ASSERT_EQ(chown(folder.c_str(), 4711, 4711), 0);
  // Without the right to take on another user, as for users who are not root.
  const Result result = Shell(as_nobody + " recover " + folder.string());
  fs::remove_all(folder);
  EXPECT_EQ(result.err, "epk recover: " + folder.string() + " is complete\n");
  EXPECT_EQ(result.status, 0);
}

TEST(Epk, CalibrateTriesToWriteFirst) {
  const Result result = Epk("calibrate -o /dev/null/prices");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "epk calibrate: /dev/null/prices: cannot be created: Not a directory\n");
}

TEST(Epk, ManualsOfAllVerbs) {
  for (const auto& entry : fs::directory_iterator("tools/epk")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".1" || name == "epk") continue;
    const std::string verb = name.substr(4);
    const Result help = Epk("help " + verb, "COLUMNS=80");
    EXPECT_EQ(help.status, 0) << verb;
    EXPECT_TRUE(help.out.starts_with("epk " + verb + " - ")) << verb;
    EXPECT_EQ(help.out, Epk(verb + " --help", "COLUMNS=80").out) << verb;
    EXPECT_LE(LongestLine(help.out), 80u) << verb << ":\n" << help.out;
    for (const char* section : {"SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"}) {
      EXPECT_NE(help.out.find(std::string("\n") + section + "\n"), std::string::npos) << verb << " " << section;
    }
    EXPECT_NE(ReadFile("tools/epk/epk.1").find("fB" + verb + "\\fR"), std::string::npos)
        << verb << " is not in commands.def";
  }
}

TEST(Epk, ManPagesAreCleanRoff) {
  if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "no groff (apt-get install groff-base)";
  for (const auto& entry : fs::directory_iterator("tools/epk")) {
    if (entry.path().extension() != ".1") continue;
    const Result result = Shell("groff -man -Tutf8 -ww -z " + entry.path().string());
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "") << entry.path();
  }
}

TEST(Epk, Completion) {
  EXPECT_EQ(Shell("bash -n tools/epk/epk.bash").err, "");
  const Result offered = Shell(
      "bash --norc -c 'source tools/epk/epk.bash; COMP_WORDS=(epk doctor --j); COMP_CWORD=2; "
      "_epk; echo ${COMPREPLY[*]}; complete -p epk'");
  EXPECT_EQ(offered.err, "");
  EXPECT_EQ(offered.out.substr(0, offered.out.find('\n')), "--json");
  EXPECT_NE(offered.out.find("-F _epk epk"), std::string::npos);
}

// The words that bash offers for the last of these words.
std::string Offered(const std::string& words, int at) {
  return Shell("PATH=$PWD/tools/epk:$PATH bash --norc -c 'source tools/epk/epk.bash; COMP_WORDS=(" + words +
               "); COMP_CWORD=" + std::to_string(at) + "; _epk; echo ${COMPREPLY[*]}'")
      .out;
}

TEST(Epk, CompletionOfValues) {
  EXPECT_EQ(Offered("epk report --sort ex", 3), "excl\n");
  EXPECT_EQ(Offered("epk run -t co", 3), "comm\n");
  EXPECT_EQ(Offered("epk run -t sl", 3), "slow:\n");
  EXPECT_EQ(Offered("epk run -e EPK_TIM", 3), "EPK_TIMER=\n");
  EXPECT_EQ(Offered("epk run -e EPK_TIMER = ts", 5), "tsc\n");
  EXPECT_EQ(Offered("epk run -e EPK_SUMMARY = ye", 5), "yes\n");
  EXPECT_NE(Offered("epk run -m rusage::ru_min", 3).find("rusage::ru_minflt"), std::string::npos);
  EXPECT_EQ(Epk("config --values EPK_TITLE").out, "") << "any text is no list of words";
}

// A prefix with all files that `epk doctor` requires.
fs::path FakeInstallation() {
  const fs::path root = fs::path(testing::TempDir()) / "prefix";
  fs::create_directories(root / "lib");
  std::ofstream(root / "lib" / "libepk.so") << "x";
  return root;
}

TEST(Doctor, JsonParsesAndStatusFollowsTheVerdict) {
  const std::string folder = "EPK_GDIR=" + testing::TempDir();
  const Result good = Epk("doctor --json", folder + " EPK_INTERNAL_ROOT=" + FakeInstallation().string());
  const nlohmann::json found = nlohmann::json::parse(good.out);
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_NE(found.at("verdict"), "bad");
  EXPECT_GT(found.at("checks").size(), 20u);
  for (const auto& check : found["checks"]) {
    for (const char* key : {"id", "group", "name", "verdict", "value", "remedy"}) EXPECT_TRUE(check.contains(key));
  }
  const Result bad = Epk("doctor --json", folder + " EPK_INTERNAL_ROOT=/nowhere");
  EXPECT_EQ(bad.status, 1);
  EXPECT_EQ(nlohmann::json::parse(bad.out).at("verdict"), "bad");
  EXPECT_EQ(bad.err, "");
}

TEST(Doctor, TextSaysWhatToDo) {
  const Result result = Epk("doctor", "EPK_GDIR=not-there");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("mkdir -p not-there\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("EPIK cannot measure here"), std::string::npos);
  EXPECT_LE(LongestLine(Epk("doctor", "COLUMNS=80 EPK_GDIR=/").out), 80u);
}

TEST(Doctor, ColourOnlyWhereItIsWanted) {
  EXPECT_EQ(Epk("doctor", "TERM=xterm").out.find('\033'), std::string::npos);
  EXPECT_NE(OnTerminal({"doctor"}, {"TERM=xterm"}).find("\033[32mok"), std::string::npos);
  EXPECT_EQ(OnTerminal({"doctor"}, {"TERM=xterm", "NO_COLOR=1"}).find('\033'), std::string::npos);
  EXPECT_EQ(OnTerminal({"doctor"}, {"TERM=dumb"}).find('\033'), std::string::npos);
}

TEST(Epk, AFullDiskIsNotSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Result result = Shell(kEpk + " --version >/dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "epk: cannot write the output\n");
  const Result config = Shell(kEpk + " config >/dev/full");
  EXPECT_EQ(config.status, 1);
  EXPECT_EQ(config.err, "epk config: cannot write the output\n");
}

}  // namespace
