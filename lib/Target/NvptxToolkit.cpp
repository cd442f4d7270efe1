//===- NvptxToolkit.cpp - Where CUDA's tools are ----------------------------===//
#include "trace/Target/Nvptx.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

static std::string join(const llvm::Twine &folder, const llvm::Twine &a, const llvm::Twine &b = "",
                        const llvm::Twine &c = "") {
  SmallString<256> path;
  llvm::sys::path::append(path, folder, a, b, c);
  return std::string(path);
}

/// The folders in `parent` whose name starts with `prefix`, the highest version in the name first.
static SmallVector<std::string> listVersions(StringRef parent, StringRef prefix) {
  SmallVector<std::pair<llvm::VersionTuple, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; it != end && !error; it.increment(error)) {
    StringRef name = llvm::sys::path::filename(it->path());
    llvm::VersionTuple version;
    if (name.consume_front(prefix) && !version.tryParse(name))
      found.emplace_back(version, it->path());
  }
  llvm::sort(found, [](const auto &a, const auto &b) { return a.first > b.first; });
  SmallVector<std::string> paths;
  for (auto &entry : found)
    paths.push_back(std::move(entry.second));
  return paths;
}

/// The toolkits in order; not all of them need exist.
static SmallVector<std::string> listToolkits(const trace::NvptxOptions &options) {
  SmallVector<std::string> toolkits;
  if (!options.toolkit.empty())
    toolkits.push_back(options.toolkit);
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(variable); value && !value->empty())
      toolkits.push_back(*value);
  toolkits.push_back("/usr/local/cuda");
  llvm::append_range(toolkits, listVersions("/usr/local", "cuda-"));
  if (auto environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"); environment && !environment->empty())
    for (const std::string &python : listVersions(join(*environment, "lib"), "python")) {
      std::string packages = join(python, "site-packages");
      toolkits.push_back(join(packages, "nvidia", "cu13"));
      toolkits.push_back(join(packages, "nvidia", "cuda_nvcc"));
      toolkits.push_back(join(packages, "triton", "backends", "nvidia"));
    }
  return toolkits;
}

std::string trace::findPtxas(const NvptxOptions &options) {
  if (!options.ptxas.empty())
    return options.ptxas;
  if (auto path = llvm::sys::Process::GetEnv("TORCH_TRACE_PTXAS"); path && !path->empty())
    return *path;
  for (const std::string &toolkit : listToolkits(options))
    if (std::string path = join(toolkit, "bin", "ptxas"); fs::can_execute(path))
      return path;
  auto path = llvm::sys::findProgramByName("ptxas");
  return path ? *path : "";
}

std::string trace::findLibdevice(const NvptxOptions &options) {
  constexpr StringRef name = "libdevice.10.bc";
  SmallVector<std::string> candidates;
  auto addToolkit = [&](StringRef toolkit) {
    candidates.push_back(join(toolkit, "nvvm", "libdevice", name));
    candidates.push_back(join(toolkit, "lib", name));
  };
  for (const std::string &toolkit : listToolkits(options))
    addToolkit(toolkit);
  if (std::string ptxas = findPtxas(options); !ptxas.empty()) {
    // What is on the PATH may be a link into the toolkit.
    SmallString<256> real;
    if (!fs::real_path(ptxas, real))
      addToolkit(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)));
  }
  for (const std::string &path : candidates)
    if (fs::exists(path))
      return path;
  return "";
}

SmallVector<std::string> trace::findNvJitLink(const NvptxOptions &options) {
  SmallVector<std::string> candidates;
  for (StringRef name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    for (const std::string &toolkit : listToolkits(options))
      for (StringRef folder : {"lib64", "lib"})
        if (std::string path = join(toolkit, folder, name); fs::exists(path))
          candidates.push_back(path);
    candidates.push_back(name.str());
  }
  return candidates;
}
