// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/filter.h"

#include "runtime/base/log.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/choice/key_set.h"
#include "runtime/choice/patch.h"
#include "runtime/choice/selector.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/hook_state.h"
#include "runtime/episode/options.h"
#include "runtime/episode/seams_hot.h"

namespace epik::choice {

using event::Key;

namespace {

struct Filter {
  Selector* selector = nullptr;
  KeySet keys{&hooks.filtered};
};
constinit Filter filter;

void LookAtNewModules() {
  filter.selector->LookAtNewModules([](Key key, void*) { filter.keys.Add(key); }, nullptr);
}

}  // namespace

void StartFilter(const std::string& path, const std::string& groups, bool patch) {
  if (path.empty() && groups.empty()) return;
  if (filter.selector == nullptr) {  // a forked child has its parent's
    filter.selector = Selector::OfFilter(path.empty() ? "EPK_GROUPS" : "EPK_FILTER", path, groups);
    if (filter.selector == nullptr) return;
    if (patch) AllowPatching();
    episode::SeeEachEvent();
  }
  LookAtNewModules();
  if (filter.selector->Constructs() == kEpikAllConstructs) episode::adapter_options.omp_groups = 0;
}

bool HasFilter() { return filter.selector != nullptr; }

bool FilterNamesConstructs() { return HasFilter() && filter.selector->Constructs() == kEpikSomeConstructs; }

void AllowPatching() { __atomic_store_n(&hooks.may_patch, true, __ATOMIC_RELAXED); }

bool FilterHasOut(const char* construct) { return HasFilter() && filter.selector->SelectsConstruct(construct); }

bool FilterHasOut(const episode::DefinedRegion& region) {
  if (!HasFilter() || !Selector::IsNamed(region.role)) return false;
  const base::SignalsBlocked blocked;
  return filter.selector->Selects(region);
}

void FilterNewModules() {
  if (HasFilter() && filter.selector->HasNewModules()) LookAtNewModules();
}

void PatchFiltered(Key key, uint64_t stack, bool is_enter) {
  if (event::IsRegion(key) || event::ConstructOf(key) != event::Construct::kNone) return;  // no hook of the compiler
  if (PatchCall(stack, is_enter)) return;
  __atomic_store_n(&hooks.may_patch, false, __ATOMIC_RELAXED);
}

void FilterKey(Key key) { filter.keys.Add(key); }

void ForgetFiltered(uint64_t begin, uint64_t end, uint64_t bias) {
  filter.keys.RemoveCode(begin, end);
  if (HasFilter()) filter.selector->ForgetModule(bias);
}

namespace {

void Finish() {
  if (HasFilter()) filter.selector->Summarize([](const char* line) { episode::Note(line); });
}

}  // namespace

const episode::Part filter_part = {.name = "filter", .finish = Finish, .forget = [] { filter.keys.Forget(); }};

}  // namespace epik::choice
