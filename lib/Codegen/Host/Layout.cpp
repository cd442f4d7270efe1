//===- Layout.cpp - Strides of views ----------------------------------------===//
#include "trace/Codegen/Host/Host.h"
#include "trace/IR/TraceOps.h"

using namespace mlir;
using namespace mlir::trace;

static bool isEmpty(ArrayRef<int64_t> shape) { return llvm::is_contained(shape, 0); }

bool mlir::trace::sameLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (isEmpty(shape))
    return true;
  for (auto [size, x, y] : llvm::zip_equal(shape, a, b))
    if (size != 1 && x != y)
      return false;
  return true;
}

bool mlir::trace::isDense(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (isEmpty(shape))
    return true;
  SmallVector<unsigned> order;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (shape[d] != 1)
      order.push_back(d);
  llvm::sort(order, [&](unsigned a, unsigned b) { return strides[a] < strides[b]; });
  int64_t expected = 1;
  for (unsigned d : order) {
    if (strides[d] != expected)
      return false;
    expected *= shape[d];
  }
  return true;
}

/// Strides of `to` over the memory of a `from` tensor, as PyTorch's `view` computes them; nullopt where it would fail.
static std::optional<SmallVector<int64_t>> getReshapeStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> strides,
                                                             ArrayRef<int64_t> to) {
  if (isEmpty(from))
    return contiguousStrides(to);
  SmallVector<int64_t> result(to.size(), 1);
  if (from.empty())
    return result;
  // From the last dimension: groups of dimensions of `from` that lie in memory as one, and what of `to` fills each.
  int64_t d = static_cast<int64_t>(to.size()) - 1;
  int64_t groupStride = strides.back(), fromCount = 1, toCount = 1;
  for (int64_t s = static_cast<int64_t>(from.size()) - 1; s >= 0; --s) {
    fromCount *= from[s];
    bool groupEnds = s == 0 || (from[s - 1] != 1 && strides[s - 1] != fromCount * groupStride);
    if (!groupEnds)
      continue;
    while (d >= 0 && (toCount < fromCount || to[d] == 1)) {
      result[d] = toCount * groupStride;
      toCount *= to[d];
      --d;
    }
    if (toCount != fromCount)
      return std::nullopt;
    if (s > 0) {
      groupStride = strides[s - 1];
      fromCount = toCount = 1;
    }
  }
  if (d != -1)
    return std::nullopt;
  return result;
}

std::optional<ViewLayout> mlir::trace::getViewLayout(Operation *op, ArrayRef<int64_t> strides) {
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  ViewLayout layout;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (int64_t d : transpose.getPerm())
      layout.strides.push_back(strides[d]);
    return layout;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    for (auto [start, step, stride] : llvm::zip_equal(slice.getStarts(), slice.getStrides(), strides)) {
      layout.offset += start * stride;
      layout.strides.push_back(step * stride);
    }
    if (isEmpty(resultType.getShape()))
      layout.offset = 0; // it may lie behind the last element
    return layout;
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    layout.strides.assign(resultType.getRank(), 0);
    ArrayRef<int64_t> from = cast<RankedTensorType>(broadcast.getInput().getType()).getShape();
    for (auto [d, to] : llvm::enumerate(broadcast.getDims()))
      if (from[d] == resultType.getDimSize(to))
        layout.strides[to] = strides[d];
    return layout;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    auto result = getReshapeStrides(cast<RankedTensorType>(reshape.getInput().getType()).getShape(), strides,
                                    resultType.getShape());
    if (!result)
      return std::nullopt;
    layout.strides = *result;
    return layout;
  }
  return std::nullopt;
}

std::string mlir::trace::describeLocation(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}
