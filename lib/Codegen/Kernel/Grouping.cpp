//===- Grouping.cpp - Which roots share a kernel ------------------------------===//
#include "Planner.h"

using namespace mlir;
using namespace mlir::trace;
using namespace mlir::trace::kernel;

void Planner::levels() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto &root : roots) {
      int level = 0;
      for (auto &other : roots) {
        if (other == root)
          continue;
        Operation *partialOf = other->root.partialOf();
        bool reads = partialOf ? root->partialReads.contains(partialOf)
                               : root->reads.contains(other->root.value) && info.inMemory.count(other->root.value) &&
                                     !isa<BlockArgument>(other->root.value);
        if (reads)
          level = std::max(level, other->level + 1);
      }
      if (level != root->level) {
        root->level = level;
        changed = true;
      }
    }
  }
}

/// The sizes of a root's outer loops.
static SmallVector<int64_t, 4> outerShape(const FusionInfo &info, const Root &root) {
  SmallVector<int64_t, 4> shape;
  if (root.chunk)
    shape.push_back(info.buffers[root.buffers[0]].shape[0]);
  for (int64_t dim : root.outerDims)
    shape.push_back(tensorType(root.value).getDimSize(dim));
  llvm::erase(shape, 1);
  return shape;
}

std::optional<SmallVector<int64_t, 4>> kernel::prefixDims(Value value, int64_t points) {
  SmallVector<int64_t, 4> dims;
  int64_t count = 1;
  for (auto [i, size] : llvm::enumerate(tensorType(value).getShape())) {
    if (count == points && size != 1)
      return dims;
    count *= size;
    dims.push_back(i);
  }
  return std::nullopt;
}

/// False: column reductions were found alone on their rows, and are better off by columns, or a reduction must go
/// through memory after all. Plan again.
bool Planner::group() {
  SmallVector<PlannedRoot *> order;
  int lastLevel = 0;
  for (auto &root : roots)
    lastLevel = std::max(lastLevel, root->level);
  // Those that decide about loops first, so that the free ones can join them.
  for (int level = 0; level <= lastLevel; ++level)
    for (bool isFree : {false, true})
      for (auto &root : roots)
        if (root->level == level && root->isFree == isFree)
          order.push_back(root.get());
  struct Group {
    std::vector<PlannedRoot *> members;
    std::unique_ptr<KernelSchedule> schedule;
    SmallVector<int64_t, 4> extents; // of the outer points
    bool isFree;
    int level;
  };
  std::vector<Group> groups;
  auto shares = [](Group &group, PlannedRoot *root) {
    return llvm::any_of(group.members, [&](PlannedRoot *member) {
      return llvm::any_of(root->reads, [&](Value v) { return member->reads.contains(v); });
    });
  };
  auto scheduleOf = [&](ArrayRef<PlannedRoot *> members, ArrayRef<int64_t> extents) {
    auto schedule = std::make_unique<KernelSchedule>();
    schedule->kernel.info = &info;
    Kernel &k = schedule->kernel;
    k.outerExtents.assign(extents.begin(), extents.end());
    bool accumulates = false;
    for (PlannedRoot *member : members) {
      k.roots.push_back(member->root);
      accumulates |= member->root.accumulate != nullptr;
    }
    if (accumulates) {
      k.numRows = product(extents);
      k.rowsPerChunk = rowsPerChunk(k.numRows);
      k.outerExtents = {(k.numRows + k.rowsPerChunk - 1) / k.rowsPerChunk, k.rowsPerChunk};
    }
    finish(*schedule);
    return schedule;
  };
  // A root may run in the kernel that makes reductions which it reads, point by point of the same outer loops: each is
  // a number at hand there, and what they reduce is read once.
  auto follows = [&](Group &group, PlannedRoot *root) {
    if (group.level >= root->level || root->root.partialOf() || group.schedule->lanesOuter ||
        llvm::any_of(group.members, [](PlannedRoot *member) { return member->root.partialOf(); }))
      return false;
    int64_t points = product(group.extents);
    int64_t own = root->isFree ? tensorType(root->root.value).getNumElements() : product(outerShape(info, root->root));
    if (points < 2 || own != points || group.isFree)
      return false;
    bool reads = false;
    for (auto &other : roots) {
      bool inGroup = llvm::is_contained(group.members, other.get());
      if (Operation *partialOf = other->root.partialOf()) {
        if (other->level >= group.level && root->partialReads.contains(partialOf))
          return false;
      } else if (other.get() != root && other->level >= group.level && root->reads.contains(other->root.value) &&
                 info.inMemory.count(other->root.value)) {
        Operation *op = other->root.value.getDefiningOp();
        if (!inGroup && other->level >= group.level)
          return false;
        reads |= inGroup && op && op->hasTrait<trace::OpTrait::Reduction>();
      }
    }
    return reads;
  };
  // Nobody needs what a group of a lower level makes before what this root makes is there as well.
  auto canWait = [&](Group &group, PlannedRoot *root) {
    return llvm::none_of(roots, [&](auto &other) {
      return other->level <= root->level && !llvm::is_contained(group.members, other.get()) &&
             llvm::any_of(group.members, [&](PlannedRoot *member) {
               Operation *partialOf = member->root.partialOf();
               return partialOf ? other->partialReads.contains(partialOf)
                                : other->reads.contains(member->root.value) && info.inMemory.count(member->root.value);
             });
    });
  };
  auto recomputes = [](const Kernel &k) {
    return k.tooMany || llvm::any_of(k.demands, [](const Demand &demand) { return demand.inner; });
  };
  for (PlannedRoot *root : order) {
    SmallVector<int64_t, 4> extents = outerShape(info, root->root);
    auto alone = scheduleOf({root}, extents);
    bool joined = false;
    for (Group &group : groups) {
      if (follows(group, root)) {
        Root saved = root->root;
        size_t known = intoMemory.size();
        std::optional<SmallVector<int64_t, 4>> refined;
        if (root->isFree)
          root->root.outerDims = llvm::to_vector<4>(llvm::seq<int64_t>(tensorType(root->root.value).getRank()));
        refined = refine(group.extents, outerShape(info, root->root));
        if (refined) {
          std::vector<PlannedRoot *> members = group.members;
          members.push_back(root);
          auto together = scheduleOf(members, *refined);
          if (!recomputes(together->kernel) && !together->lanesOuter && together->kernel.loops.size() <= maxLoops / 2) {
            group.members = std::move(members);
            group.extents = *refined;
            group.schedule = std::move(together);
            joined = true;
            break;
          }
        }
        while (intoMemory.size() > known)
          intoMemory.pop_back();
        root->root = saved;
        continue;
      }
      // What it reads must be written before; who reads it comes later anyway, being of a higher level.
      if ((group.level < root->level && !canWait(group, root)) || !shares(group, root) ||
          group.schedule->kernel.loops.size() + alone->kernel.loops.size() > maxLoops / 2)
        continue;
      Root saved = root->root;
      if (root->isFree && !group.isFree) {
        // A free root joins as rows of the group's outer points.
        int64_t points = product(group.extents);
        auto dims = prefixDims(root->root.value, points);
        if (!dims || group.schedule->lanesOuter || points == 1)
          continue;
        root->root.outerDims = *dims;
        extents = outerShape(info, root->root);
      } else if (root->isFree != group.isFree || alone->lanesOuter != group.schedule->lanesOuter) {
        continue;
      }
      auto refined = refine(group.extents, extents);
      if (!refined) {
        root->root = saved;
        continue;
      }
      group.members.push_back(root);
      group.extents = *refined;
      group.schedule = scheduleOf(group.members, *refined);
      group.level = std::max(group.level, root->level);
      joined = true;
      break;
    }
    if (joined)
      continue;
    Group group;
    group.members = {root};
    group.schedule = std::move(alone);
    group.extents = extents;
    group.isFree = root->isFree;
    group.level = root->level;
    groups.push_back(std::move(group));
  }
  for (Group &group : groups)
    if (llvm::all_of(group.members, [](PlannedRoot *member) { return member->root.accumulate != nullptr; }))
      for (PlannedRoot *member : group.members)
        byColumns.insert(member->root.accumulate);
  if (llvm::any_of(roots, [&](auto &root) { return byColumns.contains(root->root.accumulate); }))
    return false;
  if (llvm::any_of(intoMemory, [&](Operation *op) { return !info.inMemory.count(op->getResult(0)); }))
    return false;
  for (int level = 0; level <= lastLevel; ++level)
    for (Group &group : groups)
      if (group.level == level)
        plan.kernels.push_back(std::move(group.schedule));
  return true;
}
