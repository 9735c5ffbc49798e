// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/dispatch.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "tools/epk/completion.h"

namespace epik::epk {
namespace {

using Words = std::vector<std::string>;

// The last call that the verbs below saw.
struct Seen {
  std::string trace, format;
  Words filters, program;
  int top = 0, port = 0;
  double least = 0;
  bool keep = false;
} seen;

void AddRun(cli::App& app, std::function<int()>& run) {
  seen = Seen();
  app.AddOption("-t,--trace", seen.trace, "what to log");
  app.AddOption("--filter", seen.filters, "files");
  app.AddFlag("--keep", seen.keep, "keep it");
  TakeProgram(app, &seen.program);
  run = [] { return 42; };
}

void AddReport(cli::App& app, std::function<int()>& run) {
  static std::string archive;
  seen = Seen();
  app.AddOption("archive", archive, "what to read").Required();
  app.AddOption("--top", seen.top, "N largest").Check(WhyNoCount);
  app.AddOption("--min", seen.least, "percent").Check(NumberFrom(0, 100));
  app.AddOption("--port", seen.port, "where").Check(WholeNumberFrom(1, 65535));
  app.AddOption("--format", seen.format, "how").OneOf({"text", "json"});
  run = []() -> int {
    if (archive == "broken") throw Fault("broken: no manifest");
    if (archive == "odd") throw std::runtime_error("odd\nindeed");
    if (archive == "huge") throw std::bad_alloc();
    if (archive == "usage") throw UsageError("not like this");
    return kDone;
  };
}

constexpr Command kCommands[] = {{"run", "Measure", "run a program", AddRun}, {"report", "Read", "read it", AddReport}};

struct Result {
  int status;
  std::string out, err;
};

Result Epk(const Words& words) {
  std::ostringstream out, err;
  const int status = Dispatch(kCommands, words, {view::Terminal(), out, err});
  return {status, out.str(), err.str()};
}

void ExpectRefused(const Words& words, const std::string& line, int status = kUsage) {
  const Result result = Epk(words);
  EXPECT_EQ(result.status, status);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, line + "\n");
}

TEST(Dispatch, ProgramKeepsItsOwnOptions) {
  EXPECT_EQ(Epk({"run", "-t", "comm", "./a", "-t", "x"}).status, 42);
  EXPECT_EQ(seen.trace, "comm");
  EXPECT_EQ(seen.program, (Words{"./a", "-t", "x"}));
}

TEST(Dispatch, ProgramMayBeCalledAnythingAndTakeAnything) {
  Epk({"run", "report", "--help", "--", "--keep", "", "a b"});
  EXPECT_EQ(seen.program, (Words{"report", "--help", "--", "--keep", "", "a b"}));
  Epk({"run", "run", "run"});
  EXPECT_EQ(seen.program, (Words{"run", "run"}));
  Epk({"run", "--trace=all", "--keep", "mpirun", "-n", "4", "--trace=x", "./a", "--unknown"});
  EXPECT_EQ(seen.trace, "all");
  EXPECT_EQ(seen.program, (Words{"mpirun", "-n", "4", "--trace=x", "./a", "--unknown"}));
}

TEST(Dispatch, DashesMayMarkTheProgram) {
  Epk({"run", "-t", "comm", "--", "-odd", "-t", "x"});
  EXPECT_EQ(seen.trace, "comm");
  EXPECT_EQ(seen.program, (Words{"-odd", "-t", "x"}));
  Epk({"run", "--", "./a", "--", "b"});
  EXPECT_EQ(seen.program, (Words{"./a", "--", "b"}));
}

TEST(Dispatch, ListOptionsDoNotSwallowTheProgram) {
  Epk({"run", "--filter", "one", "--filter", "two", "./a", "b"});
  EXPECT_EQ(seen.filters, (Words{"one", "two"}));
  EXPECT_EQ(seen.program, (Words{"./a", "b"}));
}

TEST(Dispatch, ProgramVerbsRefuseWhatIsNotTheirs) {
  ExpectRefused({"run"}, "epk run: name the program to start");
  ExpectRefused({"run", "--"}, "epk run: name the program to start");
  ExpectRefused({"run", "--trac", "comm", "./a"}, "epk run: unknown option '--trac'; did you mean '--trace'?");
  ExpectRefused({"run", "--xyzzy", "--", "./a"}, "epk run: unknown option '--xyzzy'; 'epk help run' lists the options");
}

TEST(Dispatch, NamesWhatIsWrongInOneLine) {
  ExpectRefused({"reprot"}, "epk: unknown command 'reprot'; did you mean 'report'?");
  ExpectRefused({"xyzzy"}, "epk: unknown command 'xyzzy'; 'epk help' lists the commands");
  ExpectRefused({"--versoin"}, "epk: unknown option '--versoin'; did you mean '--version'?");
  ExpectRefused({"help", "rnu"}, "epk: no manual for 'rnu'; did you mean 'run'?");
  ExpectRefused({"report", "a", "--tpo", "3"}, "epk report: unknown option '--tpo'; did you mean '--top'?");
  ExpectRefused({"report", "a", "--tpo=3"}, "epk report: unknown option '--tpo'; did you mean '--top'?");
  ExpectRefused({"report", "a", "b"}, "epk report: unexpected argument 'b'");
  ExpectRefused({"report"}, "epk report: no archive named; 'epk help report' has examples");
  ExpectRefused({"report", "usage"}, "epk report: not like this");
  ExpectRefused({"report", "a", "--top", "many"}, "epk report: --top: 'many' is not a whole number from 0 on");
  ExpectRefused({"report", "a", "--top", "-3"}, "epk report: --top: '-3' is not a whole number from 0 on");
  ExpectRefused({"report", "a", "--top", "9999999999999999999999"},
                "epk report: --top: '9999999999999999999999' is too large");
  for (const char* wrong : {"x", "-1", "100.5", "5%", "nan", ""}) {
    ExpectRefused({"report", "a", "--min", wrong},
                  "epk report: --min: '" + std::string(wrong) + "' is not a number from 0 to 100");
  }
  for (const char* wrong : {"0", "65536", "1.5", "-1", "+1", "99999999999999999999"}) {
    ExpectRefused({"report", "a", "--port", wrong},
                  "epk report: --port: '" + std::string(wrong) + "' is not a whole number from 1 to 65535");
  }
  EXPECT_EQ(Epk({"report", "a", "--min", "0.5", "--port", "65535"}).status, kDone);
  EXPECT_EQ(seen.least, 0.5);
  EXPECT_EQ(Epk({"report", "a", "--format", "xml"}).status, kUsage);
  EXPECT_EQ(Epk({"report", "a", "--top"}).status, kUsage);
}

TEST(Dispatch, FaultsOfTheInput) {
  ExpectRefused({"report", "broken"}, "epk report: broken: no manifest", kFault);
  ExpectRefused({"report", "odd"}, "epk report: odd indeed", kFault);
  ExpectRefused({"report", "huge"},
                "epk report: memory ended: the machine has too little for this, or `ulimit -v` allows too little",
                kFault);
}

TEST(Dispatch, ManualsAnswerOnStdout) {
  const Result help = Epk({"help", "report"});
  EXPECT_EQ(help.status, kDone);
  EXPECT_EQ(help.err, "");
  EXPECT_TRUE(help.out.starts_with("epk report - read it\n"));
  EXPECT_EQ(Epk({"report", "--help"}).out, help.out);
  EXPECT_EQ(Epk({"report", "--top", "3", "-h"}).out, help.out);
  EXPECT_EQ(Epk({"--help", "report"}).out, help.out);
  EXPECT_EQ(Epk({"help"}).out, Epk({}).out);
  EXPECT_EQ(Epk({"help", "help"}).out, Epk({}).out);
  EXPECT_NE(Epk({"run", "--help"}).out.find("epk run [OPTION]... PROGRAM [ARGUMENT]..."), std::string::npos);
}

TEST(Dispatch, Version) {
  for (const char* word : {"--version", "-V", "version"}) {
    const Result result = Epk({word});
    EXPECT_EQ(result.status, kDone);
    EXPECT_EQ(result.out.substr(0, 4), "epk ");
    EXPECT_EQ(result.err, "");
  }
}

TEST(Dispatch, InternalIsNotShown) {
  EXPECT_EQ(Epk({}).out.find("internal"), std::string::npos);
  EXPECT_TRUE(Epk({"internal", "man", "run"}).out.starts_with(".TH EPK\\-RUN"));
  EXPECT_EQ(Epk({"internal", "completion", "bash"}).out, BashCompletion(kCommands));
  EXPECT_EQ(Epk({"internal"}).status, kUsage);
  EXPECT_EQ(Epk({"internal", "man", "nothing"}).status, kUsage);
}

// Runs the script in a real bash, and returns the words that Tab would offer after these words.
std::string Complete(const std::string& words) {
  const std::string path = testing::TempDir() + "/epk.bash";
  FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(BashCompletion(kCommands).c_str(), file);
  std::fclose(file);
  const std::string script = "source " + path + "; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _epk; echo \"${COMPREPLY[*]}\"";
  FILE* pipe = popen(("bash --norc -c '" + script + "' 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text.substr(0, text.find('\n'));
}

TEST(Completion, OffersVerbsAndTheirOptions) {
  EXPECT_EQ(Complete("epk r"), "run report");
  EXPECT_EQ(Complete("epk help rep"), "report");
  EXPECT_EQ(Complete("epk report --"), "--top --min --port --format --help");
  EXPECT_EQ(Complete("epk report a --to"), "--top");
  EXPECT_EQ(Complete("epk unknown --"), "");
}

TEST(Completion, OffersValues) {
  EXPECT_EQ(Complete("epk report --format \"\""), "text json");
  EXPECT_EQ(Complete("epk report --format j"), "json");
  EXPECT_EQ(Complete("epk report --format = j"), "json");
  EXPECT_EQ(Complete("epk report --format ="), "text json");
  EXPECT_EQ(Complete("epk report --top \"\""), "");  // bash offers files
}

TEST(Completion, LeavesTheProgramAlone) {
  EXPECT_EQ(Complete("epk run --ke"), "--keep");
  EXPECT_EQ(Complete("epk run -t comm --ke"), "--keep");
  EXPECT_EQ(Complete("epk run --trace = comm --ke"), "--keep");
  EXPECT_EQ(Complete("epk run ./a --ke"), "");
  EXPECT_EQ(Complete("epk run -t comm ./a -t x --ke"), "");
  EXPECT_NE(Complete("epk run bas").find("bash"), std::string::npos);
}

}  // namespace
}  // namespace epik::epk
