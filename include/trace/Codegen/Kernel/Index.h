//===- Index.h - Index expressions of a kernel ------------------------------===//
//
// Views, broadcasts, reshapes, slices, cat and pad cost a kernel nothing but index arithmetic. This is that
// arithmetic as data: linear combinations of *atoms*, an atom being a loop variable or something that is not linear
// (floor division, remainder, clamp, an index read from memory). Every atom knows its range, so that composing views
// mostly leaves plain linear expressions, which is what decides whether an access is a vector load.
//
//===----------------------------------------------------------------------===//
#ifndef TRACE_CODEGEN_KERNEL_INDEX_H
#define TRACE_CODEGEN_KERNEL_INDEX_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <vector>

namespace mlir::trace::kernel {

/// Handles into an IndexContext; equal handles are equal expressions.
using Atom = unsigned;
using Expr = unsigned;
using ExprVector = unsigned;
using NodeId = unsigned;

/// Which loop variables an expression depends on: a bit for each loop of a kernel.
using LoopSet = unsigned __int128;
/// The schedule keeps kernels below this many loops.
constexpr unsigned maxLoops = 127;

/// Stands in a LoopSet for the place where one outer point's stages run one after the other. What a stage has reduced
/// exists only there, even where it depends on no loop (a sum of everything).
inline constexpr LoopSet pointSet = LoopSet(1) << 127;

enum class AtomKind { Loop, FloorDiv, Mod, Clamp, Data };

struct AtomInfo {
  AtomKind kind;
  /// Values lie in [low, high].
  int64_t low, high;
  LoopSet loops;
  /// FloorDiv, Mod, Clamp: of this expression.
  Expr operand = 0;
  /// FloorDiv, Mod: by this divisor. Loop: the number of the loop.
  int64_t divisor = 0;
  /// Data: the value that is read and the index at which it is.
  void *value = nullptr;
  ExprVector at = 0;
};

struct LinearExpr {
  llvm::SmallVector<std::pair<Atom, int64_t>, 4> terms; // sorted by atom, coefficients not 0
  int64_t constant = 0;
};

/// Makes and keeps the expressions of one kernel.
class IndexContext {
public:
  IndexContext();

  /// A new loop variable with values in [low, high].
  Atom loop(int64_t low, int64_t high);
  Expr atom(Atom a);
  Expr constant(int64_t value);
  Expr add(Expr a, Expr b);
  Expr addConstant(Expr a, int64_t b);
  Expr scale(Expr a, int64_t factor);
  Expr floorDiv(Expr a, int64_t divisor);
  Expr mod(Expr a, int64_t divisor);
  /// a, brought into [low, high].
  Expr clamp(Expr a, int64_t low, int64_t high);
  /// An index read from memory: element `at` of `value`, in [low, high].
  Expr data(void *value, ExprVector at, int64_t low, int64_t high, LoopSet loops);

  ExprVector vector(llvm::ArrayRef<Expr> exprs);
  /// A copy: making further expressions may move the table.
  llvm::SmallVector<Expr, 4> vectorOf(ExprVector v) const { return vectors[v]; }

  /// Row-major linear index of `index` in a tensor of `shape`, and back.
  Expr linearize(llvm::ArrayRef<Expr> index, llvm::ArrayRef<int64_t> shape);
  Expr dot(llvm::ArrayRef<Expr> index, llvm::ArrayRef<int64_t> strides);
  llvm::SmallVector<Expr, 4> delinearize(Expr linear, llvm::ArrayRef<int64_t> shape);

  const LinearExpr &get(Expr e) const { return exprs[e]; }
  const AtomInfo &info(Atom a) const { return atoms[a]; }
  std::pair<int64_t, int64_t> range(Expr e) const;
  LoopSet loops(Expr e) const;
  LoopSet loopsOf(ExprVector v) const;
  /// The coefficient of an atom, 0 where it does not occur as a term.
  int64_t coefficient(Expr e, Atom a) const;
  size_t numAtoms() const { return atoms.size(); }
  std::string str(Expr e) const;

private:
  Expr intern(LinearExpr e);
  Atom internAtom(AtomInfo info);

  std::vector<AtomInfo> atoms;
  std::vector<LinearExpr> exprs;
  std::vector<llvm::SmallVector<Expr, 4>> vectors;
  std::map<std::vector<int64_t>, unsigned> exprTable, atomTable, vectorTable;
  unsigned numLoops = 0;
};

} // namespace mlir::trace::kernel

#endif
