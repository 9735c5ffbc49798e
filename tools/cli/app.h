// SPDX-License-Identifier: BSD-3-Clause
// The words behind a command: options, values, and the words of a program to start.
//
//   cli::App app("lists archives", "epk list");
//   app.AddOption("-n,--top", top, "show the N largest").TypeName("N").Check(WhyNoCount);
//   app.AddFlag("--all", all, "show unfinished ones, too");
//   app.AddOption("archive", archive, "what to read").Required();  // no dash: a positional argument
//   const cli::Parsed parsed = app.Parse(words);
//
// Parse writes into the variables, which outlive the App. CLI11 does the work. app.cc alone includes it, because a
// compiler needs seconds for it.
#ifndef EPIK_TOOLS_CLI_APP_H_
#define EPIK_TOOLS_CLI_APP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace epik::cli {

// Says why a value is refused; an empty answer takes it.
using WhyNot = std::function<std::string(const std::string& value)>;

// An option of an App, which owns it.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  Option TypeName(const std::string& name) const;  // stands for the value in manuals
  Option Required() const;
  Option Hidden() const;         // from manuals and completion
  Option OneValueEach() const;   // for lists: the next word is no second value
  Option SplitAt(char c) const;  // for lists: one word may have several values
  Option Needs(Option other) const;
  Option Excludes(Option other) const;

  // The checks of a value come in the order in which they were added.
  Option Check(const WhyNot& why_not) const;
  Option OneOf(const std::vector<std::string>& words) const;
  // Upper and lower case are the same; `shown` describes the words.
  Option OneOfAnyCase(const std::vector<std::string>& words, const std::string& shown) const;
  Option Positive() const;

 private:
  CLI::Option* option_ = nullptr;
};

// An option for manuals and completion.
struct OptionInfo {
  std::vector<std::string> names;    // "-o", "--output"; none for a positional argument
  std::string value;                 // "FILE", "text|json"; empty for a flag; the name of a positional argument
  std::vector<std::string> choices;  // when only these are accepted
  std::string text;
  bool positional = false;
  bool required = false;
  bool many = false;

  // "-o, --output FILE", lined up whether there is a short name or not.
  std::string Term() const;
};

struct Parsed {
  enum Outcome {
    kGood,
    kHelp,     // the user asks for help
    kMissing,  // a required option is missing
    kUnknown,  // words are left that belong nowhere: App::rest()
    kWrong
  } outcome;
  std::string error;  // in the words of CLI11
};

class App {
 public:
  explicit App(const std::string& description = "", const std::string& name = "");
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // `names`: "-o,--output" or "archive".
  Option AddOption(const std::string& names, std::string& value, const std::string& text = "");
  Option AddOption(const std::string& names, std::vector<std::string>& values, const std::string& text = "");
  Option AddOption(const std::string& names, int& value, const std::string& text = "");
  Option AddOption(const std::string& names, unsigned& value, const std::string& text = "");
  Option AddOption(const std::string& names, uint64_t& value, const std::string& text = "");
  Option AddOption(const std::string& names, double& value, const std::string& text = "");
  Option AddOption(const std::string& names, const std::function<void(const std::string&)>& take,
                   const std::string& text);
  // "!--no-colour" makes the value false.
  Option AddFlag(const std::string& names, bool& value, const std::string& text = "");
  Option AddFlag(const std::string& names, const std::function<void()>& take, const std::string& text);

  // The first word that is no option, and all words after it, stay in rest(): they belong to a program. An option that
  // takes a list takes one value each time, because it would swallow them.
  void TakeProgram();
  bool takes_program() const { return takes_program_; }
  // Checks positional arguments as soon as they come, in the order of the words.
  void CheckInOrder();
  // Parse calls it when it has read all words and they are good.
  void WhenParsed(const std::function<void()>& callback);
  // The text of the manual behind the options.
  void Footer(const std::string& text);

  // An exception of the functions above passes through.
  Parsed Parse(std::vector<std::string> words);

  std::string name() const;
  std::string footer() const;
  std::vector<std::string> rest() const;
  // Positional arguments first, then options in the order in which they were added, --help last, without hidden ones.
  std::vector<OptionInfo> Options() const;

 private:
  CLI::App* app_;
  bool takes_program_ = false;
};

}  // namespace epik::cli

#endif  // EPIK_TOOLS_CLI_APP_H_
