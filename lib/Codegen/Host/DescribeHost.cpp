//===- DescribeHost.cpp - A host function as data --------------------------===//
#include "trace/Codegen/Host/DescribeHost.h"
#include "Globals.h"
#include "LibraryForms.h"
#include "Literals.h"
#include "trace/Codegen/Host/Host.h"
#include "trace/Codegen/Host/Passes.h"
#include "trace/IR/TraceOps.h"
#include "trace/Schedule/Barrier.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"

namespace mlir::trace {
#define GEN_PASS_DEF_DESCRIBEHOST
#include "trace/Codegen/Host/Passes.h.inc"
} // namespace mlir::trace

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::host;
namespace json = llvm::json;

namespace {

class Describer {
public:
  explicit Describer(func::FuncOp func) : func(func) {}
  FailureOr<json::Object> run();

private:
  LogicalResult describe(Operation &op);
  LogicalResult addResults(Operation &op);
  int64_t add(Value value, ArrayRef<int64_t> strides);
  FailureOr<SmallVector<int64_t>> layoutOf(Operation &op, unsigned result);
  json::Array numbers(ValueRange list) {
    json::Array result;
    for (Value value : list)
      result.push_back(numberOf.at(value));
    return result;
  }

  func::FuncOp func;
  DenseMap<Value, int64_t> numberOf;
  DenseMap<Value, SmallVector<int64_t>> strides;
  json::Array values, steps;
};

} // namespace

int64_t Describer::add(Value value, ArrayRef<int64_t> valueStrides) {
  auto type = cast<RankedTensorType>(value.getType());
  StringRef name = getTorchName(type.getElementType());
  name.consume_front("torch.");
  int64_t number = values.size();
  values.push_back(
      json::Object{{"dtype", name}, {"shape", json::Array(type.getShape())}, {"strides", json::Array(valueStrides)}});
  numberOf[value] = number;
  strides[value] = SmallVector<int64_t>(valueStrides);
  return number;
}

FailureOr<SmallVector<int64_t>> Describer::layoutOf(Operation &op, unsigned result) {
  auto layouts = op.getAttrOfType<ArrayAttr>(layoutsAttr);
  if (!layouts || layouts.size() != op.getNumResults() || !isa<DenseI64ArrayAttr>(layouts[result]))
    return op.emitOpError("has no layout: trace-assign-layouts has to come first");
  return SmallVector<int64_t>(cast<DenseI64ArrayAttr>(layouts[result]).asArrayRef());
}

LogicalResult Describer::addResults(Operation &op) {
  for (OpResult result : op.getResults()) {
    FailureOr<SmallVector<int64_t>> layout = layoutOf(op, result.getResultNumber());
    if (failed(layout))
      return failure();
    add(result, *layout);
  }
  return success();
}

LogicalResult Describer::describe(Operation &op) {
  if (op.hasTrait<trace::OpTrait::ViewLike>()) {
    Value source = op.getOperand(0), result = op.getResult(0);
    auto layout = getViewLayout(&op, strides[source]);
    if (!layout)
      return op.emitOpError("cannot be a view of this layout: trace-assign-layouts has to come first");
    int64_t number = add(result, layout->strides);
    steps.push_back(
        json::Object{{"op", "view"}, {"of", numberOf.at(source)}, {"result", number}, {"offset", layout->offset}});
    return success();
  }
  if (isa<ReleaseOp, ReturnOp>(op))
    return success();
  std::string where = describeLocation(op.getLoc());
  if (auto check = dyn_cast<CheckIndexOp>(op)) {
    // Without `wrap` the result is the operand.
    if (!check.getWrap())
      add(check, strides[check.getIndex()]);
    else if (failed(addResults(op)))
      return failure();
    std::optional<uint64_t> ignore = check.getIgnore();
    steps.push_back(json::Object{{"op", "check_index"},
                                 {"of", numberOf.at(check.getIndex())},
                                 {"result", numberOf.at(check)},
                                 {"size", check.getSize()},
                                 {"wrap", check.getWrap()},
                                 {"ignore", ignore ? json::Value(static_cast<int64_t>(*ignore)) : nullptr},
                                 {"where", where}});
    return success();
  }
  if (failed(addResults(op)))
    return failure();
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    std::optional<std::string> bytes = getLiteralBytes(constant.getValue());
    if (!bytes)
      return op.emitOpError("has a value that cannot be written into a plan");
    steps.push_back(
        json::Object{{"op", "constant"}, {"result", numberOf.at(constant)}, {"data", llvm::encodeBase64(*bytes)}});
    return success();
  }
  if (auto call = dyn_cast<CallOp>(op)) {
    steps.push_back(json::Object{{"op", "fusion"},
                                 {"name", call.getCallee()},
                                 {"operands", numbers(call.getOperands_())},
                                 {"results", numbers(call.getResults())},
                                 {"where", where}});
    return success();
  }
  auto call = dyn_cast<CallLibraryOp>(op);
  if (!call)
    return op.emitOpError("has no host form; run trace-lower-to-library");
  FailureOr<std::string> text = getCallText(call);
  if (failed(text))
    return failure();
  json::Array results;
  for (Value result : call.getResults())
    results.push_back(isOnlyReleased(result) ? json::Value(nullptr) : json::Value(numberOf.at(result)));
  steps.push_back(json::Object{{"op", "library"},
                               {"call", *text},
                               {"operands", numbers(call.getOperands_())},
                               {"results", std::move(results)},
                               {"where", where}});
  return success();
}

FailureOr<json::Object> Describer::run() {
  json::Array arguments;
  for (BlockArgument argument : func.getArguments()) {
    auto given = func.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), attrs::strides);
    auto type = cast<RankedTensorType>(argument.getType());
    arguments.push_back(add(argument, given ? SmallVector<int64_t>(given.asArrayRef())
                                            : SmallVector<int64_t>(contiguousStrides(type.getShape()))));
  }
  for (Operation &op : func.getBody().front())
    if (failed(describe(op)))
      return failure();
  json::Array roles;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto role = func.getResultAttrOfType<RoleAttr>(i, attrs::role);
    roles.push_back(role ? stringifyRoleKind(role.getKind()) : "");
  }
  Operation *ret = func.getBody().front().getTerminator();
  return json::Object{{"name", func.getSymName()},         {"values", std::move(values)},
                      {"arguments", std::move(arguments)}, {"results", numbers(ret->getOperands())},
                      {"roles", std::move(roles)},         {"steps", std::move(steps)}};
}

FailureOr<json::Object> mlir::trace::describeHostFunction(func::FuncOp func) { return Describer(func).run(); }

namespace {

struct DescribeHost : mlir::trace::impl::DescribeHostBase<DescribeHost> {
  using DescribeHostBase::DescribeHostBase;

  void runOnOperation() override {
    std::error_code error;
    llvm::raw_fd_ostream os(output.empty() ? "-" : output.getValue(), error);
    if (error) {
      getOperation().emitError("cannot write ") << output << ": " << error.message();
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!isHostFunction(func))
        continue;
      FailureOr<json::Object> described = describeHostFunction(func);
      if (failed(described))
        return signalPassFailure();
      os << json::Value(std::move(*described)) << "\n";
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
