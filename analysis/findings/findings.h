// SPDX-License-Identifier: BSD-3-Clause
// Findings of an analysis beside its profile: causes in words, which thread waited for which, worst waits, the critical
// path. A part of analysis.json, which epk analyze writes and reports read.
#ifndef EPIK_ANALYSIS_FINDINGS_FINDINGS_H_
#define EPIK_ANALYSIS_FINDINGS_FINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/distribution.h"

namespace epik::findings {

struct Who {
  int rank = -1, thread = -1;  // -1: not known
};

struct Segment {
  double from_s = 0, to_s = 0;
  Who who;
  std::string callpath;  // empty: the trace does not say
};

// Time on the critical path.
struct OnPath {
  double seconds = 0;
  Who who;
  std::string callpath;
};

struct CriticalPath {
  double begin_s = 0, end_s = 0;
  double unknown_s = 0;  // waits on the critical path whose cause is not in the trace
  std::vector<Segment> segments;
  // The exact time of each call path, and the time that the summary tells of calls that the trace lacks. Empty in
  // analyses of earlier versions: `segments` tells then, which gives the time of short calls to their callers.
  std::vector<OnPath> places;
};

// A counter, in one call path of two threads.
struct Difference {
  std::string counter, unit;
  double here = 0, there = 0;
};

struct Chain {
  double seconds = 0;
  uint64_t instances = 0;
  Who who;
  std::string kind, callpath;
  std::string wait_state;  // of the waits; "" in analyses of earlier versions, or if it is not known
  // Counters of the thread that the chain ends with, beside those of the thread that waited for it.
  std::vector<Difference> differences;
  std::string text;  // "rank 3 waits in MPI_Recv for rank 2, which …"
};

struct Pair {
  Who waiter, waited_for;
  double seconds = 0;
};

struct Instance {
  std::string kind, callpath;  // the kind of cause that most of it has
  Who who, waited_for;
  double from_s = 0, to_s = 0;
  // Unique name of its wait state, and how long it waited between the two times. Analyses of earlier versions have no
  // wait state, and are read as if it waited all the time.
  std::string wait_state;
  double seconds = 0;
};

// Messages from one rank to another that take much longer than messages of their size between other ranks.
struct Link {
  int from = -1, to = -1;
  // Their messages come in the same calls: one of these ranks or `from` is slow, and the trace does not tell which.
  std::vector<int> or_from;
  bool or_back = false;  // or messages from `to` to `from` are the slow ones
  uint64_t messages = 0;
  uint64_t bytes = 0;               // mean size of the messages of the size class that loses most
  double seconds = 0, usual_s = 0;  // median times of these messages, here and elsewhere
  double lost_s = 0;                // by all messages of the link
};

struct Findings {
  bool are_there = false;
  bool by_summary = false;  // the trace lacks calls, and costs are shared out over them as the summary has them
  double waited_s = 0, unknown_s = 0;
  uint64_t waits = 0;
  std::vector<Chain> chains;        // largest first
  std::vector<Pair> pairs;          // largest first
  std::vector<Instance> instances;  // longest first, one of each kind and call path
  std::vector<Link> links;          // slow links, the costliest first
  CriticalPath critical;
  Distribution distribution;
};

// As members of a JSON object: {…} without the braces.
std::string ToJson(const Findings& findings);
// Reads analysis.json. False, with the reason, when it is not JSON; findings that it lacks stay empty.
bool FromJson(const std::string& text, Findings* findings, std::string* error);

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_FINDINGS_H_
