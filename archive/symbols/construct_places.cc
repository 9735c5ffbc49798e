// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/construct_places.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "archive/files/byte_source.h"
#include "archive/symbols/names.h"

namespace epik::archive {

using event::Construct;
using symbols::CodePlace;
using symbols::Directive;

namespace {

constexpr uint64_t kMostSourceBytes = 4u << 20;

bool IsNewer(const std::string& file, const std::string& than) {
  struct stat one, other;
  if (stat(file.c_str(), &one) != 0 || stat(than.c_str(), &other) != 0) return false;
  return std::pair(one.st_mtim.tv_sec, one.st_mtim.tv_nsec) > std::pair(other.st_mtim.tv_sec, other.st_mtim.tv_nsec);
}

bool IsLoop(Construct construct) {
  return construct >= Construct::kLoopStatic && construct <= Construct::kLoopDoacross;
}

bool IsLoop(const Directive& directive) {
  return directive.Has("for") || directive.Has("do") || directive.Has("loop") || directive.Has("distribute");
}

// Returns kNone when the text does not tell, because a macro does.
Construct ScheduleOf(const Directive& directive) {
  if (const Directive::Word* ordered = directive.Find("ordered")) {
    return ordered->operand.empty() ? Construct::kLoopOrdered : Construct::kLoopDoacross;
  }
  const Directive::Word* schedule = directive.Find("schedule");
  if (schedule == nullptr) return Construct::kLoopStatic;
  std::string_view kind = schedule->operand;
  kind = kind.substr(0, kind.find(','));
  if (const size_t modifier = kind.find(':'); modifier != std::string_view::npos) kind = kind.substr(modifier + 1);
  if (kind == "static" || kind == "auto") return Construct::kLoopStatic;
  if (kind == "dynamic") return Construct::kLoopDynamic;
  if (kind == "guided") return Construct::kLoopGuided;
  if (kind == "runtime") return Construct::kLoopRuntime;
  return Construct::kNone;
}

bool IsWorksharing(const Directive& directive) {
  return IsLoop(directive) || directive.Has("sections") || directive.Has("single") || directive.Has("workshare") ||
         directive.Has("scope");
}

bool WaitsForIterations(const Directive& directive) { return directive.Has("depend") || directive.Has("doacross"); }

// Whether this directive may be the source of the construct.
bool IsWrittenAs(Construct construct, const Directive& directive) {
  if (directive.words.empty()) return false;
  const std::string& first = directive.words[0].name;
  switch (construct) {
    case Construct::kParallel: return directive.Has("parallel");
    case Construct::kTeams: return directive.Has("teams");
    case Construct::kSections: return directive.Has("sections");
    case Construct::kSingle: return first == "single" || directive.Has("workshare");
    case Construct::kCritical:
    case Construct::kCriticalBlock: return first == "critical";
    case Construct::kOrdered:
    case Construct::kOrderedBlock: return first == "ordered" && !WaitsForIterations(directive);
    case Construct::kDoacrossWait: return first == "ordered" && WaitsForIterations(directive);
    case Construct::kAtomic: return first == "atomic";
    case Construct::kTask:
    case Construct::kTaskCreate: return first == "task" || directive.Has("taskloop");
    case Construct::kTaskloop: return directive.Has("taskloop");
    case Construct::kTaskwait: return first == "taskwait";
    case Construct::kTaskyield: return first == "taskyield";
    case Construct::kTaskgroup: return first == "taskgroup" || directive.Has("taskloop");
    case Construct::kBarrier: return first == "barrier";
    case Construct::kImplicitBarrier: return directive.Has("parallel") || IsWorksharing(directive);
    case Construct::kReduction: return directive.Has("reduction") || directive.Has("task_reduction");
    case Construct::kScope: return first == "scope";
    case Construct::kMasked: return directive.Has("master") || directive.Has("masked");
    case Construct::kTarget: return first == "target";
    default: return IsLoop(construct) && IsLoop(directive) && !directive.Has("taskloop");
  }
}

// Whether compilers give the calls of this construct the line of the directive.
bool StandsAlone(Construct construct) {
  return construct == Construct::kBarrier || construct == Construct::kTaskwait || construct == Construct::kTaskyield;
}

// Whether GCC gives the calls of this construct the line of the statement.
bool IsInStatement(Construct construct) {
  return IsLoop(construct) || construct == Construct::kTaskloop || construct == Construct::kAtomic;
}

// Whether compilers make a function of the construct's body.
bool IsOutlined(const Directive& directive) {
  if (directive.words.empty()) return false;
  const std::string& first = directive.words[0].name;
  if (first == "cancel" || first == "cancellation" || first == "declare" || first == "begin") return false;
  if (first == "target" && (directive.Has("data") || directive.Has("update"))) return false;
  return directive.Has("parallel") || directive.Has("teams") || directive.Has("taskloop") || first == "target" ||
         first == "task";
}

bool Holds(const Directive& directive, int line) { return directive.line <= line && line <= directive.last_line; }

// The innermost construct that has all code of this function, which is the body of a construct; or null.
template <class IsCandidate>
const Directive* WithBody(const std::vector<Directive>& directives, const CodePlace& place, IsCandidate is_candidate) {
  const Directive* found = nullptr;
  for (const Directive& directive : directives) {
    if (!IsOutlined(directive) || !is_candidate(directive)) continue;
    if (directive.line <= place.first_line && place.last_line <= directive.end) found = &directive;
  }
  return found;
}

// Returns the directives that may be the source of the call, the likeliest first, by the behaviour of compilers:
// * the call has the line of the directive, as all constructs that stand alone;
// * it has the line of the statement after the directive;
// * it has the line of the code before the directive. Then all later ones are returned, in the order of their lines;
// * it has the line of other code in the same function, or of code in the body of its construct, which is another
//   function: the end of a loop around a construct may have that.
// The last construct of a function may have all of its code in another one: then the function goes on to the end of the
// construct around it. `is_body`: the call is in the body of a construct, which is a function. Else it is not that of a
// directive within such a body.
template <class IsCandidate>
std::vector<const Directive*> Likely(Construct construct, const std::vector<Directive>& directives,
                                     const CodePlace& place, bool begins_function, bool is_body,
                                     IsCandidate is_candidate) {
  // A region of GCC has the address of its body. The first line there may be of any code in a loop around the region.
  const Directive* whole = is_body && begins_function ? WithBody(directives, place, is_candidate) : nullptr;
  if (whole != nullptr) return {whole};
  const Directive *of_statement = nullptr, *of_body = nullptr, *before = nullptr;
  std::vector<const Directive*> following;
  int last_line = place.last_line;
  for (const Directive& directive : directives) {
    const bool within = place.first_line <= directive.line && directive.line <= place.last_line;
    if (within) last_line = std::max(last_line, directive.end);
  }
  int end_of_bodies = 0;
  for (const Directive& directive : directives) {
    const int reach = directive.statement != 0 ? directive.statement : directive.last_line;
    const bool in_body = !is_body && directive.line <= end_of_bodies;
    if (IsOutlined(directive) && reach >= place.first_line) end_of_bodies = std::max(end_of_bodies, directive.end);
    if (!is_candidate(directive)) continue;
    if (Holds(directive, place.line)) return {&directive};
    if (StandsAlone(construct) || in_body) continue;
    const bool follows = directive.line > place.line;
    if (!is_body && IsOutlined(directive) && place.line > reach && place.line <= directive.end) of_body = &directive;
    if (!follows && place.line <= reach) of_statement = &directive;
    const bool within = reach >= place.first_line && directive.line <= last_line;
    if (!follows && (within || begins_function)) before = &directive;
    if (follows && within && !begins_function) following.push_back(&directive);
  }
  // The code after the call belongs to the next directive, so the statement that seemed to contain the call is over.
  const bool is_next = !following.empty() && following.front()->line <= place.next_line;
  if (of_statement != nullptr && (!is_next || IsInStatement(construct))) return {of_statement};
  if (of_body != nullptr) return {of_body};
  if (!following.empty()) return following;
  if (of_statement != nullptr) return {of_statement};
  return before != nullptr ? std::vector{before} : std::vector<const Directive*>();
}

std::vector<const Directive*> Choose(Construct construct, const std::vector<Directive>& directives,
                                     const CodePlace& place, bool begins_function, bool is_body) {
  const auto matches = [&](const Directive& directive) { return IsWrittenAs(construct, directive); };
  if (IsLoop(construct)) {
    const auto is_scheduled_so = [&](const Directive& directive) {
      return matches(directive) && ScheduleOf(directive) == construct;
    };
    const auto found = Likely(construct, directives, place, begins_function, is_body, is_scheduled_so);
    if (!found.empty()) return found;
  }
  return Likely(construct, directives, place, begins_function, is_body, matches);
}

bool IsBarrier(const Directive& directive) { return !directive.words.empty() && directive.words[0].name == "barrier"; }

bool EndsInBarrier(const Directive& directive) {
  return IsWorksharing(directive) && !directive.Has("nowait") && !directive.Has("parallel");
}

// The construct at whose end GCC called this barrier: a loop with a schedule that needs no call.
const Directive* EndedBy(const std::vector<Directive>& directives, int line) {
  const Directive* found = nullptr;
  for (const Directive& directive : directives) {
    if (IsBarrier(directive) && Holds(directive, line)) return nullptr;
    if (EndsInBarrier(directive) && directive.line <= line && line <= directive.end) found = &directive;
  }
  return found;
}

// The barrier at the end of a function that jumps there, so that no call gives a line.
const Directive* LastBarrier(const std::vector<Directive>& directives, const CodePlace& place) {
  const Directive* found = nullptr;
  for (const Directive& directive : directives) {
    const bool within = place.first_line <= directive.line && directive.line <= place.last_line;
    if (within && (IsBarrier(directive) || EndsInBarrier(directive))) found = &directive;
  }
  return found;
}

// Returns the line of the first barrier behind a construct that has no barrier of its own, or -1.
int BarrierBehind(const std::vector<Directive>& directives, const Directive& construct) {
  if (!construct.Has("nowait")) return -1;
  for (const Directive& directive : directives) {
    if (IsBarrier(directive) && directive.line > construct.end) return directive.line;
  }
  return -1;
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Headers of compilers and systems have no directives, and there are many.
bool IsOfSystem(const std::string& path) { return path.starts_with("/usr/include/") || path.starts_with("/usr/lib"); }

// Finds the files that a source includes. Debug information does not have the search paths of compilers. But it names
// the files of the unit, and other files in their folders may be included, too.
class Includes {
 public:
  Includes(const std::string& source, const std::vector<std::string>* files) : beside_(FolderOf(source)) {
    if (files == nullptr) return;
    for (const std::string& file : *files) {
      if (file.starts_with('/') && !IsOfSystem(file)) files_.insert(file);
    }
    for (const std::string& file : files_) folders_.insert(FolderOf(file));
  }

  bool Read(const std::string& name, bool quoted, std::string* text) const {
    std::string ignored;
    const auto read = [&](const std::string& path) { return ReadFile(path, kMostSourceBytes, text, &ignored); };
    if (name.starts_with('/')) return !IsOfSystem(name) && read(name);
    if (quoted && read(beside_ + name)) return true;
    for (const std::string& file : files_) {
      if (file.ends_with("/" + name) && read(file)) return true;
    }
    // `#include <sub/file.h>`: a folder above that of a known file.
    const auto levels = std::count(name.begin(), name.end(), '/');
    for (std::string folder : folders_) {
      for (std::ptrdiff_t level = 0; level <= levels && !folder.empty(); ++level) {
        if (read(folder + name)) return true;
        folder = FolderOf(folder.substr(0, folder.size() - 1));
      }
    }
    return false;
  }

 private:
  const std::string beside_;
  std::set<std::string> files_, folders_;
};

}  // namespace

const std::vector<Directive>& ConstructPlaces::In(const CodePlace& place, const std::string& program) {
  const std::string& file = place.file;
  const auto [at, is_new] = files_.try_emplace(file);
  std::string text, error;
  if (is_new && !IsNewer(file, program) && ReadFile(file, kMostSourceBytes, &text, &error)) {
    const Includes includes(file, place.files.get());
    const auto read = [&includes](const std::string& name, bool quoted, std::string* included) {
      return includes.Read(name, quoted, included);
    };
    at->second = symbols::FindDirectives(text, symbols::IsFortran(file), read);
  }
  return at->second;
}

ConstructPlace ConstructPlaces::Find(Construct construct, const symbols::Symbol& symbol, uint64_t address,
                                     const std::string& program) {
  ConstructPlace found = InSource(construct, symbol, address, program);
  if (construct == Construct::kCritical || construct == Construct::kCriticalBlock) {
    // The name in the program is certain, while the directive may be a neighbour of the right one.
    std::string name = critical_names_.Find(program, symbol.offset, address);
    if (!name.empty()) found.name = std::move(name);
  }
  return found;
}

ConstructPlace ConstructPlaces::InSource(Construct construct, const symbols::Symbol& symbol, uint64_t address,
                                         const std::string& program) {
  const bool begins_function = symbol.found && symbol.offset == address;
  for (const CodePlace& place : symbol.places) {
    const std::vector<Directive>& directives = In(place, program);
    if (directives.empty()) continue;
    if (construct == Construct::kBarrier) {
      if (begins_function && &place != &symbol.places.back()) continue;  // inlined: the outer function jumps
      const Directive* last = begins_function ? LastBarrier(directives, place) : nullptr;
      if (last != nullptr && IsBarrier(*last)) return {construct, place.file, last->line};
      if (const Directive* ended = last != nullptr ? last : EndedBy(directives, place.line)) {
        return {Construct::kImplicitBarrier, place.file, ended->line};
      }
    }
    const bool is_body = &place == &symbol.places.back() && symbols::IsOmpOutlined(symbol.mangled);
    const std::vector<const Directive*> likely = Choose(construct, directives, place, begins_function, is_body);
    if (likely.empty()) continue;
    ConstructPlace found(construct, place.file, likely.front()->line);
    if (StandsAlone(construct)) found.column = place.column;
    if (construct == Construct::kSingle) found.barrier_line = BarrierBehind(directives, *likely.front());
    if (construct == Construct::kCritical || construct == Construct::kCriticalBlock) {
      found.name = likely.front()->words[0].operand;
    }
    if (found.line > place.line) {
      found.function = place.function;
      found.call_line = place.line;
      for (const Directive* directive : likely) found.following.push_back(directive->line);
    }
    return found;
  }
  return {construct, symbol.file, symbol.line};
}

}  // namespace epik::archive
