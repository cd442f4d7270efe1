//===- JitCache.cpp - Machine code kept on disk -----------------------------===//
#include "trace/Target/JitModule.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

trace::JitCache::~JitCache() = default;

namespace {

class DirectoryJitCache : public trace::JitCache {
public:
  explicit DirectoryJitCache(StringRef directory) : directory(directory) {}

  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) override {
    auto buffer = llvm::MemoryBuffer::getFile(getPath(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
    return buffer ? std::move(*buffer) : nullptr;
  }

  void store(StringRef key, llvm::MemoryBufferRef object) override {
    if (llvm::sys::fs::create_directories(directory))
      return;
    SmallString<128> pattern(directory);
    llvm::sys::path::append(pattern, "writing-%%%%%%%%");
    auto file = llvm::sys::fs::TempFile::create(pattern);
    if (!file) {
      llvm::consumeError(file.takeError());
      return;
    }
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    os << object.getBuffer();
    os.flush();
    bool written = !os.has_error();
    os.clear_error();
    llvm::consumeError(written ? file->keep(getPath(key)) : file->discard());
  }

private:
  std::string getPath(StringRef key) const {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, key + ".o");
    return std::string(path);
  }

  std::string directory;
};

} // namespace

std::unique_ptr<trace::JitCache> trace::createDirectoryJitCache(StringRef directory) {
  return std::make_unique<DirectoryJitCache>(directory);
}
