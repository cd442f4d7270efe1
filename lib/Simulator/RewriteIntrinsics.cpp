//===- RewriteIntrinsics.cpp - Threads, barriers and warps on the host ------===//
#include "Rewrite.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"

using namespace mlir::trace::simulator;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

static Site describe(const llvm::Instruction &instruction, llvm::ModuleSlotTracker &slots) {
  Site site;
  site.function = instruction.getFunction()->getName().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  instruction.print(os, slots);
  // Metadata and attribute groups say nothing to a reader.
  StringRef visible = StringRef(text).trim();
  visible = visible.substr(0, std::min(visible.find(", !"), visible.find(" #")));
  constexpr size_t longest = 160;
  site.instruction = visible.size() > longest ? visible.take_front(longest).str() + "..." : visible.str();
  if (const llvm::DebugLoc &loc = instruction.getDebugLoc())
    site.location = (loc->getFilename() + ":" + llvm::Twine(loc.getLine()) + ":" + llvm::Twine(loc.getCol())).str();
  return site;
}

SiteTable::SiteTable(const llvm::Module &module, std::vector<Site> &sites) : sites(sites) {
  sites.emplace_back();
  llvm::ModuleSlotTracker slots(&module, /*ShouldInitializeAllMetadata=*/false);
  for (const llvm::Function &function : module) {
    slots.incorporateFunction(function);
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.mayReadOrWriteMemory())
        descriptions[&instruction] = describe(instruction, slots);
  }
}

uint32_t SiteTable::add(const llvm::Instruction &instruction, SiteKind kind) {
  auto it = descriptions.find(&instruction);
  Site site;
  if (it != descriptions.end())
    site = it->second;
  site.kind = kind;
  sites.push_back(std::move(site));
  return sites.size() - 1;
}

namespace {
struct Rewriter {
  llvm::Module &module;
  SiteTable &sites;
  std::vector<std::string> &errors;
  llvm::LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context),
       *pointer = llvm::PointerType::get(context, 0), *nothing = Type::getVoidTy(context);

  llvm::CallInst *callHelper(llvm::IRBuilder<> &b, StringRef name, Type *result, llvm::ArrayRef<Value *> arguments,
                             bool pure = false) {
    llvm::SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->addFnAttr(llvm::Attribute::NoUnwind);
    if (pure) {
      function->setDoesNotAccessMemory();
      function->addFnAttr(llvm::Attribute::WillReturn);
    } else {
      function->addFnAttr(llvm::Attribute::Convergent);
    }
    return b.CreateCall(callee, arguments);
  }

  Value *readRegister(llvm::IRBuilder<> &b, StringRef name);
  Value *rewriteBarrier(llvm::CallInst &call, StringRef name);
  Value *rewriteWarp(llvm::CallInst &call, StringRef name);
  Value *rewriteMemory(llvm::CallInst &call, StringRef name);
  Value *rewrite(llvm::CallInst &call, StringRef name, bool &known);
  void rewriteFunction(llvm::CallInst &call, StringRef name);
  void run();
};
} // namespace

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value *Rewriter::readRegister(llvm::IRBuilder<> &b, StringRef name) {
  auto read = [&](Register id) {
    return callHelper(b, "trace_sim_register", i32, {b.getInt32(static_cast<uint32_t>(id))}, /*pure=*/true);
  };
  auto along = [&](Register first, StringRef dimension) -> Value * {
    if (dimension == "w")
      return b.getInt32(first == Register::TidX || first == Register::CtaidX ? 0 : 1);
    uint32_t offset = dimension == "x" ? 0 : dimension == "y" ? 1 : 2;
    return read(static_cast<Register>(static_cast<uint32_t>(first) + offset));
  };
  auto [base, dimension] = name.rsplit('.');
  if (dimension.size() == 1) {
    if (base == "tid")
      return along(Register::TidX, dimension);
    if (base == "ntid")
      return along(Register::NtidX, dimension);
    // Without clusters each block is one of its own.
    if (base == "ctaid" || base == "clusterid")
      return along(Register::CtaidX, dimension);
    if (base == "nctaid" || base == "nclusterid")
      return along(Register::NctaidX, dimension);
    if (base == "cluster.ctaid")
      return b.getInt32(0);
    if (base == "cluster.nctaid")
      return b.getInt32(1);
  }
  if (name == "clock64" || name == "globaltimer")
    return callHelper(b, "trace_sim_clock", i64, {});
  if (name == "clock" || name == "globaltimer.lo")
    return b.CreateTrunc(callHelper(b, "trace_sim_clock", i64, {}), i32);
  int constant = llvm::StringSwitch<int>(name)
                     .Case("warpsize", 32)
                     .Case("nsmid", 132)
                     .Case("nwarpid", 64)
                     .Case("gridid", 0)
                     .Case("cluster.ctarank", 0)
                     .Case("cluster.nctarank", 1)
                     .Default(-1);
  if (constant >= 0)
    return llvm::ConstantInt::get(name == "gridid" ? i64 : i32, constant);
  auto id = llvm::StringSwitch<std::optional<Register>>(name)
                .Case("laneid", Register::Lane)
                .Case("warpid", Register::Warp)
                .Case("lanemask.eq", Register::LaneMaskEq)
                .Case("lanemask.le", Register::LaneMaskLe)
                .Case("lanemask.lt", Register::LaneMaskLt)
                .Case("lanemask.ge", Register::LaneMaskGe)
                .Case("lanemask.gt", Register::LaneMaskGt)
                .Case("dynamic_smem_size", Register::DynamicShared)
                .Case("total_smem_size", Register::TotalShared)
                .Case("aggr_smem_size", Register::TotalShared)
                .Case("smid", Register::Multiprocessor)
                .Default(std::nullopt);
  return id ? read(*id) : nullptr;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// barrier.cta.{sync,arrive,red.and,red.or,red.popc}[.aligned].{all,count}.
Value *Rewriter::rewriteBarrier(llvm::CallInst &call, StringRef name) {
  llvm::IRBuilder<> b(&call);
  if (!name.consume_front("barrier.cta."))
    return nullptr;
  BarrierOp op;
  if (name.consume_front("sync."))
    op = BarrierOp::Sync;
  else if (name.consume_front("arrive."))
    op = BarrierOp::Arrive;
  else if (name.consume_front("red.and."))
    op = BarrierOp::And;
  else if (name.consume_front("red.or."))
    op = BarrierOp::Or;
  else if (name.consume_front("red.popc."))
    op = BarrierOp::PopulationCount;
  else
    return nullptr;
  uint32_t site = sites.add(call, SiteKind::Barrier);
  sites.get(site).aligned = name.consume_front("aligned.");
  unsigned next = 1;
  Value *count = name == "count" ? call.getArgOperand(next++) : b.getInt32(0);
  Value *value = b.getInt32(0);
  if (call.arg_size() > next)
    value = b.CreateZExt(call.getArgOperand(next), i32);
  Value *result =
      callHelper(b, "trace_sim_barrier", i32,
                 {b.getInt32(site), call.getArgOperand(0), count, b.getInt32(static_cast<uint32_t>(op)), value});
  if (call.getType()->isIntegerTy(1))
    result = b.CreateIsNotNull(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

Value *Rewriter::rewriteWarp(llvm::CallInst &call, StringRef name) {
  llvm::IRBuilder<> b(&call);
  if (name == "activemask")
    return callHelper(b, "trace_sim_active_mask", i32, {});
  auto run = [&](WarpOp op, Value *mask, Value *value, Value *x = nullptr, Value *y = nullptr) -> Value * {
    uint32_t site = sites.add(call, SiteKind::WarpOp);
    return callHelper(b, "trace_sim_warp", i64,
                      {b.getInt32(site), b.getInt32(static_cast<uint32_t>(op)), mask, value, x ? x : b.getInt32(0),
                       y ? y : b.getInt32(0)});
  };
  auto predicate = [&] { return b.CreateIsNotNull(callHelper(b, "trace_sim_warp_predicate", i32, {})); };
  auto pair = [&](Value *first, Value *second) {
    Value *result = llvm::PoisonValue::get(call.getType());
    return b.CreateInsertValue(b.CreateInsertValue(result, first, 0), second, 1);
  };
  auto argument = [&](unsigned i) { return call.getArgOperand(i); };

  if (name == "bar.warp.sync") {
    run(WarpOp::Sync, argument(0), b.getInt64(0));
    return b.getInt32(0);
  }
  if (name.consume_front("shfl.sync.")) {
    auto [direction, type] = name.split('.');
    WarpOp op = llvm::StringSwitch<WarpOp>(direction)
                    .Case("up", WarpOp::ShuffleUp)
                    .Case("down", WarpOp::ShuffleDown)
                    .Case("bfly", WarpOp::ShuffleButterfly)
                    .Default(WarpOp::ShuffleIndex);
    Value *value = argument(1);
    bool isFloat = type.starts_with("f32");
    if (isFloat)
      value = b.CreateBitCast(value, i32);
    Value *result = b.CreateTrunc(run(op, argument(0), b.CreateZExt(value, i64), argument(2), argument(3)), i32);
    if (isFloat)
      result = b.CreateBitCast(result, b.getFloatTy());
    return type.ends_with("p") ? pair(result, predicate()) : result;
  }
  if (name.consume_front("vote.") && name.consume_back(".sync")) {
    WarpOp op = llvm::StringSwitch<WarpOp>(name)
                    .Case("all", WarpOp::VoteAll)
                    .Case("any", WarpOp::VoteAny)
                    .Case("uni", WarpOp::VoteUniform)
                    .Default(WarpOp::VoteBallot);
    Value *result = run(op, argument(0), b.CreateZExt(argument(1), i64));
    return op == WarpOp::VoteBallot ? b.CreateTrunc(result, i32) : b.CreateIsNotNull(result);
  }
  if (name.starts_with("match.any.sync."))
    return b.CreateTrunc(run(WarpOp::MatchAny, argument(0), b.CreateZExt(argument(1), i64)), i32);
  if (name.starts_with("match.all.sync.")) {
    Value *result = b.CreateTrunc(run(WarpOp::MatchAll, argument(0), b.CreateZExt(argument(1), i64)), i32);
    return pair(result, predicate());
  }
  if (name == "elect.sync") {
    Value *result = b.CreateTrunc(run(WarpOp::Elect, argument(0), b.getInt64(0)), i32);
    return pair(result, predicate());
  }
  if (name.consume_front("redux.sync.")) {
    auto op = llvm::StringSwitch<std::optional<WarpOp>>(name)
                  .Case("add", WarpOp::ReduceAdd)
                  .Case("min", WarpOp::ReduceMin)
                  .Case("max", WarpOp::ReduceMax)
                  .Case("umin", WarpOp::ReduceUnsignedMin)
                  .Case("umax", WarpOp::ReduceUnsignedMax)
                  .Case("and", WarpOp::ReduceAnd)
                  .Case("or", WarpOp::ReduceOr)
                  .Case("xor", WarpOp::ReduceXor)
                  .Default(std::nullopt);
    if (op)
      return b.CreateTrunc(run(*op, argument(1), b.CreateZExt(argument(0), i64)), i32);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value *Rewriter::rewriteMemory(llvm::CallInst &call, StringRef name) {
  llvm::IRBuilder<> b(&call);
  if (name.starts_with("ldu.global.")) {
    auto *align = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1));
    auto *load = b.CreateAlignedLoad(call.getType(), call.getArgOperand(0), llvm::MaybeAlign(align->getZExtValue()));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
    return load;
  }
  if (name.starts_with("isspacep.")) {
    Value *generic = b.CreateAddrSpaceCast(call.getArgOperand(0), pointer);
    Value *space = callHelper(b, "trace_sim_space", i32, {generic}, /*pure=*/true);
    // Constants lie in global memory here.
    uint32_t number = name == "isspacep.local" ? 5 : name.starts_with("isspacep.shared") ? 3 : 1;
    return b.CreateICmpEQ(space, b.getInt32(number));
  }
  if (!name.consume_front("atomic."))
    return nullptr;
  using Op = llvm::AtomicRMWInst::BinOp;
  StringRef opName = name.split('.').first;
  auto ordering = llvm::AtomicOrdering::Monotonic;
  if (opName == "cas") {
    Value *pair = b.CreateAtomicCmpXchg(call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
                                        llvm::MaybeAlign(), ordering, ordering);
    return b.CreateExtractValue(pair, 0);
  }
  auto op = llvm::StringSwitch<std::optional<Op>>(opName)
                .Case("add", call.getType()->isFloatingPointTy() ? Op::FAdd : Op::Add)
                .Case("and", Op::And)
                .Case("or", Op::Or)
                .Case("xor", Op::Xor)
                .Case("exch", Op::Xchg)
                .Case("min", Op::Min)
                .Case("max", Op::Max)
                .Case("inc", Op::UIncWrap)
                .Case("dec", Op::UDecWrap)
                .Default(std::nullopt);
  if (!op)
    return nullptr;
  return b.CreateAtomicRMW(*op, call.getArgOperand(0), call.getArgOperand(1), llvm::MaybeAlign(), ordering);
}

//===----------------------------------------------------------------------===//
// All calls
//===----------------------------------------------------------------------===//

/// `name` is without "llvm.nvvm.". Sets `known` where the call needs nothing in its place.
Value *Rewriter::rewrite(llvm::CallInst &call, StringRef name, bool &known) {
  llvm::IRBuilder<> b(&call);
  known = true;
  if (name.consume_front("read.ptx.sreg."))
    return readRegister(b, name);
  if (name.starts_with("barrier."))
    return rewriteBarrier(call, name);
  if (Value *result = rewriteWarp(call, name))
    return result;
  if (Value *result = rewriteMemory(call, name))
    return result;
  if (name == "exit")
    return callHelper(b, "trace_sim_exit", nothing, {});
  // One fiber runs at a time, and sees what the others have written.
  for (StringRef nothingToDo : {"membar.", "fence.", "prefetch", "nanosleep", "applypriority.", "discard."})
    if (name.starts_with(nothingToDo))
      return b.getInt32(0);
  if (name == "reflect")
    return b.getInt32(0);
  return rewriteArithmetic(call, name);
}

/// Functions of the device's library that the host has in another form.
void Rewriter::rewriteFunction(llvm::CallInst &call, StringRef name) {
  llvm::IRBuilder<> b(&call);
  if (name == "__assertfail") {
    auto generic = [&](unsigned i) { return b.CreateAddrSpaceCast(call.getArgOperand(i), pointer); };
    callHelper(b, "trace_sim_trap", nothing,
               {b.getInt32(0), b.getInt32(1), generic(0), generic(1), call.getArgOperand(2)});
  } else if (name == "__nvvm_reflect") {
    // What libdevice asks: whether subnormals are flushed and square roots and divisions are exact.
    call.replaceAllUsesWith(b.getInt32(0));
  }
  call.eraseFromParent();
}

void Rewriter::run() {
  llvm::SmallVector<llvm::CallInst *> calls;
  llvm::SmallVector<std::string> seen;
  auto complain = [&](const llvm::Twine &text) {
    if (!llvm::is_contained(errors, text.str()))
      errors.push_back(text.str());
  };
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call) {
        if (llvm::isa<llvm::CallBase>(&instruction))
          complain("@" + function.getName() + " has a call that may unwind");
        continue;
      }
      calls.push_back(call);
    }
  for (llvm::CallInst *call : calls) {
    if (call->isInlineAsm()) {
      Value *result = rewriteAssembly(*call);
      if (!result) {
        complain("@" + call->getFunction()->getName() + " has inline assembly, which the host cannot run: '" +
                 llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString() + "'");
        continue;
      }
      call->replaceAllUsesWith(result);
      call->eraseFromParent();
      continue;
    }
    llvm::Function *callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration())
      continue;
    StringRef name = callee->getName(), function = call->getFunction()->getName();
    if (name == "__assertfail" || name == "__nvvm_reflect") {
      rewriteFunction(*call, name);
      continue;
    }
    if (callee->getIntrinsicID() == llvm::Intrinsic::trap || callee->getIntrinsicID() == llvm::Intrinsic::ubsantrap) {
      llvm::IRBuilder<> b(call);
      uint32_t site = sites.add(*call, SiteKind::Trap);
      Value *null = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
      callHelper(b, "trace_sim_trap", nothing, {b.getInt32(site), b.getInt32(0), null, null, b.getInt32(0)});
      call->eraseFromParent();
      continue;
    }
    if (!name.consume_front("llvm.nvvm."))
      continue;
    bool known = false;
    Value *result = rewrite(*call, name, known);
    if (!result) {
      complain("@" + function + " calls llvm.nvvm." + name + ", which the simulator does not know");
      continue;
    }
    if (!call->getType()->isVoidTy())
      call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

void mlir::trace::simulator::rewriteIntrinsics(llvm::Module &module, SiteTable &sites,
                                               std::vector<std::string> &errors) {
  Rewriter{module, sites, errors}.run();
}
