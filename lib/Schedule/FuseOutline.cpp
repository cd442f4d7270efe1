//===- FuseOutline.cpp - Regions to private functions -----------------------===//
#include "mlir/IR/IRMapping.h"
#include "trace/IR/TraceOps.h"
#include "trace/Schedule/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::trace {
#define GEN_PASS_DEF_FUSEOUTLINE
#include "trace/Schedule/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;

namespace {

/// Ops of the name at most; the number behind it tells equal names apart.
constexpr unsigned maxNamedOps = 4;

/// A hash that equal regions share: ops with attributes and types, operands by the number of their definition.
llvm::hash_code hashRegion(FusionOp fusion) {
  DenseMap<Value, unsigned> numbers;
  Block &body = fusion.getBody().front();
  llvm::hash_code hash = llvm::hash_value(body.getNumArguments());
  for (BlockArgument argument : body.getArguments()) {
    numbers[argument] = numbers.size();
    hash = llvm::hash_combine(hash, argument.getType());
  }
  for (Operation &op : body) {
    hash = llvm::hash_combine(hash, op.getName().getAsOpaquePointer(), op.getDiscardableAttrDictionary(),
                              op.hashProperties());
    for (Value operand : op.getOperands())
      hash = llvm::hash_combine(hash, numbers.at(operand));
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      hash = llvm::hash_combine(hash, result.getType());
    }
  }
  return hash;
}

bool areEqual(FusionOp a, FusionOp b) {
  return OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// fused_exp_sum_div: the ops that compute, without repetition.
std::string describe(FusionOp fusion) {
  SmallVector<StringRef> names;
  StringRef moves = "copy";
  for (Operation &op : fusion.getBody().front()) {
    StringRef name = op.getName().stripDialect();
    bool computes = op.hasTrait<trace::OpTrait::Elementwise>() || op.hasTrait<trace::OpTrait::Reduction>() ||
                    op.hasTrait<trace::OpTrait::DataMovement>() ||
                    isa<RandomUniformOp, RandomNormalOp, GatherOp, TakeOp>(op);
    if (!computes) {
      if (isa<ConstantOp, FullOp, IotaOp>(op))
        moves = name;
      continue;
    }
    name.consume_front("reduce_");
    if (!llvm::is_contained(names, name) && names.size() < maxNamedOps)
      names.push_back(name);
  }
  if (names.empty())
    names.push_back(moves);
  return "fused_" + llvm::join(names, "_");
}

struct FuseOutline : trace::impl::FuseOutlineBase<FuseOutline> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<FusionOp> fusions;
    module.walk([&](FusionOp fusion) { fusions.push_back(fusion); });

    // The regions that have become functions, kept until the end for comparison.
    DenseMap<size_t, SmallVector<std::pair<FusionOp, func::FuncOp>>> known;
    llvm::StringMap<unsigned> counts;
    // New functions stand behind the function of the first call, in order of their calls.
    Operation *caller = nullptr, *last = nullptr;
    for (FusionOp fusion : fusions) {
      if (auto func = fusion->getParentOfType<func::FuncOp>(); func != caller)
        caller = last = func;
      auto &candidates = known[hashRegion(fusion)];
      auto *found = llvm::find_if(candidates, [&](auto &candidate) { return areEqual(candidate.first, fusion); });
      func::FuncOp callee;
      if (found != candidates.end()) {
        callee = found->second;
      } else {
        callee = outline(fusion, symbols, counts, last);
        last = callee;
        candidates.push_back({fusion, callee});
      }
      OpBuilder builder(fusion);
      auto call =
          CallOp::create(builder, fusion.getLoc(), fusion.getResultTypes(), callee.getSymName(), fusion.getOperands());
      fusion.replaceAllUsesWith(call);
    }
    for (FusionOp fusion : fusions)
      fusion.erase();
  }

  func::FuncOp outline(FusionOp fusion, SymbolTable &symbols, llvm::StringMap<unsigned> &counts, Operation *after) {
    OpBuilder builder(&getContext());
    std::string base = describe(fusion), name;
    do
      name = base + "_" + std::to_string(counts[base]++);
    while (symbols.lookup(name));
    auto type = builder.getFunctionType(fusion.getOperandTypes(), fusion.getResultTypes());
    auto func = func::FuncOp::create(fusion.getLoc(), name, type);
    func.setPrivate();
    func->setAttr(attrs::fusion, builder.getUnitAttr());
    symbols.insert(func, std::next(Block::iterator(after)));

    IRMapping map;
    fusion.getBody().cloneInto(&func.getBody(), map);
    auto yield = cast<YieldOp>(func.getBody().front().back());
    builder.setInsertionPoint(yield);
    ReturnOp::create(builder, yield.getLoc(), yield.getOperands());
    yield.erase();
    return func;
  }
};

} // namespace
