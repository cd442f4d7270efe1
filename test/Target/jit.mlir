// RUN: trace-jit %s --lower --run=sum,table,call_libm,print | FileCheck %s
// RUN: trace-jit %s --lower --run=sum,table,call_libm,print --vector-bits=256 | FileCheck %s
// RUN: trace-jit %s --lower --run=sum,table,call_libm,print --opt-level=0 | FileCheck %s
// RUN: trace-jit %s --lower --run=sum,table,call_libm,print --at-once=3 | FileCheck %s
// RUN: trace-opt %s --trace-lower-to-llvm | trace-jit - | count 0

// A loop over vectors, a reduction, a tail of scalars.
// CHECK: sum() = 5050
func.func @sum() -> f32 {
  %buffer = memref.alloca() : memref<101xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %c101 = arith.constant 101 : index
  scf.for %i = %c0 to %c101 step %c1 {
    %n = arith.index_cast %i : index to i64
    %x = arith.sitofp %n : i64 to f32
    memref.store %x, %buffer[%i] : memref<101xf32>
  }
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %v = scf.for %i = %c0 to %c96 step %c16 iter_args(%s = %zero) -> vector<16xf32> {
    %x = vector.load %buffer[%i] : memref<101xf32>, vector<16xf32>
    %t = arith.addf %s, %x : vector<16xf32>
    scf.yield %t : vector<16xf32>
  }
  %mask = vector.constant_mask [5] : vector<16xi1>
  %tail = vector.maskedload %buffer[%c96], %mask, %zero : memref<101xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %all = arith.addf %v, %tail : vector<16xf32>
  %r = vector.reduction <add>, %all : vector<16xf32> into f32
  return %r : f32
}

// A constant in memory, addressed by an index that is computed.
memref.global "private" constant @squares : memref<4xi32> = dense<[0, 1, 4, 9]>
// CHECK: table() = 13
func.func @table() -> i32 {
  %t = memref.get_global @squares : memref<4xi32>
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = memref.load %t[%c2] : memref<4xi32>
  %b = memref.load %t[%c3] : memref<4xi32>
  %r = arith.addi %a, %b : i32
  return %r : i32
}

// log1p must not become log(1 + x), which is 0 here.
// CHECK: call_libm() = 9.9999999999999995e-21
func.func @call_libm() -> f64 {
  %x = func.call @tiny() : () -> f64
  %r = math.log1p %x : f64
  return %r : f64
}
llvm.mlir.global internal @tiny_value(1.0e-20 : f64) : f64
func.func private @tiny() -> f64 attributes {no_inline} {
  %p = llvm.mlir.addressof @tiny_value : !llvm.ptr
  %x = llvm.load volatile %p : !llvm.ptr -> f64
  return %x : f64
}

// Functions that the caller registered.
// CHECK: print() = void
// CHECK-NEXT: -7
// CHECK-NEXT: 0.5
func.func private @trace_jit_print_i64(i64)
func.func private @trace_jit_print_f64(f64)
func.func @print() {
  %a = arith.constant -7 : i64
  %b = arith.constant 0.5 : f64
  call @trace_jit_print_i64(%a) : (i64) -> ()
  call @trace_jit_print_f64(%b) : (f64) -> ()
  return
}
