// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/dispatch.h"

#include <algorithm>
#include <exception>
#include <functional>

#include "tools/epk/completion.h"
#include "tools/epk/manual.h"
#include "tools/epk/message.h"
#include "tools/epk/nearest.h"
#include "tools/epk/options.h"
#include "tools/epk/roff.h"
#include "tools/epk/version.h"

namespace epik::epk {
namespace {

using Words = std::vector<std::string>;

std::string DidYouMean(const std::string& word, const Words& known, const std::string& otherwise) {
  const std::string nearest = Nearest(word, known);
  return nearest.empty() ? "; " + otherwise : "; did you mean '" + nearest + "'?";
}

const Command* FindCommand(std::span<const Command> commands, const std::string& name) {
  const auto it =
      std::find_if(commands.begin(), commands.end(), [&](const Command& each) { return name == each.name; });
  return it == commands.end() ? nullptr : &*it;
}

Words Names(std::span<const Command> commands) {
  Words names = {"help", "version"};
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

const Command& NeedCommand(std::span<const Command> commands, const std::string& name, const std::string& prefix) {
  if (const Command* command = FindCommand(commands, name)) return *command;
  throw UsageError(prefix + " '" + name + "'" + DidYouMean(name, Names(commands), "'epk help' lists the commands"));
}

void RefuseWordsAfter(const Words& words, size_t taken) {
  if (words.size() > taken) throw UsageError("unexpected argument '" + words[taken] + "'");
}

int Help(std::span<const Command> commands, const Words& topics, const Screen& screen) {
  RefuseWordsAfter(topics, 1);
  if (topics.empty() || topics[0] == "help" || topics[0] == "epk") {
    screen.out << Overview(commands, screen.terminal);
    return kDone;
  }
  const Verb verb(NeedCommand(commands, topics[0], "no manual for"));
  screen.out << RenderText(ManualPage(verb.command, verb.app), screen.terminal);
  return kDone;
}

// For the build: man pages and the completion come from the same definitions as everything else.
int Internal(std::span<const Command> commands, const Words& words, const Screen& screen) {
  if (!words.empty() && words[0] == "man") {
    if (words.size() == 1) {
      screen.out << RenderRoff(OverviewPage(commands));
    } else {
      const Verb verb(NeedCommand(commands, words[1], "no manual for"));
      screen.out << RenderRoff(ManualPage(verb.command, verb.app));
    }
    return kDone;
  }
  if (words == Words{"completion", "bash"}) {
    screen.out << BashCompletion(commands);
    return kDone;
  }
  throw UsageError("internal: man [COMMAND] or completion bash");
}

// Refuses words that belong nowhere; names the first of them.
[[noreturn]] void RefuseExtra(const Verb& verb, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') throw UsageError("unexpected argument '" + word + "'");
  const std::string option = word.substr(0, word.find('='));
  const std::string otherwise = "'epk help " + std::string(verb.command.name) + "' lists the options";
  throw UsageError("unknown option '" + option + "'" + DidYouMean(option, OptionNames(verb.app), otherwise));
}

// CLI11 says "archives is required".
std::string Missing(const Command& command, std::string what) {
  const size_t end = what.find(" is required");
  if (end == std::string::npos) return what;
  what.resize(end);
  return (what.starts_with("-") ? what + " is missing" : "no " + what + " named") + "; 'epk help " + command.name +
         "' has examples";
}

int RunVerb(const Command& command, const Words& words, const Screen& screen) {
  Verb verb(command);
  const cli::Parsed parsed = verb.app.Parse(words);
  const Words rest = verb.app.rest();
  switch (parsed.outcome) {
    case cli::Parsed::kHelp: screen.out << RenderText(ManualPage(command, verb.app), screen.terminal); return kDone;
    case cli::Parsed::kMissing: throw UsageError(Missing(command, parsed.error));
    case cli::Parsed::kWrong: throw UsageError(parsed.error);
    case cli::Parsed::kUnknown: RefuseExtra(verb, rest.empty() ? "" : rest[0]);
    case cli::Parsed::kGood: break;
  }
  // If the verb starts a program, a misspelt option of ours is taken for the program's first word.
  if (!rest.empty() && rest[0].starts_with('-') && rest[0] != "--") RefuseExtra(verb, rest[0]);
  return verb.run();
}

int Try(std::span<const Command> commands, const Words& words, const Screen& screen) {
  if (words.empty()) return Help(commands, {}, screen);
  const std::string& first = words[0];
  const Words rest(words.begin() + 1, words.end());
  if (first == "help" || first == "--help" || first == "-h") return Help(commands, rest, screen);
  if (first == "version" || first == "--version" || first == "-V") {
    RefuseWordsAfter(rest, 0);
    screen.out << "epk " << kVersion << "\n";
    return kDone;
  }
  if (first == "internal") return Internal(commands, rest, screen);
  if (first.size() > 1 && first[0] == '-') {
    throw UsageError("unknown option '" + first + "'" +
                     DidYouMean(first, {"--help", "--version"}, "'epk help' says more"));
  }
  return RunVerb(NeedCommand(commands, first, "unknown command"), rest, screen);
}

}  // namespace

int Dispatch(std::span<const Command> commands, const Words& words, const Screen& screen) {
  const bool verb = !words.empty() && FindCommand(commands, words[0]) != nullptr;
  const std::string speaker = verb ? "epk " + words[0] + ":" : "epk:";
  try {
    return Try(commands, words, screen);
  } catch (const UsageError& error) {
    screen.err << Message(speaker, ReasonOf(error));
    return kUsage;
  } catch (const std::bad_alloc&) {
    screen.err << Message(speaker,
                          "memory ended: the machine has too little for this, or `ulimit -v` allows too little");
    return kFault;
  } catch (const std::exception& error) {
    screen.err << Message(speaker, ReasonOf(error));
    return kFault;
  }
}

}  // namespace epik::epk
