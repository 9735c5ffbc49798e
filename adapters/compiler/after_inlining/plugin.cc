// SPDX-License-Identifier: BSD-3-Clause
// A plugin of gcc that does what -finstrument-functions does, but after inlining: a function that has become a part of
// its callers gets no hooks, so tiny accessors and optimizations do not pay for them.
// docs/decisions/0001-after-inlining.md
//
//   gcc -fplugin=libepk_gcc12.so
//       -fplugin-arg-libepk_gcc12-leave-out=LIST     texts in paths, as in -finstrument-functions-exclude-file-list
//       -fplugin-arg-libepk_gcc12-filter=FILE        as in EPK_FILTER
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/compiler/after_inlining/hooks.h"
#include "adapters/compiler/after_inlining/selection.h"
// clang-format off
#include "adapters/compiler/after_inlining/gcc.h"
#include "plugin-version.h"
// clang-format on

int plugin_is_GPL_compatible;  // gcc demands this name; BSD-3-Clause is compatible

namespace epik::after_inlining {
namespace {

Selection* selection = nullptr;  // as long as the compiler

bool HasAttribute(tree function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (lookup_attribute(name, DECL_ATTRIBUTES(function)) != NULL_TREE ||
        lookup_attribute(name, TYPE_ATTRIBUTES(TREE_TYPE(function))) != NULL_TREE) {
      return true;
    }
  }
  return false;
}

// The loader calls a resolver while the library is being loaded, before it can call hooks in other libraries.
bool IsIfuncResolver(tree function) {
  ipa_ref* reference = nullptr;
  for (unsigned i = 0; cgraph_node::get(function)->iterate_direct_aliases(i, reference); ++i) {
    const cgraph_node* alias = dyn_cast<cgraph_node*>(reference->referring);
    if (alias != nullptr && alias->ifunc_resolver) return true;
  }
  return false;
}

const char* SymbolOf(tree function) {
  const char* name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
  return name[0] == '*' ? name + 1 : name;
}

std::string FileOf(tree function) {
  const char* file = DECL_SOURCE_FILE(function);
  if (file == nullptr) return "";
  return IS_ABSOLUTE_PATH(file) ? std::string(file) : std::string(get_src_pwd()) + "/" + file;
}

const char* NameOrNothing(tree declaration) {
  return DECL_NAME(declaration) == NULL_TREE ? "" : IDENTIFIER_POINTER(DECL_NAME(declaration));
}

bool IsFortran(tree function) {
  tree file = DECL_CONTEXT(function);
  while (file != NULL_TREE && TREE_CODE(file) != TRANSLATION_UNIT_DECL) file = get_containing_scope(file);
  const char* language = file == NULL_TREE ? nullptr : TRANSLATION_UNIT_LANGUAGE(file);
  return std::strncmp(language == nullptr ? lang_hooks.name : language, "GNU F", 5) == 0;
}

// Reports take names of Fortran from debug information. With -g it knows the module and the procedure that contains a
// procedure, with -g1 neither.
std::string NameOf(tree function) {
  if (!IsFortran(function) || debug_info_level == DINFO_LEVEL_NONE) return "";
  std::string name = NameOrNothing(function);
  for (tree scope = DECL_CONTEXT(function); scope != NULL_TREE; scope = DECL_CONTEXT(scope)) {
    const bool module = TREE_CODE(scope) == NAMESPACE_DECL;
    if (!module && TREE_CODE(scope) != FUNCTION_DECL) break;
    if (!module && debug_info_level == DINFO_LEVEL_TERSE) break;
    name = std::string(NameOrNothing(scope)) + "::" + name;
  }
  return name;
}

// When the compiler has split a function in two, only the inner one gets hooks: hooks in both would count two visits.
bool LeavesItToItsPiece(function* fun, const char* symbol) {
  const bool structor = DECL_CXX_CONSTRUCTOR_P(fun->decl) || DECL_CXX_DESTRUCTOR_P(fun->decl);
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      if (!is_gimple_call(gsi_stmt(at))) continue;
      const tree callee = gimple_call_fndecl(gsi_stmt(at));
      const cgraph_node* node = callee == NULL_TREE ? nullptr : cgraph_node::get(callee);
      if (node == nullptr || !(structor || node->split_part)) continue;
      if (IsPieceOf(SymbolOf(callee), symbol)) return true;
    }
  }
  return false;
}

bool WantsHooks(function* fun) {
  const tree function = fun->decl;
  const char* symbol = SymbolOf(function);
  // The function that a thunk jumps to has hooks; the others cannot make an ordinary call.
  if (fun->is_thunk) return false;
  if (HasAttribute(function, {"no_instrument_function", "naked", "interrupt", "interrupt_handler", "signal",
                              "no_caller_saved_registers", "omp target entrypoint"})) {
    return false;
  }
  if (std::strncmp(symbol, "__cyg_profile_func_", 19) == 0) return false;
  if (IsOutlined(symbol) || IsIfuncResolver(function)) return false;
  if (flag_instrument_function_entry_exit || HasHooks()) return false;
  return !LeavesItToItsPiece(fun, symbol) && selection->Measures(NameOf(function), symbol, FileOf(function));
}

constexpr pass_data kPass = {GIMPLE_PASS,
                             "epk_hooks",
                             OPTGROUP_NONE,
                             TV_NONE,
                             PROP_cfg | PROP_ssa,
                             0,
                             0,
                             0,
                             TODO_update_ssa_only_virtuals | TODO_cleanup_cfg};

class HooksPass : public gimple_opt_pass {
 public:
  explicit HooksPass(gcc::context* context) : gimple_opt_pass(kPass, context) {}
  bool gate(function* fun) override { return WantsHooks(fun); }
  unsigned int execute(function*) override {
    InsertHooks();
    return 0;
  }
};

bool TakeArguments(const plugin_name_args& given) {
  for (int i = 0; i < given.argc; ++i) {
    const std::string_view key = given.argv[i].key;
    const char* value = given.argv[i].value == nullptr ? "" : given.argv[i].value;
    if (key == "leave-out") {
      selection->LeaveOut(value);
    } else if (key == "filter" && !selection->ReadFilter(value)) {
      error("%s: cannot read the filter %s", given.base_name, value);
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace epik::after_inlining

int plugin_init(plugin_name_args* given, plugin_gcc_version* version) {
  using namespace epik::after_inlining;
  // A plugin uses gcc's internals, so it is right only for the build of gcc that it was made for.
  if (!plugin_default_version_check(version, &gcc_version)) return 1;
  selection = new Selection;
  if (!TakeArguments(*given)) return 1;
  // At this pass all inlining is done, at every level of optimization and when linking with -flto. Optimizations that
  // must see the hooks (tail calls, vectorization, shrink-wrapping) have not run yet.
  register_pass_info where = {new HooksPass(g), "adjust_alignment", 1, PASS_POS_INSERT_AFTER};
  register_callback(given->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &where);
  // gcc would merge two functions with the same body, and the report would show both under one name.
  flag_ipa_icf_functions = 0;
  return 0;
}
