//===- Compiled.cpp - Compiled graphs for Python ----------------------------===//
//
// Tensors cross as capsules of AtenTensorHandles, which torch._C._aoti makes of Python tensors and back. `forward` and
// `backward` take the handles over.
//
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "trace/Driver/CompiledGraph.h"
#include "trace/Driver/RuntimeLibrary.h"
#include "trace/Import/ImportBuilder.h"
#include "trace/Target/Nvptx.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::trace;

namespace {

/// Owns handles until the call they go to is over.
class Handles {
public:
  explicit Handles(nb::list capsules) {
    handles.reserve(capsules.size());
    for (nb::handle capsule : capsules) {
      void *handle = PyCapsule_GetPointer(capsule.ptr(), nullptr);
      if (!handle)
        throw nb::python_error();
      handles.push_back(handle);
    }
  }
  ~Handles() {
    for (void *handle : handles)
      getRuntimeLibrary()->deleteTensor(handle);
  }
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;

  ArrayRef<void *> get() const { return handles; }

private:
  SmallVector<void *> handles;
};

/// Capsules that the caller turns into tensors; None for a null handle.
nb::list toCapsules(ArrayRef<void *> handles) {
  nb::list result;
  for (void *handle : handles) {
    if (!handle) {
      result.append(nb::none());
      continue;
    }
    PyObject *capsule = PyCapsule_New(handle, nullptr, nullptr);
    if (!capsule)
      throw nb::python_error();
    result.append(nb::steal(capsule));
  }
  return result;
}

/// LibTorch's own message decides the exception: out-of-range indices are IndexErrors in eager too.
[[noreturn]] void raiseRuntimeError(const std::string &message) {
  if (message.find("IndexError") != std::string::npos || message.find("out of range") != std::string::npos ||
      message.find("out of bounds") != std::string::npos)
    throw nb::index_error(message.c_str());
  StringRef tag = "LinAlgError: ";
  if (size_t at = message.find(tag); at != std::string::npos) {
    std::string text = message;
    text.erase(at, tag.size());
    PyErr_SetString(nb::module_::import_("torch.linalg").attr("LinAlgError").ptr(), text.c_str());
    throw nb::python_error();
  }
  throw std::runtime_error(message);
}

/// A compiled graph with the module (and its context) that it came from.
class PyCompiledGraph {
public:
  PyCompiledGraph(ImportBuilder &builder, const CompileOptions &options) : context(builder.getContext()) {
    DiagnosticText diagnostics(context);
    FailureOr<std::unique_ptr<CompiledGraph>> compiled = failure();
    {
      nb::gil_scoped_release release;
      compiled = CompiledGraph::create(builder.getModule(), options);
    }
    if (failed(compiled))
      throw trace_python::DiagnosticError(diagnostics.take());
    graph = std::move(*compiled);
  }

  nb::list forward(nb::list capsules) {
    Handles arguments(capsules);
    SmallVector<void *> results;
    std::string error;
    LogicalResult status = failure();
    {
      nb::gil_scoped_release release;
      status = graph->runForward(arguments.get(), results, error);
    }
    if (failed(status))
      raiseRuntimeError(error);
    return toCapsules(results);
  }

  nb::list backward(const std::vector<bool> &mask, nb::list capsules) {
    Handles arguments(capsules);
    SmallVector<void *> gradients;
    SmallVector<bool> present(mask.begin(), mask.end());
    std::string error;
    LogicalResult status = failure();
    DiagnosticText diagnostics(context);
    {
      nb::gil_scoped_release release;
      status = graph->runBackward(present, arguments.get(), gradients, error);
    }
    if (failed(status)) {
      std::string text = diagnostics.take();
      // Told apart from failures at run time: the front end may then compute the gradients in another way.
      if (StringRef(error).starts_with("the backward could not be compiled"))
        throw trace_python::DiagnosticError(error + text);
      raiseRuntimeError(text.empty() ? error : text);
    }
    return toCapsules(gradients);
  }

  CompiledGraph &get() { return *graph; }

private:
  MLIRContext *context;
  std::unique_ptr<CompiledGraph> graph;
};

const char *kindName(BackwardArgument::Kind kind) {
  switch (kind) {
  case BackwardArgument::Saved:
    return "saved";
  case BackwardArgument::ForwardArgument:
    return "argument";
  case BackwardArgument::ForwardOutput:
    return "output";
  case BackwardArgument::Cotangent:
    return "cotangent";
  }
  return "";
}

} // namespace

void trace_python::bindCompiled(nb::module_ &m) {
  m.def(
      "load_runtime",
      [](const std::string &path) {
        std::string error;
        if (!loadRuntimeLibrary(path, error))
          throw nb::import_error(error.c_str());
      },
      nb::arg("path"), "Loads libtrace_runtime.so, which needs torch to be imported. Later calls do nothing.");
  m.def(
      "check_chip",
      [](const std::string &chip) {
        MLIRContext context;
        DiagnosticText diagnostics(&context);
        if (failed(getPtxFeatures(UnknownLoc::get(&context), chip)))
          throw trace_python::DiagnosticError(diagnostics.take());
      },
      nb::arg("chip"), "Raises DiagnosticError where there is no code for this GPU architecture.");
  nb::class_<PyCompiledGraph>(m, "CompiledGraph", "A captured module, compiled.")
      .def(
          "__init__",
          [](PyCompiledGraph *self, ImportBuilder &builder, const std::string &function, bool exactRounding,
             bool verifyStages, int64_t fuseLimit, unsigned vectorBits, bool locations, const std::string &device,
             const std::string &chip, bool emulated, bool load, const std::vector<std::string> &formats,
             int deviceIndex) {
            CompileOptions options;
            options.function = function;
            options.exactRounding = exactRounding;
            options.verifyStages = verifyStages;
            options.fuseLimit = fuseLimit;
            options.vectorBits = vectorBits;
            options.printLocations = locations;
            options.device = device;
            options.chip = chip;
            options.emulated = emulated;
            options.load = load;
            options.formats = formats;
            options.deviceIndex = deviceIndex;
            new (self) PyCompiledGraph(builder, options);
          },
          nb::arg("builder"), nb::kw_only(), nb::arg("function") = "main", nb::arg("exact_rounding") = false,
          nb::arg("verify_stages") = false, nb::arg("fuse_limit") = -1, nb::arg("vector_bits") = 0,
          nb::arg("locations") = false, nb::arg("device") = "cpu", nb::arg("chip") = "sm_90",
          nb::arg("emulated") = false, nb::arg("load") = true,
          nb::arg("formats") = std::vector<std::string>{"cubin", "ptx"}, nb::arg("device_index") = 0,
          nb::keep_alive<1, 2>(), "Compiles the builder's module. Raises DiagnosticError.")
      .def("forward", &PyCompiledGraph::forward, nb::arg("arguments"),
           "Runs the forward: its results, then the saved values. Takes the handles over.")
      .def("backward", &PyCompiledGraph::backward, nb::arg("mask"), nb::arg("arguments"),
           "Runs the backward for the cotangents that `mask` has; None for a gradient that is zero. Takes the handles "
           "over.")
      .def_prop_ro(
          "stages", [](PyCompiledGraph &self) { return self.get().getStages(); },
          "(stage, IR) of every stage so far, in order.")
      .def_prop_ro(
          "report",
          [](PyCompiledGraph &self) {
            CompileReport report = self.get().getReport();
            nb::dict result;
            result["fusions"] = report.fusions;
            result["library_calls"] = report.libraryCalls;
            result["saved_tensors"] = report.savedTensors;
            result["saved_bytes"] = report.savedBytes;
            nb::dict seconds;
            for (auto &[stage, value] : report.secondsByStage)
              seconds[stage.c_str()] = value;
            result["compile_seconds"] = seconds;
            return result;
          },
          "What torch_trace.report shows of this graph.")
      .def_prop_ro(
          "device_program", [](PyCompiledGraph &self) { return self.get().getDeviceProgram(); },
          "With load=False: JSON text of what forward and backward do, and of their kernels.")
      .def(
          "device_images",
          [](PyCompiledGraph &self, const std::string &side, const std::string &fusion) {
            if (side != "forward" && side != "backward")
              throw nb::value_error("a side is 'forward' or 'backward'");
            auto which = side == "forward" ? CompiledGraph::Side::Forward : CompiledGraph::Side::Backward;
            nb::list result;
            for (const DeviceImage &image : self.get().getDeviceImages(which, fusion))
              result.append(nb::make_tuple(image.kind, nb::bytes(image.bytes.data(), image.bytes.size())));
            return result;
          },
          nb::arg("side"), nb::arg("fusion"),
          "With load=False: (\"ptx\", \"cubin\" or \"bitcode\", bytes) of each form of a fusion's kernels.")
      .def_prop_ro("num_outputs", [](PyCompiledGraph &self) { return self.get().getNumOutputs(); })
      .def_prop_ro("num_saved", [](PyCompiledGraph &self) { return self.get().getNumSaved(); })
      .def_prop_ro("has_backward", [](PyCompiledGraph &self) { return self.get().hasBackward(); })
      .def_prop_ro("differentiable_outputs",
                   [](PyCompiledGraph &self) {
                     ArrayRef<bool> flags = self.get().getDifferentiableOutputs();
                     return std::vector<bool>(flags.begin(), flags.end());
                   })
      .def_prop_ro("backward_arguments",
                   [](PyCompiledGraph &self) {
                     std::vector<std::pair<std::string, int64_t>> result;
                     for (const BackwardArgument &argument : self.get().getBackwardArguments())
                       result.emplace_back(kindName(argument.kind), argument.index);
                     return result;
                   })
      .def_prop_ro("gradient_arguments", [](PyCompiledGraph &self) {
        ArrayRef<int64_t> arguments = self.get().getGradientArguments();
        return std::vector<int64_t>(arguments.begin(), arguments.end());
      });
}
