//===- Index.cpp - Index expressions of a kernel ----------------------------===//
#include "trace/Codegen/Kernel/Index.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>

using namespace mlir::trace::kernel;
using llvm::ArrayRef;
using llvm::SmallVector;

IndexContext::IndexContext() {
  intern({}); // Expr 0 is the constant 0.
  vector({}); // ExprVector 0 is the index of a 0-d tensor.
}

Expr IndexContext::intern(LinearExpr e) {
  std::vector<int64_t> key;
  key.reserve(1 + 2 * e.terms.size());
  key.push_back(e.constant);
  for (auto [a, c] : e.terms) {
    key.push_back(a);
    key.push_back(c);
  }
  auto [it, inserted] = exprTable.try_emplace(std::move(key), exprs.size());
  if (inserted)
    exprs.push_back(std::move(e));
  return it->second;
}

Atom IndexContext::internAtom(AtomInfo info) {
  std::vector<int64_t> key = {static_cast<int64_t>(info.kind),       info.low, info.high, info.operand, info.divisor,
                              reinterpret_cast<int64_t>(info.value), info.at};
  auto [it, inserted] = atomTable.try_emplace(std::move(key), atoms.size());
  if (inserted)
    atoms.push_back(info);
  return it->second;
}

Atom IndexContext::loop(int64_t low, int64_t high) {
  assert(numLoops < maxLoops && "too many loops in one kernel");
  AtomInfo info{AtomKind::Loop, low, high, LoopSet(1) << numLoops};
  info.divisor = numLoops++;
  return internAtom(info);
}

Expr IndexContext::atom(Atom a) {
  LinearExpr e;
  e.terms.push_back({a, 1});
  return intern(std::move(e));
}

Expr IndexContext::constant(int64_t value) {
  LinearExpr e;
  e.constant = value;
  return intern(std::move(e));
}

Expr IndexContext::addConstant(Expr a, int64_t b) {
  LinearExpr e = exprs[a];
  e.constant += b;
  return intern(std::move(e));
}

Expr IndexContext::scale(Expr a, int64_t factor) {
  if (factor == 0)
    return constant(0);
  LinearExpr e = exprs[a];
  e.constant *= factor;
  for (auto &[atom, c] : e.terms)
    c *= factor;
  return intern(std::move(e));
}

Expr IndexContext::add(Expr a, Expr b) {
  LinearExpr e;
  {
    const LinearExpr &x = exprs[a], &y = exprs[b];
    e.constant = x.constant + y.constant;
    size_t i = 0, j = 0;
    while (i < x.terms.size() || j < y.terms.size()) {
      if (j == y.terms.size() || (i < x.terms.size() && x.terms[i].first < y.terms[j].first)) {
        e.terms.push_back(x.terms[i++]);
      } else if (i == x.terms.size() || y.terms[j].first < x.terms[i].first) {
        e.terms.push_back(y.terms[j++]);
      } else {
        if (int64_t c = x.terms[i].second + y.terms[j].second)
          e.terms.push_back({x.terms[i].first, c});
        ++i, ++j;
      }
    }
  }
  // k * m * (e / m) + k * (e % m) is k * e: how a reshape there and back, or a collapsed loop, disappears.
  for (auto [atom, k] : e.terms) {
    if (atoms[atom].kind != AtomKind::Mod)
      continue;
    int64_t m = atoms[atom].divisor;
    Expr operand = atoms[atom].operand;
    Expr quotient = floorDiv(operand, m);
    // The quotient must occur, k * m times, as one atom.
    const LinearExpr &q = exprs[quotient];
    if (q.terms.size() != 1 || q.constant != 0 || q.terms[0].second != 1)
      continue;
    Atom quotientAtom = q.terms[0].first;
    auto *it = llvm::find_if(e.terms, [&](auto &t) { return t.first == quotientAtom; });
    if (it == e.terms.end() || it->second != k * m)
      continue;
    int64_t factor = k;
    Atom modAtom = atom;
    llvm::erase_if(e.terms, [&](auto &t) { return t.first == quotientAtom || t.first == modAtom; });
    return add(intern(std::move(e)), scale(operand, factor));
  }
  return intern(std::move(e));
}

std::pair<int64_t, int64_t> IndexContext::range(Expr e) const {
  int64_t low = exprs[e].constant, high = low;
  for (auto [atom, c] : exprs[e].terms) {
    low += c * (c > 0 ? atoms[atom].low : atoms[atom].high);
    high += c * (c > 0 ? atoms[atom].high : atoms[atom].low);
  }
  return {low, high};
}

LoopSet IndexContext::loops(Expr e) const {
  LoopSet set = 0;
  for (auto [atom, c] : exprs[e].terms)
    set |= atoms[atom].loops;
  return set;
}

LoopSet IndexContext::loopsOf(ExprVector v) const {
  LoopSet set = 0;
  for (Expr e : vectors[v])
    set |= loops(e);
  return set;
}

int64_t IndexContext::coefficient(Expr e, Atom a) const {
  for (auto [atom, c] : exprs[e].terms)
    if (atom == a)
      return c;
  return 0;
}

Expr IndexContext::floorDiv(Expr a, int64_t divisor) {
  assert(divisor > 0);
  if (divisor == 1)
    return a;
  auto [low, high] = range(a);
  if (llvm::divideFloorSigned(low, divisor) == llvm::divideFloorSigned(high, divisor))
    return constant(llvm::divideFloorSigned(low, divisor));
  // Multiples of the divisor come out; if what stays lies in [0, divisor) nothing is left to divide.
  LinearExpr whole, rest;
  for (auto [atom, c] : exprs[a].terms)
    (c % divisor == 0 ? whole : rest).terms.push_back({atom, c % divisor == 0 ? c / divisor : c});
  whole.constant = llvm::divideFloorSigned(exprs[a].constant, divisor);
  rest.constant = exprs[a].constant - whole.constant * divisor;
  if (rest.terms.empty())
    return intern(std::move(whole));
  Expr wholeExpr = intern(std::move(whole)), restExpr = intern(std::move(rest));
  auto [restLow, restHigh] = range(restExpr);
  if (llvm::divideFloorSigned(restLow, divisor) == llvm::divideFloorSigned(restHigh, divisor))
    return addConstant(wholeExpr, llvm::divideFloorSigned(restLow, divisor));
  // (g * e) / (g * d) with all coefficients and the constant multiples of g.
  const LinearExpr &r = exprs[restExpr];
  int64_t g = divisor;
  for (auto [atom, c] : r.terms)
    g = std::gcd(g, c);
  if (g > 1) {
    LinearExpr reduced = r;
    for (auto &[atom, c] : reduced.terms)
      c /= g;
    reduced.constant = llvm::divideFloorSigned(reduced.constant, g);
    return add(wholeExpr, floorDiv(intern(std::move(reduced)), divisor / g));
  }
  // (e / m) / d is e / (m * d).
  if (r.terms.size() == 1 && r.constant == 0 && r.terms[0].second == 1 &&
      atoms[r.terms[0].first].kind == AtomKind::FloorDiv) {
    AtomInfo inner = atoms[r.terms[0].first];
    return add(wholeExpr, floorDiv(inner.operand, inner.divisor * divisor));
  }
  AtomInfo info{AtomKind::FloorDiv, llvm::divideFloorSigned(restLow, divisor),
                llvm::divideFloorSigned(restHigh, divisor), loops(restExpr)};
  info.operand = restExpr;
  info.divisor = divisor;
  return add(wholeExpr, atom(internAtom(info)));
}

Expr IndexContext::mod(Expr a, int64_t divisor) {
  assert(divisor > 0);
  if (divisor == 1)
    return constant(0);
  LinearExpr rest;
  for (auto [atom, c] : exprs[a].terms)
    if (c % divisor)
      rest.terms.push_back({atom, c});
  rest.constant = exprs[a].constant - llvm::divideFloorSigned(exprs[a].constant, divisor) * divisor;
  Expr restExpr = intern(std::move(rest));
  auto [low, high] = range(restExpr);
  int64_t quotient = llvm::divideFloorSigned(low, divisor);
  if (quotient == llvm::divideFloorSigned(high, divisor))
    return addConstant(restExpr, -quotient * divisor);
  // (g * e) % (g * d) is g * (e % d), plus what the constant leaves.
  int64_t g = divisor;
  for (auto [atom, c] : exprs[restExpr].terms)
    g = std::gcd(g, c);
  if (g > 1) {
    LinearExpr reduced = exprs[restExpr];
    for (auto &[atom, c] : reduced.terms)
      c /= g;
    int64_t left = reduced.constant % g;
    reduced.constant /= g;
    return addConstant(scale(mod(intern(std::move(reduced)), divisor / g), g), left);
  }
  AtomInfo info{AtomKind::Mod, 0, divisor - 1, loops(restExpr)};
  info.operand = restExpr;
  info.divisor = divisor;
  return atom(internAtom(info));
}

Expr IndexContext::clamp(Expr a, int64_t low, int64_t high) {
  auto [min, max] = range(a);
  if (min >= low && max <= high)
    return a;
  if (max <= low || low == high)
    return constant(low);
  if (min >= high)
    return constant(high);
  AtomInfo info{AtomKind::Clamp, low, high, loops(a)};
  info.operand = a;
  return atom(internAtom(info));
}

Expr IndexContext::data(void *value, ExprVector at, int64_t low, int64_t high, LoopSet loops) {
  AtomInfo info{AtomKind::Data, low, high, loops};
  info.value = value;
  info.at = at;
  return atom(internAtom(info));
}

ExprVector IndexContext::vector(ArrayRef<Expr> list) {
  std::vector<int64_t> key(list.begin(), list.end());
  auto [it, inserted] = vectorTable.try_emplace(std::move(key), vectors.size());
  if (inserted)
    vectors.emplace_back(list.begin(), list.end());
  return it->second;
}

Expr IndexContext::dot(ArrayRef<Expr> index, ArrayRef<int64_t> strides) {
  Expr sum = constant(0);
  for (auto [e, s] : llvm::zip_equal(index, strides))
    sum = add(sum, scale(e, s));
  return sum;
}

Expr IndexContext::linearize(ArrayRef<Expr> index, ArrayRef<int64_t> shape) {
  Expr sum = constant(0);
  for (auto [e, size] : llvm::zip_equal(index, shape))
    sum = add(scale(sum, size), e);
  return sum;
}

SmallVector<Expr, 4> IndexContext::delinearize(Expr linear, ArrayRef<int64_t> shape) {
  SmallVector<Expr, 4> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    if (i == 0) {
      index[i] = linear; // in range by construction
    } else if (shape[i] <= 1) {
      index[i] = constant(0);
    } else {
      index[i] = mod(linear, shape[i]);
      linear = floorDiv(linear, shape[i]);
    }
  }
  // A leading dimension of size 1 holds nothing.
  if (!shape.empty() && shape[0] <= 1)
    index[0] = constant(0);
  return index;
}

std::string IndexContext::str(Expr e) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  auto sign = [&](int64_t c) {
    if (!first)
      os << (c < 0 ? " - " : " + ");
    else if (c < 0)
      os << "-";
    first = false;
    return c < 0 ? -c : c;
  };
  for (auto [a, c] : exprs[e].terms) {
    int64_t k = sign(c);
    if (k != 1)
      os << k << "*";
    const AtomInfo &info = atoms[a];
    switch (info.kind) {
    case AtomKind::Loop:
      os << "i" << info.divisor;
      break;
    case AtomKind::FloorDiv:
      os << "((" << str(info.operand) << ") / " << info.divisor << ")";
      break;
    case AtomKind::Mod:
      os << "((" << str(info.operand) << ") % " << info.divisor << ")";
      break;
    case AtomKind::Clamp:
      os << "clamp(" << str(info.operand) << ", " << info.low << ", " << info.high << ")";
      break;
    case AtomKind::Data:
      os << "data" << a;
      break;
    }
  }
  if (exprs[e].constant || first) {
    int64_t k = sign(exprs[e].constant);
    os << k;
  }
  return text;
}
