//===- NvptxAssemble.cpp - Machine code from PTX ----------------------------===//
#include "mlir/IR/Diagnostics.h"
#include "trace/Target/JitModule.h"
#include "trace/Target/Nvptx.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The number in front of `unit` in `line`, or 0.
static int64_t getCount(StringRef line, StringRef unit) {
  SmallVector<StringRef, 2> matches;
  int64_t count = 0;
  if (llvm::Regex("([0-9]+) " + unit.str()).match(line, &matches))
    (void)matches[1].getAsInteger(10, count);
  return count;
}

llvm::StringMap<trace::KernelResources> trace::parsePtxasMessages(StringRef text) {
  llvm::StringMap<KernelResources> kernels;
  KernelResources *current = nullptr;
  // A kernel is announced, then come the properties of all its functions, the used registers last.
  bool isOwnFrame = false;
  for (StringRef line : llvm::split(text, '\n')) {
    SmallVector<StringRef, 2> matches;
    if (llvm::Regex("Compiling entry function '([^']+)'").match(line, &matches)) {
      current = &kernels[matches[1]];
      continue;
    }
    if (!current)
      continue;
    if (llvm::Regex("Function properties for ([^ ]+)").match(line, &matches)) {
      auto it = kernels.find(matches[1]);
      isOwnFrame = it != kernels.end() && &it->second == current;
    } else if (line.contains("bytes stack frame")) {
      // Functions that were not inlined spill on the kernel's account.
      if (isOwnFrame)
        current->stack = getCount(line, "bytes stack frame");
      current->spillStores += getCount(line, "bytes spill stores");
      current->spillLoads += getCount(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      current->registers = getCount(line, "registers");
      current->shared = getCount(line, "bytes smem");
    }
  }
  return kernels;
}

/// The tool's complaints in one line: "line 4: Unknown modifier '.op'; ...". Without the path of a temporary file, and
/// without the last line, which says that there were errors.
static std::string summarize(StringRef log) {
  std::string complaints, other;
  auto append = [](std::string &text, const Twine &more) { text += (text.empty() ? more : "; " + more).str(); };
  for (StringRef line : llvm::split(log, '\n')) {
    line = line.trim();
    SmallVector<StringRef, 3> matches;
    if (llvm::Regex(", (line [0-9]+); *(error|fatal) *: *(.*)$").match(line, &matches))
      append(complaints, matches[1] + ": " + matches[3]);
    else if (!line.empty() && !line.starts_with("ptxas info"))
      append(other, line);
  }
  return complaints.empty() ? other : complaints;
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

/// Arguments common to ptxas and nvJitLink in meaning: the source's products and sums are not contracted.
static SmallVector<std::string> getPtxasArguments(const trace::NvptxOptions &options) {
  return {"-arch=" + options.chip, "-O" + std::to_string(options.optLevel), "--fmad=false", "-v"};
}

static FailureOr<trace::Cubin> runPtxas(Location loc, StringRef ptx, StringRef path,
                                        const trace::NvptxOptions &options) {
  SmallString<128> source, output, messages;
  llvm::scope_exit remove([&] {
    for (StringRef file : {source, output, messages})
      if (!file.empty())
        fs::remove(file);
  });
  int descriptor = -1;
  std::error_code error = fs::createTemporaryFile("torch-trace", "ptx", descriptor, source);
  if (!error) {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << ptx;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = fs::createTemporaryFile("torch-trace", "cubin", output);
  if (!error)
    error = fs::createTemporaryFile("torch-trace", "txt", messages);
  if (error)
    return emitError(loc) << "cannot write a temporary file for ptxas: " << error.message();

  SmallVector<std::string> arguments = getPtxasArguments(options);
  SmallVector<StringRef> command = {path};
  llvm::append_range(command, arguments);
  llvm::append_range(command, ArrayRef<StringRef>{source, "-o", output});
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(path, command, /*Env=*/std::nullopt, {StringRef(""), messages, messages},
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  trace::Cubin cubin;
  if (auto text = llvm::MemoryBuffer::getFile(messages))
    cubin.log = (*text)->getBuffer().str();
  if (status != 0) {
    InFlightDiagnostic diagnostic = emitError(loc) << "'" << path << "' failed";
    if (std::string text = failure.empty() ? summarize(cubin.log) : failure; !text.empty())
      diagnostic << ": " << text;
    return diagnostic;
  }
  auto bytes = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes)
    return emitError(loc) << "cannot read what '" << path << "' wrote: " << bytes.getError().message();
  cubin.bytes = (*bytes)->getBuffer().str();
  return cubin;
}

//===----------------------------------------------------------------------===//
// nvJitLink
//===----------------------------------------------------------------------===//

namespace {

/// The functions of nvJitLink.h that are needed; the library's results are 0 for success.
struct NvJitLink {
  using Handle = void *;
  int (*create)(Handle *, uint32_t count, const char **options) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int kind, const void *data, size_t size, const char *name) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*getCubinSize)(Handle, size_t *) = nullptr;
  int (*getCubin)(Handle, void *) = nullptr;
  int (*getErrorSize)(Handle, size_t *) = nullptr;
  int (*getError)(Handle, char *) = nullptr;
  int (*getInfoSize)(Handle, size_t *) = nullptr;
  int (*getInfo)(Handle, char *) = nullptr;
  /// NVJITLINK_INPUT_PTX.
  static constexpr int ptxInput = 2;

  static std::optional<NvJitLink> load(const trace::NvptxOptions &options) {
    for (const std::string &path : trace::findNvJitLink(options)) {
      std::string error;
      llvm::sys::DynamicLibrary library = llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &error);
      NvJitLink functions;
      if (library.isValid() && functions.resolve(library))
        return functions;
    }
    return std::nullopt;
  }

private:
  bool resolve(llvm::sys::DynamicLibrary &library) {
    auto get = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.getAddressOfSymbol(name));
      return function != nullptr;
    };
    return get(create, "nvJitLinkCreate") && get(destroy, "nvJitLinkDestroy") && get(addData, "nvJitLinkAddData") &&
           get(complete, "nvJitLinkComplete") && get(getCubinSize, "nvJitLinkGetLinkedCubinSize") &&
           get(getCubin, "nvJitLinkGetLinkedCubin") && get(getErrorSize, "nvJitLinkGetErrorLogSize") &&
           get(getError, "nvJitLinkGetErrorLog") && get(getInfoSize, "nvJitLinkGetInfoLogSize") &&
           get(getInfo, "nvJitLinkGetInfoLog");
  }
};

} // namespace

static std::string getLog(NvJitLink::Handle handle, int (*getSize)(NvJitLink::Handle, size_t *),
                          int (*get)(NvJitLink::Handle, char *)) {
  size_t size = 0;
  if (getSize(handle, &size) != 0 || size == 0)
    return "";
  std::string text(size, '\0');
  if (get(handle, text.data()) != 0)
    return "";
  return StringRef(text).rtrim('\0').str();
}

static FailureOr<trace::Cubin> runNvJitLink(Location loc, StringRef ptx, const NvJitLink &library,
                                            const trace::NvptxOptions &options) {
  std::string arch = "-arch=" + options.chip, level = "-O" + std::to_string(options.optLevel);
  SmallVector<const char *> arguments = {arch.c_str(), level.c_str(), "-fma=0", "-verbose"};
  NvJitLink::Handle handle = nullptr;
  if (int status = library.create(&handle, arguments.size(), arguments.data()))
    return emitError(loc) << "nvJitLink does not take " << arch << " (status " << status << ")";
  llvm::scope_exit destroy([&] { library.destroy(&handle); });
  // As text, with its end marked.
  std::string text = ptx.str();
  size_t size = 0;
  int status = library.addData(handle, NvJitLink::ptxInput, text.c_str(), text.size() + 1, "torch-trace");
  if (status == 0)
    status = library.complete(handle);
  if (status == 0)
    status = library.getCubinSize(handle, &size);
  trace::Cubin cubin;
  cubin.bytes.resize(size);
  if (status == 0)
    status = library.getCubin(handle, cubin.bytes.data());
  if (status != 0)
    return emitError(loc) << "nvJitLink failed (status " << status
                          << "): " << summarize(getLog(handle, library.getErrorSize, library.getError));
  cubin.log = getLog(handle, library.getInfoSize, library.getInfo);
  return cubin;
}

//===----------------------------------------------------------------------===//
// Either, with a cache
//===----------------------------------------------------------------------===//

/// Hash of all that the machine code depends on. A tool is told by its path, size and time.
static std::string computeKey(StringRef ptx, StringRef tool, const trace::NvptxOptions &options) {
  llvm::SHA256 hash;
  hash.update("cubin 1|");
  fs::file_status status;
  if (!fs::status(tool, status))
    hash.update(
        (Twine(status.getSize()) + "," + Twine(status.getLastModificationTime().time_since_epoch().count()) + "|")
            .str());
  hash.update(tool);
  for (const std::string &argument : getPtxasArguments(options))
    hash.update("|" + argument);
  hash.update("|");
  hash.update(ptx);
  std::array<uint8_t, 32> digest = hash.final();
  return llvm::toHex(ArrayRef<uint8_t>(digest), /*LowerCase=*/true);
}

FailureOr<std::optional<trace::Cubin>> trace::assemblePtx(Location loc, StringRef ptx, const NvptxOptions &options) {
  StringRef assembler = options.assembler;
  if (!llvm::is_contained({"auto", "ptxas", "nvjitlink", "none"}, assembler))
    return emitError(loc) << "unknown assembler '" << assembler << "': auto, ptxas, nvjitlink or none";
  bool any = assembler == "auto";
  std::string ptxas = any || assembler == "ptxas" ? findPtxas(options) : "";
  if (!ptxas.empty() && !fs::can_execute(ptxas))
    return emitError(loc) << "there is no program '" << ptxas << "' (ptxas)";
  std::optional<NvJitLink> library;
  if (ptxas.empty() && (any || assembler == "nvjitlink"))
    library = NvJitLink::load(options);
  if (ptxas.empty() && !library)
    return std::optional<Cubin>();

  // A cached object holds what the tool said, a NUL and the machine code.
  std::string key;
  if (options.cache) {
    key = computeKey(ptx, ptxas.empty() ? "nvJitLink" : ptxas, options);
    if (std::unique_ptr<llvm::MemoryBuffer> found = options.cache->load(key)) {
      auto [log, bytes] = found->getBuffer().split('\0');
      if (!bytes.empty()) {
        Cubin cubin;
        cubin.bytes = bytes.str();
        cubin.log = log.str();
        cubin.kernels = parsePtxasMessages(cubin.log);
        cubin.fromCache = true;
        return std::optional(std::move(cubin));
      }
    }
  }
  FailureOr<Cubin> cubin = library ? runNvJitLink(loc, ptx, *library, options) : runPtxas(loc, ptx, ptxas, options);
  if (failed(cubin))
    return failure();
  cubin->kernels = parsePtxasMessages(cubin->log);
  if (options.cache) {
    std::string object = cubin->log + '\0' + cubin->bytes;
    options.cache->store(key, llvm::MemoryBufferRef(object, "cubin"));
  }
  return std::optional(std::move(*cubin));
}
