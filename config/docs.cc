// SPDX-License-Identifier: BSD-3-Clause
#include "config/docs.h"

#include "config/settings.h"

namespace epik::config {
namespace {

constexpr char kHead[] = R"(# Variables

EPIK is controlled by these variables. `epk config` shows those in force and where each came from, `epk config NAME`
explains one. This page is written from `config/settings.def`: `bazel run //config:make_docs > docs/variables.md`.

## Where values come from

The later wins:

1. `etc/EPIK.CONF` beside the `bin` and `lib` of the installation;
2. the file that `EPK_CONF` names (if that is a directory, `EPIK.CONF` in it); without `EPK_CONF`, `./EPIK.CONF`;
3. the environment.

A value that is not accepted is refused with one line on stderr, and the default is used: the program is never stopped.
An unknown name that begins with `EPK_`, `ESD_` or `ELG_` is warned of, with the nearest known one. An empty value
counts only where the default is empty; elsewhere it is as if it were not there. Names that begin with `EPK_INTERNAL_`
are reserved.

## Files

One `KEY = value` a line; `#` begins a comment. `$NAME` and `${NAME}` are replaced from the environment; `$DOCDIR` is the
directory of the installation's `EPIK.CONF`.

    EPK_GDIR   = $SCRATCH/measurements     # bare: up to the # or the end of the line
    EPK_TITLE  = "run #7 of ${USER}"       # in double quotes # is a letter; \" \\ \$ \n \r \t
    EPK_FILTER = '$not replaced # at all'  # single quotes: as it stands

The archive holds the configuration in force as `epik.conf`. It can be used as such a file again.
)";

constexpr char kTypes[] = R"(
## Types

| type | what may be written |
|---|---|
| bool | `yes` `true` `on` `1`, or `no` `false` `off` `0`, in upper or lower case, as all words here |
| level | a number, `no` is 0 and `yes` is 1 |
| integer | a number, or one of the words that are given |
| size | bytes, as in `100000`, `500k`, `1.5G`: k M G T and KiB MiB GiB TiB are of 1024, kB MB GB TB of 1000 |
| duration | a number with `ns` `us` `ms` `s` or `min`, as in `10us`, `1.5ms` |
| percent | `off`, or as in `5%`, `2.5` |
| list | words separated by `,`; without any `,` also by `:`, where `::` is part of a word; `\,` and `\:` are letters |
| groups | a list of the names given, or `ALL`, `NONE`, `DEFAULT` |
| ranks | `all`, or as in `0,8-15,every:100` (every rank that 100 divides) |
| trace | see below |
| enum | one of the words given |
| path, name, text | as it stands |

## EPK_TRACE

A list, separated by commas. What is logged:

| value | logged |
|---|---|
| `off`, `0` | nothing |
| `all`, `1` | everything |
| `comm` | communication and synchronization, with the calls that lead to it |
| `slow:10ms` | calls that took longer, with those that lead to them |
| `msgs` | messages and collectives only, each with its call path: the most compact |

and where (alone: everything, there):

| value | logged |
|---|---|
| `visits:N` | each call path only N times |
| `ranks:0,8-15,every:100` | only these processes |
| `window:f:10-20` | only from the 10th to the 20th visit of region f |
)";

// The last line of every page of the book; tools/lint/docs.py knows its neighbours.
constexpr char kNavigation[] =
    "\n[← Wait states](patterns.md) · [contents](README.md) · [Guarantees →](guarantees.md)\n";

// Escapes bars: they would end the cell, within backquotes too.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void AddRow(const Description& row, std::string* out) {
  const std::string fallback = row.fallback[0] == '\0' ? "" : "`" + std::string(row.fallback) + "`";
  std::string help = Cell(row.help);
  // The words of a bool stand once, in the table of types.
  if (row.type != std::string_view("bool")) help += "<br>*accepted:* " + Cell(row.accepted());
  *out += "| `" + std::string(row.name) + "` | " + row.type + " | " + fallback + " | " + row.unit + " | " + row.since +
          " | " + help + " |\n";
}

}  // namespace

std::string RenderDocs() {
  std::string out = std::string(kHead) + kTypes;
  std::string_view section;
  for (const Description& row : Descriptions()) {
    // Rows of a section stand together in settings.def, so each section gets one table.
    if (section != row.section) {
      section = row.section;
      std::string title(section);
      if (title[0] >= 'a') title[0] = static_cast<char>(title[0] - 'a' + 'A');
      out += "\n## " + title + "\n\n| variable | type | default | unit | since | |\n|---|---|---|---|---|---|\n";
    }
    AddRow(row, &out);
  }
  out += "\n## Variables without effect\n\n| variable | why |\n|---|---|\n";
// Only RETIRED is defined here: all other rows of settings.def become nothing.
#define RETIRED(name, reason) out += "| `" #name "` | " reason " |\n";
#include "config/settings.def"
  out += kNavigation;
  return out;
}

}  // namespace epik::config
