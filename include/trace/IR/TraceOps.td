//===- TraceOps.td - All ops, by kind ---------------------------------------===//
#ifndef TRACE_OPS_TD
#define TRACE_OPS_TD

include "trace/IR/ElementwiseOps.td"
include "trace/IR/ShapeOps.td"
include "trace/IR/ReductionOps.td"
include "trace/IR/IndexingOps.td"
include "trace/IR/LibraryOps.td"
include "trace/IR/RandomOps.td"
include "trace/IR/StructureOps.td"
include "trace/IR/TrainingOps.td"

#endif
