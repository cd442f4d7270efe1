//===- Npy.cpp - Reading and writing .npy files -----------------------------===//
#include "trace/Interpreter/Npy.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::trace;

/// The descriptors ("<f4") that may hold an element type; the first is the one that is written.
static SmallVector<StringRef> descriptorsOf(Type type) {
  if (type.isF64())
    return {"<f8"};
  if (type.isF32())
    return {"<f4"};
  if (type.isF16())
    return {"<f2"};
  if (type.isBF16())
    return {"<i2", "<u2"};
  if (type.isInteger(64) || type.isIndex())
    return {"<i8"};
  if (type.isInteger(32))
    return {"<i4"};
  if (type.isInteger(16))
    return {"<i2"};
  if (type.isUnsignedInteger(8))
    return {"|u1"};
  if (type.isInteger(8))
    return {"|i1"};
  if (type.isInteger(1))
    return {"|b1", "|u1"};
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return {"|i1", "|u1"}; // f8, as its bits
  return {};
}

/// The value of a key in the header, which is a Python dict literal: up to the next comma outside parentheses.
static StringRef headerValue(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = header.substr(at).split(':').second.ltrim();
  if (rest.starts_with("("))
    return rest.substr(0, rest.find(')') + 1);
  return rest.take_until([](char c) { return c == ',' || c == '}'; }).trim();
}

static uint64_t readLittleEndian(const char *data, unsigned bytes) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < bytes; ++i)
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  return bits;
}

FailureOr<Tensor> mlir::trace::readNpy(Location loc, StringRef path, Type elementType) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return emitError(loc, message);
  StringRef text = file->getBuffer();
  auto bad = [&](const Twine &why) { return emitError(loc) << path << ": " << why; };
  if (!text.starts_with("\x93NUMPY") || text.size() < 12)
    return bad("not a .npy file");
  unsigned lengthBytes = text[6] == 1 ? 2 : 4;
  uint64_t length = readLittleEndian(text.data() + 8, lengthBytes), start = 8 + lengthBytes + length;
  if (start > text.size())
    return bad("header is cut off");
  StringRef header = text.substr(8 + lengthBytes, length);
  StringRef descriptor = headerValue(header, "descr").trim("'\"");
  if (!llvm::is_contained(descriptorsOf(elementType), descriptor))
    return emitError(loc) << path << ": holds elements of type '" << descriptor << "', which cannot be read as "
                          << elementType;
  if (headerValue(header, "fortran_order") != "False")
    return bad("is in Fortran order; save numpy.ascontiguousarray of it");
  SmallVector<int64_t> shape;
  SmallVector<StringRef> sizes;
  headerValue(header, "shape").trim("()").split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef size : sizes) {
    if (size.trim().empty())
      continue;
    int64_t number;
    if (size.trim().getAsInteger(10, number) || number < 0)
      return bad("has a bad shape");
    shape.push_back(number);
  }
  unsigned bytes = descriptor.back() - '0';
  uint64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (text.size() - start < count * bytes)
    return bad("data is cut off");
  Tensor result(elementType, shape);
  for (uint64_t i = 0; i < count; ++i)
    setElementBits(result, i, readLittleEndian(text.data() + start + i * bytes, bytes));
  return result;
}

LogicalResult mlir::trace::writeNpy(Location loc, StringRef path, const Tensor &tensor) {
  SmallVector<StringRef> descriptors = descriptorsOf(tensor.getElementType());
  if (descriptors.empty())
    return emitError(loc) << "no numpy type for elements of " << tensor.getElementType();
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
  if (!file)
    return emitError(loc, message);
  std::string header;
  llvm::raw_string_ostream headerOs(header);
  headerOs << "{'descr': '" << descriptors[0] << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.getShape())
    headerOs << size << ",";
  headerOs << "), }";
  // Magic, version, length and header fill a multiple of 64 bytes, the last of which is a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  raw_ostream &os = file->os();
  os.write("\x93NUMPY\x01\x00", 8);
  os << static_cast<char>(header.size() & 0xff) << static_cast<char>(header.size() >> 8) << header;
  unsigned bytes = descriptors[0].back() - '0';
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t bits = elementBits(tensor, i);
    for (unsigned b = 0; b < bytes; ++b)
      os << static_cast<char>(bits >> (8 * b));
  }
  file->keep();
  return success();
}
