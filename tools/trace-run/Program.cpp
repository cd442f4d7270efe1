//===- Program.cpp - Functions, joints, and forward with backward -----------===//
#include "Program.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::trace;

namespace {
class InterpreterBackend : public Backend {
public:
  explicit InterpreterBackend(bool f64) { options.f64 = f64; }
  FailureOr<SmallVector<Tensor>> run(func::FuncOp func, ArrayRef<Tensor> arguments,
                                     const llvm::DenseMap<int64_t, Tensor> &cotangents) override {
    options.cotangents = cotangents;
    return interpret(func, arguments, options);
  }
  FailureOr<SmallVector<Tensor>> runLowered(ModuleOp, func::FuncOp declaration, ArrayRef<Tensor>) override {
    return declaration.emitError("is at the lowered stage, which the interpreter does not know: run it compiled, or "
                                 "interpret the split stage");
  }

private:
  InterpreterOptions options;
};
} // namespace

std::unique_ptr<Backend> mlir::trace::createInterpreterBackend(bool f64) {
  return std::make_unique<InterpreterBackend>(f64);
}

FailureOr<Program> Program::find(ModuleOp module, StringRef name, ModuleOp declarations) {
  if (declarations) {
    FailureOr<Program> program = find(declarations, name);
    if (succeeded(program))
      program->lowered = module;
    return program;
  }
  SymbolTable symbols(module);
  if (!name.empty()) {
    Program program;
    program.function = symbols.lookup<func::FuncOp>(name);
    program.forward = symbols.lookup<func::FuncOp>((name + "_forward").str());
    program.backward = symbols.lookup<func::FuncOp>((name + "_backward").str());
    if (program.function)
      program.forward = program.backward = nullptr;
    if (!program.getEntry())
      return module.emitError("no function @") << name << ", nor @" << name << "_forward";
    return program;
  }
  SmallVector<std::string> names;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isPrivate())
      continue;
    StringRef symbol = func.getName();
    if (func->hasAttr(attrs::side) && (symbol.consume_back("_forward") || symbol.consume_back("_backward"))) {
      if (!llvm::is_contained(names, symbol))
        names.push_back(symbol.str());
    } else {
      names.push_back(symbol.str());
    }
  }
  if (names.size() == 1)
    return find(module, names[0]);
  if (names.empty() && module.getOps<func::FuncOp>().empty())
    return module.emitError("no function on tensors, nor one at the lowered stage that says with trace.signature what "
                            "tensors it takes");
  InFlightDiagnostic error = module.emitError(names.empty() ? "no public function" : "several functions: ");
  llvm::interleaveComma(names, error, [&](const std::string &text) { error << "@" << text; });
  return error << "; choose one with --function";
}

static RoleAttr roleOf(func::FuncOp func, unsigned argument) {
  return func.getArgAttrOfType<RoleAttr>(argument, attrs::role);
}

SmallVector<std::pair<int64_t, RankedTensorType>> Program::getCotangents() const {
  SmallVector<std::pair<int64_t, RankedTensorType>> result;
  if (function)
    for (auto op : const_cast<func::FuncOp &>(function).getOps<GetGradOp>())
      result.push_back({op.getOutput(), op.getType()});
  else if (backward)
    for (unsigned i = 0, e = const_cast<func::FuncOp &>(backward).getNumArguments(); i < e; ++i)
      if (RoleAttr role = roleOf(backward, i); role && role.getKind() == RoleKind::Cotangent && role.getIndex())
        result.push_back(
            {*role.getIndex(), cast<RankedTensorType>(const_cast<func::FuncOp &>(backward).getArgumentTypes()[i])});
  llvm::sort(result, [](auto &a, auto &b) { return a.first < b.first; });
  result.erase(llvm::unique(result), result.end());
  return result;
}

FailureOr<SmallVector<Tensor>> Program::runFunction(Backend &backend, func::FuncOp func, ArrayRef<Tensor> arguments,
                                                    const llvm::DenseMap<int64_t, Tensor> &cotangents) const {
  return lowered ? backend.runLowered(lowered, func, arguments) : backend.run(func, arguments, cotangents);
}

FailureOr<SmallVector<Tensor>> Program::run(Backend &backend, ArrayRef<Tensor> arguments,
                                            const llvm::DenseMap<int64_t, Tensor> &cotangents) const {
  if (function)
    return runFunction(backend, function, arguments, cotangents);
  FailureOr<SmallVector<Tensor>> all = runFunction(backend, forward, arguments, cotangents);
  if (failed(all))
    return failure();
  SmallVector<Tensor> outputs;
  llvm::DenseMap<int64_t, Tensor> saved;
  for (auto [i, tensor] : llvm::enumerate(*all)) {
    auto role = const_cast<func::FuncOp &>(forward).getResultAttrOfType<RoleAttr>(i, attrs::role);
    if (role && role.getKind() == RoleKind::Saved && role.getIndex())
      saved[*role.getIndex()] = tensor;
    else
      outputs.push_back(tensor);
  }
  if (!backward)
    return outputs;
  func::FuncOp func = backward;
  SmallVector<Tensor> inputs;
  auto number = [&](unsigned i, StringRef name) -> std::optional<int64_t> {
    if (auto attr = func.getArgAttrOfType<IntegerAttr>(i, name))
      return attr.getInt();
    return std::nullopt;
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    RoleAttr role = roleOf(func, i);
    auto missing = [&] { return func.emitError("argument ") << i << " has no value in the forward"; };
    auto fromMap = [&](const llvm::DenseMap<int64_t, Tensor> &map) {
      auto it = map.find(role.getIndex().value_or(-1));
      if (it == map.end())
        return false;
      inputs.push_back(it->second);
      return true;
    };
    if (std::optional<int64_t> j = number(i, "trace.forward_argument")) {
      if (*j < 0 || *j >= static_cast<int64_t>(arguments.size()))
        return missing();
      inputs.push_back(arguments[*j]);
    } else if (std::optional<int64_t> k = number(i, "trace.forward_output")) {
      if (*k < 0 || *k >= static_cast<int64_t>(outputs.size()))
        return missing();
      inputs.push_back(outputs[*k]);
    } else if (!role || !fromMap(role.getKind() == RoleKind::Cotangent ? cotangents : saved)) {
      return missing();
    }
  }
  FailureOr<SmallVector<Tensor>> gradients = runFunction(backend, backward, inputs, llvm::DenseMap<int64_t, Tensor>());
  if (failed(gradients))
    return failure();
  llvm::append_range(outputs, *gradients);
  return outputs;
}
