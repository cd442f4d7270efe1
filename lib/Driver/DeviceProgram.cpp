//===- DeviceProgram.cpp - A host function and its kernels as data ----------===//
#include "DeviceProgram.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "trace/Codegen/Host/DescribeHost.h"
#include "trace/IR/TraceOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::trace;
namespace json = llvm::json;

static constexpr StringLiteral moduleSuffix = "__gpu", kernelsAttr = "trace.kernels", scratchAttr = "trace.scratch";

/// What a launch needs of a kernel's dictionary, and what is known of its code.
static FailureOr<json::Object> describeKernel(gpu::BinaryOp binary, Attribute attribute) {
  auto kernel = dyn_cast<DictionaryAttr>(attribute);
  auto name = kernel ? kernel.getAs<StringAttr>("name") : StringAttr();
  if (!name)
    return binary.emitOpError("has a kernel without a name in ") << kernelsAttr;
  json::Object result{{"name", name.getValue()}};
  for (StringRef key : {"grid", "block", "slots"}) {
    auto list = kernel.getAs<DenseI64ArrayAttr>(key);
    if (!list || (key != "slots" && list.size() != 3))
      return binary.emitOpError("has no ") << key << " for the kernel " << name;
    result[key] = json::Array(list.asArrayRef());
  }
  for (StringRef key : {"shared", "registers", "spills", "stack"}) {
    auto number = kernel.getAs<IntegerAttr>(key);
    result[key] = number ? json::Value(number.getInt()) : key == "shared" ? json::Value(0) : json::Value(nullptr);
  }
  return result;
}

static StringRef kindName(gpu::CompilationTarget format) {
  switch (format) {
  case gpu::CompilationTarget::Assembly:
    return "ptx";
  case gpu::CompilationTarget::Binary:
    return "cubin";
  case gpu::CompilationTarget::Offload:
    return "bitcode";
  case gpu::CompilationTarget::Fatbin:
    return "fatbin";
  }
  llvm_unreachable("a form of a gpu.object");
}

std::vector<DeviceImage> mlir::trace::readImages(gpu::BinaryOp binary) {
  std::vector<DeviceImage> images;
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    StringRef bytes = object.getObject().getValue();
    // MLIR ends assembly with a NUL, which is no part of a file.
    if (object.getFormat() == gpu::CompilationTarget::Assembly)
      bytes = bytes.rtrim('\0');
    images.push_back({kindName(object.getFormat()).str(), bytes.str()});
  }
  return images;
}

FailureOr<DeviceProgram> mlir::trace::lowerForDevice(ModuleOp module, StringRef function,
                                                     const PipelineSettings &settings,
                                                     const std::function<void(StringRef, Operation *)> &keepModule,
                                                     const KeepStage &keepText) {
  auto func = module.lookupSymbol<func::FuncOp>(function);
  FailureOr<json::Object> plan = describeHostFunction(func);
  if (failed(plan))
    return failure();
  // The kernels' names are in the plan as long as the host function is as it was described.
  SmallVector<CallOp> calls(func.getOps<CallOp>());
  SmallVector<std::pair<std::string, Location>> fusions;
  llvm::StringSet<> seen;
  for (CallOp call : calls)
    if (seen.insert(call.getCallee()).second)
      fusions.emplace_back(call.getCallee().str(), call.getLoc());

  auto run = [&](Stage from, Stage to) {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    addDeviceCodegenPasses(pm, settings, from, to);
    return pm.run(module);
  };
  if (failed(run(Stage::Split, Stage::Gpu)))
    return failure();
  keepModule(getStageInfo(Stage::Gpu).name, module);
  if (failed(run(Stage::Gpu, Stage::Ptx)))
    return failure();

  DeviceProgram program;
  json::Object facts;
  for (auto &[fusion, loc] : fusions) {
    auto binary = module.lookupSymbol<gpu::BinaryOp>(fusion + moduleSuffix.str());
    auto kernels = binary ? binary->getAttrOfType<ArrayAttr>(kernelsAttr) : ArrayAttr();
    if (!kernels) {
      emitError(loc) << "the fusion " << fusion << " has no kernels";
      return failure();
    }
    json::Array described;
    for (Attribute kernel : kernels) {
      FailureOr<json::Object> entry = describeKernel(binary, kernel);
      if (failed(entry))
        return failure();
      described.push_back(std::move(*entry));
    }
    auto scratch = binary->getAttrOfType<DenseI64ArrayAttr>(scratchAttr);
    facts[fusion] = json::Object{{"scratch", scratch ? json::Array(scratch.asArrayRef()) : json::Array()},
                                 {"kernels", std::move(described)}};
    std::vector<DeviceImage> images = readImages(binary);
    for (const DeviceImage &image : images)
      if (image.kind == "ptx")
        keepText(getStageInfo(Stage::Ptx).name, "// " + fusion + "\n" + image.bytes + "\n");
    program.images[fusion] = std::move(images);
  }
  (*plan)["fusions"] = std::move(facts);
  program.plan = std::move(*plan);
  return program;
}
