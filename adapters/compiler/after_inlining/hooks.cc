// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/compiler/after_inlining/hooks.h"

#include <vector>

#include "adapters/compiler/after_inlining/gcc.h"

namespace epik::after_inlining {
namespace {

// Uses the compiler's own declaration: a file that defines the hooks itself must not get a second one.
tree Hook(built_in_function number) {
  tree hook = builtin_decl_implicit(number);
  // The hook neither throws nor jumps. Otherwise its calls would need edges to every handler and to every setjmp.
  TREE_NOTHROW(hook) = 1;
  if (lookup_attribute("leaf", DECL_ATTRIBUTES(hook)) == NULL_TREE) {
    DECL_ATTRIBUTES(hook) = tree_cons(get_identifier("leaf"), NULL_TREE, DECL_ATTRIBUTES(hook));
  }
  return hook;
}

// Makes the call that -finstrument-functions makes: hook(this function, the place where it was called).
gimple_seq Call(built_in_function number, location_t location) {
  gimple_seq sequence = nullptr;
  gcall* site = gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1, integer_zero_node);
  tree address = make_ssa_name(ptr_type_node);
  gimple_call_set_lhs(site, address);
  gimple_set_location(site, location);
  gimple_seq_add_stmt(&sequence, site);
  gcall* call = gimple_build_call(Hook(number), 2, build_fold_addr_expr(current_function_decl), address);
  gimple_call_set_nothrow(call, true);
  gimple_set_location(call, location);
  gimple_seq_add_stmt(&sequence, call);
  return sequence;
}

// The call of the exit hook must not be the last statement of a function, or the compiler makes a jump of it. The hook
// then returns to the caller's caller, so the runtime cannot find the jump to make it a no-op (runtime/choice/patch.h).
// The statement that follows has no instruction.
gimple_seq Exit(location_t location) {
  gimple_seq sequence = Call(BUILT_IN_PROFILE_FUNC_EXIT, location);
  gasm* nothing = gimple_build_asm_vec("", nullptr, nullptr, nullptr, nullptr);
  gimple_asm_set_volatile(nothing, true);
  gimple_set_location(nothing, location);
  gimple_seq_add_stmt(&sequence, nothing);
  return sequence;
}

void InsertOnEdge(edge where, gimple_seq sequence) {
  gsi_insert_seq_on_edge(where, sequence);
  gsi_commit_one_edge_insert(where, nullptr);
}

// ---- ways out -------------------------------------------------------------------------------------------------------

// The language, not an optimization, demands that this call is a jump: a coroutine resumes another one, and chains of
// coroutines may have any length.
bool IsJump(gimple* statement) {
  gcall* call = statement == nullptr ? nullptr : dyn_cast<gcall*>(statement);
  return call != nullptr && (gimple_call_tail_p(call) || gimple_call_must_tail_p(call));
}

gimple* Before(gimple* statement) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_prev_nondebug(&at);
  return gsi_end_p(at) ? nullptr : gsi_stmt(at);
}

void InsertBefore(gimple* statement, location_t location) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_before(&at, Exit(location), GSI_SAME_STMT);
}

// Puts the exit before such a jump, which would become a call otherwise: this function has ended when the next one
// begins.
void InsertExit(gimple* leave, std::vector<gimple*>* jumps) {
  const location_t location = gimple_location(leave);
  gimple* last = Before(leave);
  if (IsJump(last)) {
    InsertBefore(last, location);
    jumps->push_back(last);
    return;
  }
  bool apart = last == nullptr || gimple_code(last) == GIMPLE_LABEL;  // no other code runs before it returns
  std::vector<edge> others;
  std::vector<gimple*> ahead;
  edge way;
  edge_iterator it;
  FOR_EACH_EDGE(way, it, gimple_bb(leave)->preds) {
    gimple* end = last_stmt(way->src);
    if (IsJump(end)) {
      ahead.push_back(end);
    } else {
      others.push_back(way);
    }
    apart = apart && (way->flags & EDGE_COMPLEX) == 0;  // nothing can be inserted on such an edge
  }
  if (!apart || ahead.empty()) return InsertBefore(leave, location);
  for (gimple* jump : ahead) InsertBefore(jump, location);
  for (edge other : others) InsertOnEdge(other, Exit(location));
  jumps->insert(jumps->end(), ahead.begin(), ahead.end());
}

std::vector<gimple*> Returns() {
  std::vector<gimple*> returns;
  edge way;
  edge_iterator it;
  FOR_EACH_EDGE(way, it, EXIT_BLOCK_PTR_FOR_FN(cfun)->preds) {
    gimple* end = last_stmt(way->src);
    if (end != nullptr && gimple_code(end) == GIMPLE_RETURN) returns.push_back(end);
  }
  return returns;
}

// ---- exceptions -----------------------------------------------------------------------------------------------------

// The statements that may throw out of the function.
std::vector<gimple*> Throwing() {
  std::vector<gimple*> throwing;
  basic_block block;
  FOR_EACH_BB_FN(block, cfun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      if (stmt_can_throw_external(cfun, gsi_stmt(at))) throwing.push_back(gsi_stmt(at));
    }
  }
  return throwing;
}

// Puts a cleanup around the whole body. It must be the outermost one: otherwise an exception that passes an inner
// cleanup would leave this function without a stop.
eh_region SurroundBody() {
  eh_region around = gen_eh_region_cleanup(nullptr);
  around->inner = around->next_peer;
  around->next_peer = nullptr;
  for (eh_region inner = around->inner; inner != nullptr; inner = inner->next_peer) inner->outer = around;
  return around;
}

// Makes a landing pad: calls the exit hook, and passes the exception on. It is never part of a loop, and never
// expected.
eh_landing_pad MakeLanding(eh_region region, location_t location) {
  basic_block block = create_empty_bb(EXIT_BLOCK_PTR_FOR_FN(cfun)->prev_bb);
  block->count = profile_count::zero();
  if (current_loops != nullptr) add_bb_to_loop(block, current_loops->tree_root);
  eh_landing_pad landing = gen_eh_landing_pad(region);
  tree label = create_artificial_label(location);
  landing->post_landing_pad = label;
  EH_LANDING_PAD_NR(label) = landing->index;
  gimple_seq sequence = nullptr;
  gimple_seq_add_stmt(&sequence, gimple_build_label(label));
  gimple_seq_add_seq(&sequence, Exit(location));
  gimple_seq_add_stmt(&sequence, gimple_build_resx(region->index));
  gimple_stmt_iterator at = gsi_start_bb(block);
  gsi_insert_seq_after(&at, sequence, GSI_NEW_STMT);
  return landing;
}

void CatchAll(const std::vector<gimple*>& throwing, location_t location) {
  const eh_landing_pad landing = MakeLanding(SurroundBody(), location);
  basic_block target = label_to_block(cfun, landing->post_landing_pad);
  for (gimple* statement : throwing) {
    add_stmt_to_eh_lp(statement, landing->index);
    basic_block block = gimple_bb(statement);
    if (gsi_stmt(gsi_last_bb(block)) != statement) split_block(block, statement);
    edge way = make_edge(gimple_bb(statement), target, EDGE_EH);
    way->probability = profile_probability::never();
  }
}

void Forget() {
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);
  // The loops have new exits.
  if (current_loops != nullptr) {
    loops_state_clear(LOOPS_HAVE_RECORDED_EXITS);
    loops_state_set(LOOPS_NEED_FIXUP);
  }
  mark_virtual_operands_for_renaming(cfun);
}

}  // namespace

void InsertHooks() {
  const location_t location = DECL_SOURCE_LOCATION(current_function_decl);
  std::vector<gimple*> jumps;
  for (gimple* leave : Returns()) InsertExit(leave, &jumps);
  if (flag_exceptions) {
    std::vector<gimple*> throwing;
    for (gimple* statement : Throwing()) {
      bool left = false;  // a jump is made when this function has ended
      for (gimple* jump : jumps) left = left || jump == statement;
      if (!left) throwing.push_back(statement);
    }
    if (!throwing.empty()) CatchAll(throwing, location);
  }
  InsertOnEdge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun)), Call(BUILT_IN_PROFILE_FUNC_ENTER, location));
  Forget();
}

bool HasHooks() {
  basic_block block;
  FOR_EACH_BB_FN(block, cfun) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* statement = gsi_stmt(at);
      if (!gimple_call_builtin_p(statement, BUILT_IN_PROFILE_FUNC_ENTER)) continue;
      const tree function = gimple_call_arg(statement, 0);
      if (TREE_CODE(function) == ADDR_EXPR && TREE_OPERAND(function, 0) == current_function_decl) return true;
    }
  }
  return false;
}

}  // namespace epik::after_inlining
