// SPDX-License-Identifier: BSD-3-Clause
// A pass plugin of clang that decides which of the functions marked by -finstrument-functions-after-inlining keep their
// hooks, and inserts these hooks itself: clang's own know no filter, and a frame that an exception leaves has no exit.
// docs/decisions/0001-after-inlining.md
//
//   clang -finstrument-functions-after-inlining -fpass-plugin=libepk_clang14.so
//       -Xclang -load -Xclang libepk_clang14.so    before -mllvm, which knows the options of loaded plugins only
//       -mllvm -epk-leave-out=LIST                 texts in paths, as the plugin of gcc takes them
//       -mllvm -epk-filter=FILE                    as in EPK_FILTER
//       -mllvm -epk-select-only                    clang inserts the hooks: with -flto, inlining is not over here
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include <string>
#include <vector>

#include "adapters/compiler/after_inlining/selection.h"

namespace epik::after_inlining {
namespace {

// These are lists, because a build that wraps the compiler twice may give an option twice. The meaning is the same.
const llvm::cl::list<std::string> leave_out("epk-leave-out", llvm::cl::Hidden, llvm::cl::ZeroOrMore);
const llvm::cl::list<std::string> filters("epk-filter", llvm::cl::Hidden, llvm::cl::ZeroOrMore);
const llvm::cl::list<bool> select_only("epk-select-only", llvm::cl::Hidden, llvm::cl::ZeroOrMore,
                                       llvm::cl::ValueDisallowed);
// Tells compiler caches, which look at the command line and not at the file, that the filter has changed.
const llvm::cl::list<std::string> filter_is("epk-filter-is", llvm::cl::Hidden, llvm::cl::ZeroOrMore);

// The attributes with which clang marks functions that get its own hooks.
constexpr const char* kEnter = "instrument-function-entry-inlined";
constexpr const char* kExit = "instrument-function-exit-inlined";

std::string FileOf(const llvm::Function& function) {
  const llvm::DISubprogram* program = function.getSubprogram();
  if (program == nullptr) return function.getParent()->getSourceFileName();
  if (llvm::sys::path::is_absolute(program->getFilename())) return program->getFilename().str();
  return (program->getDirectory() + "/" + program->getFilename()).str();
}

// Without optimization the constructor of a complete object calls the one of a base: hooks in both would be two visits.
bool LeavesItToItsBase(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && IsBaseStructor(callee->getName().str(), function.getName().str())) return true;
  }
  return false;
}

// The loader calls a resolver while the library is being loaded, before it can call other libraries.
bool IsIfuncResolver(const llvm::Function& function) {
  for (const llvm::GlobalIFunc& ifunc : function.getParent()->ifuncs()) {
    if (ifunc.getResolver()->stripPointerCasts() == &function) return true;
  }
  return false;
}

class HooksPass : public llvm::PassInfoMixin<HooksPass> {
 public:
  explicit HooksPass(const Selection* selection) : selection_(selection) {}

  // The pass also runs for functions with `optnone`, with which -O0 marks all functions.
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    bool changed = false;
    for (llvm::Function& function : module) changed |= Treat(&function);
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  bool Treat(llvm::Function* function) const {
    if (function->isDeclaration() || !function->hasFnAttribute(kEnter)) return false;
    const bool wanted = WantsHooks(*function);
    if (wanted && !select_only.empty()) return false;
    function->removeFnAttr(kEnter);
    function->removeFnAttr(kExit);
    if (wanted) Insert(function);
    return true;
  }

  bool WantsHooks(const llvm::Function& function) const {
    const std::string symbol = function.getName().str();
    if (function.hasFnAttribute(llvm::Attribute::Naked) || IsOutlined(symbol) || IsIfuncResolver(function)) {
      return false;
    }
    return !LeavesItToItsBase(function) && selection_->Measures("", symbol, FileOf(function));
  }

  static void Insert(llvm::Function* function) {
    // An exception that no handler of the function takes goes past a landing pad that has no cleanup.
    for (llvm::BasicBlock& block : *function) {
      if (llvm::LandingPadInst* pad = block.getLandingPadInst()) pad->setCleanup(true);
    }
    // Exits first: with the call of the enter hook in place, an exit would be made for it, too.
    llvm::EscapeEnumerator exits(*function, "epk.exit");
    while (llvm::IRBuilder<>* at = exits.Next()) Call(at, "__cyg_profile_func_exit", function);
    llvm::BasicBlock& entry = function->getEntryBlock();
    llvm::IRBuilder<> begin(&entry, entry.getFirstInsertionPt());
    if (const llvm::DISubprogram* program = function->getSubprogram()) {
      begin.SetCurrentDebugLocation(
          llvm::DILocation::get(function->getContext(), program->getScopeLine(), 0, function->getSubprogram()));
    }
    Call(&begin, "__cyg_profile_func_enter", function);
  }

  static void Call(llvm::IRBuilder<>* at, const char* hook, llvm::Function* function) {
    llvm::Module* module = function->getParent();
    llvm::Type* address = at->getInt8PtrTy();
    // A call in a function with debug information has a line.
    if (!at->getCurrentDebugLocation() && function->getSubprogram() != nullptr) {
      at->SetCurrentDebugLocation(llvm::DILocation::get(function->getContext(), 0, 0, function->getSubprogram()));
    }
    const llvm::FunctionCallee callee = module->getOrInsertFunction(hook, at->getVoidTy(), address, address);
    llvm::Function* caller = llvm::Intrinsic::getDeclaration(module, llvm::Intrinsic::returnaddress);
    llvm::Value* from = at->CreateCall(caller, at->getInt32(0));
    llvm::CallInst* call = at->CreateCall(callee, {llvm::ConstantExpr::getPointerCast(function, address), from});
    call->setDoesNotThrow();
    // A jump could not be patched out.
    call->setTailCallKind(llvm::CallInst::TCK_NoTail);
  }

  const Selection* selection_;
};

// Lives as long as the compiler. Null when a filter cannot be read: clang's hooks stay as they are.
const Selection* ReadSelection() {
  auto* selection = new Selection;
  for (const std::string& list : leave_out) selection->LeaveOut(list);
  for (const std::string& file : filters) {
    if (selection->ReadFilter(file)) continue;
    llvm::errs() << "epk: cannot read the filter " << file << "\n";
    return nullptr;
  }
  return selection;
}

void Register(llvm::PassBuilder& builder) {
  const Selection* selection = ReadSelection();
  if (selection == nullptr) return;
  builder.registerOptimizerLastEPCallback(
      [selection](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(HooksPass(selection)); });
}

}  // namespace
}  // namespace epik::after_inlining

extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "epk_hooks", "1", epik::after_inlining::Register};
}
