// Index maps, reductions, indexing and random numbers.
//
// RUN: trace-run %s --interpret --function shapes | FileCheck %s --check-prefix=SHAPES
// RUN: trace-run %s --interpret --function reductions | FileCheck %s --check-prefix=REDUCTIONS
// RUN: trace-run %s --interpret --function empty | FileCheck %s --check-prefix=EMPTY
// RUN: trace-run %s --interpret --function indexing | FileCheck %s --check-prefix=INDEXING
// RUN: trace-run %s --interpret --function checked --arg 0=1,-1,-100 | FileCheck %s --check-prefix=CHECKED
// RUN: not trace-run %s --interpret --function checked --arg 0=1,3,-100 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not trace-run %s --interpret --function unchecked --arg 0=0,3 2>&1 | FileCheck %s --check-prefix=UNCHECKED
// RUN: trace-run %s --interpret --function random --arg 0=0 --precision 10 | FileCheck %s --check-prefix=RANDOM
// RUN: trace-run %s --interpret --function moments --arg 0=12345 --precision 2 | FileCheck %s --check-prefix=MOMENTS
// RUN: trace-run %s --interpret --function dynamic --dynamic-size 2 --arg 0=1,2,3,4 --arg 1=3 | FileCheck %s --check-prefix=DYNAMIC

// SHAPES-LABEL: @shapes
func.func @shapes() -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x5xi32>, tensor<2x1xi32>, tensor<3x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %x = trace.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = trace.constant dense<[[7, 8, 9]]> : tensor<1x3xi32>
  %v = trace.constant dense<0> : tensor<i32>
  // SHAPES: result 0: tensor<3x2xi32>
  // SHAPES-NEXT: 1 4
  // SHAPES-NEXT: 2 5
  // SHAPES-NEXT: 3 6
  %0 = trace.transpose %x [1, 0] : tensor<2x3xi32>
  // SHAPES-NEXT: result 1
  // SHAPES-NEXT: 1 3
  // SHAPES-NEXT: 4 6
  %1 = trace.slice %x [0, 0] to [2, 3] by [1, 2] : tensor<2x3xi32>
  // SHAPES-NEXT: result 2
  // SHAPES-NEXT: 1 0 2 0 3
  // SHAPES-NEXT: 4 0 5 0 6
  %2 = trace.pad %x, %v low [0, 0] high [0, 0] interior [0, 1] : tensor<2x3xi32>, tensor<i32>
  // Negative padding cuts.
  // SHAPES-NEXT: result 3
  // SHAPES-SAME: tensor<2x1xi32>
  // SHAPES-NEXT: {{^ +}}2{{$}}
  // SHAPES-NEXT: {{^ +}}5{{$}}
  %3 = trace.pad %x, %v low [0, -1] high [0, -1] interior [0, 0] : tensor<2x3xi32>, tensor<i32>
  // SHAPES-NEXT: result 4
  // SHAPES-NEXT: 7 8 9
  // SHAPES-NEXT: 1 2 3
  // SHAPES-NEXT: 4 5 6
  %4 = trace.cat %y, %x dim 0 : tensor<1x3xi32>, tensor<2x3xi32>
  // SHAPES-NEXT: result 5
  // SHAPES-NEXT: 3 2 1
  // SHAPES-NEXT: 6 5 4
  %5 = trace.reverse %x [1] : tensor<2x3xi32>
  // SHAPES-NEXT: result 6
  // SHAPES-NEXT: 7 8 9
  // SHAPES-NEXT: 7 8 9
  %6 = trace.broadcast_in_dim %y [0, 1] : tensor<1x3xi32> to tensor<2x3xi32>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6 : tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x5xi32>, tensor<2x1xi32>,
      tensor<3x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>)
}

// REDUCTIONS-LABEL: @reductions
func.func @reductions() -> (tensor<2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xbf16>, tensor<f32>, tensor<3xf32>, tensor<2xi8>) {
  %x = trace.constant dense<[[1.0, 0x7FC00000, 3.0], [-1.0, -2.0, -2.0]]> : tensor<2x3xf32>
  // REDUCTIONS-NEXT: = nan -1
  %0 = trace.reduce_max %x [1] : tensor<2x3xf32>
  // REDUCTIONS-NEXT: = -1 nan -2
  %1 = trace.reduce_min %x [0] : tensor<2x3xf32>
  // NaN before anything else, then the first of equals.
  // REDUCTIONS-NEXT: = 1 0
  %2 = trace.argmax %x dim 1 : tensor<2x3xf32>
  // REDUCTIONS-NEXT: = 1 1
  %3 = trace.argmin %x dim 1 : tensor<2x3xf32>
  // 300 ones: a sum rounded to bf16 at each step would stop at 256.
  // REDUCTIONS-NEXT: = 300 300
  %ones = trace.constant dense<1.0> : tensor<2x300xbf16>
  %4 = trace.reduce_sum %ones [1] : tensor<2x300xbf16>
  // A sum starts at 0.0.
  // REDUCTIONS-NEXT: = 0
  %neg0 = trace.constant dense<-0.0> : tensor<3xf32>
  %5 = trace.reduce_sum %neg0 [0] : tensor<3xf32>
  // REDUCTIONS-NEXT: = inf inf nan
  %s = trace.constant dense<[0x7F800000, 1.0, 0xFF800000]> : tensor<3xf32>
  %6 = trace.cumsum %s dim 0 : tensor<3xf32>
  // REDUCTIONS-NEXT: = 44 -44
  %i = trace.constant dense<[[100, 100, 100], [-100, -100, -100]]> : tensor<2x3xi8>
  %7 = trace.reduce_sum %i [1] : tensor<2x3xi8>
  trace.return outputs(%0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<2xi64>,
      tensor<2xbf16>, tensor<f32>, tensor<3xf32>, tensor<2xi8>)
}

// EMPTY-LABEL: @empty
func.func @empty() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2x2xf32>, tensor<0xf32>) {
  %x = trace.constant dense<> : tensor<2x0xf32>
  %b = trace.constant dense<> : tensor<2x0xi1>
  // EMPTY-NEXT: = 0 0
  %0 = trace.reduce_sum %x [1] : tensor<2x0xf32>
  // EMPTY-NEXT: = 1 1
  %1 = trace.reduce_prod %x [1] : tensor<2x0xf32>
  // EMPTY-NEXT: = false false
  %2 = trace.reduce_any %b [1] : tensor<2x0xi1>
  // EMPTY-NEXT: = true true
  %3 = trace.reduce_all %b [1] : tensor<2x0xi1>
  // EMPTY: 0 0
  // EMPTY-NEXT: 0 0
  %t = trace.transpose %x [1, 0] : tensor<2x0xf32>
  %4 = trace.matmul %x, %t : tensor<2x0xf32>, tensor<0x2xf32>
  // EMPTY-NEXT: tensor<0xf32> ={{$}}
  %5 = trace.reduce_sum %x [0] : tensor<2x0xf32>
  trace.return outputs(%0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2x2xf32>, tensor<0xf32>)
}

// INDEXING-LABEL: @indexing
func.func @indexing() -> (tensor<2x2xi32>, tensor<1x2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<4xf32>, tensor<4xi64>, tensor<2xf32>, tensor<2xi64>) {
  %x = trace.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = trace.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  %s = trace.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %r = trace.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %p = trace.constant dense<[0, 1]> : tensor<2xi64>
  %q = trace.constant dense<[2, 0]> : tensor<2xi64>
  // INDEXING: 3 1
  // INDEXING-NEXT: 5 5
  %0 = trace.gather %x, %i dim 1 : tensor<2x3xi32>, tensor<2x2xi64>
  // INDEXING: 4 5 6
  // INDEXING-NEXT: 1 2 3
  %1 = trace.take %x, %r dim 0 : tensor<2x3xi32>, tensor<1x2xi64>
  // INDEXING: 21 2 13
  // INDEXING-NEXT: 4 75 6
  %2 = trace.scatter_add %x, %i, %s dim 1 : tensor<2x3xi32>, tensor<2x2xi64>, tensor<2x2xi32>
  // INDEXING: 20 2 10
  // INDEXING-NEXT: 4 40 6
  %3 = trace.scatter %x, %i, %s dim 1 : tensor<2x3xi32>, tensor<2x2xi64>, tensor<2x2xi32>
  // INDEXING: = 3 4
  %4 = trace.index %x[%p, %q] dims [0, 1] : tensor<2x3xi32>, tensor<2xi64>, tensor<2xi64> to tensor<2xi32>
  // NaN is greater than all numbers.
  %f = trace.constant dense<[3.0, 0x7FC00000, 1.0, 3.0]> : tensor<4xf32>
  // INDEXING: = nan 3 3 1
  // INDEXING-NEXT: = 1 0 3 2
  %5:2 = trace.sort %f dim 0 descending true stable true : tensor<4xf32>
  // INDEXING-NEXT: = 1 3
  // INDEXING-NEXT: = 2 0
  %6:2 = trace.topk %f dim 0 k 2 largest false sorted true : tensor<4xf32>
  trace.return outputs(%0, %1, %2, %3, %4, %5#0, %5#1, %6#0, %6#1 : tensor<2x2xi32>, tensor<1x2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
      tensor<2xi32>, tensor<4xf32>, tensor<4xi64>, tensor<2xf32>, tensor<2xi64>)
}

// CHECKED: result 0: tensor<3xi64> = 1 2 -100
func.func @checked(%i: tensor<3xi64>) -> tensor<3xi64> {
  // RANGE: data.mlir:[[@LINE+1]]:8: error: IndexError: index 3 is out of range for a dimension of size 3
  %0 = trace.check_index %i size 3 wrap true ignore -100 : tensor<3xi64>
  trace.return outputs(%0 : tensor<3xi64>)
}

func.func @unchecked(%i: tensor<2xi64>) -> tensor<2xf32> {
  %x = trace.constant dense<1.0> : tensor<3xf32>
  // UNCHECKED: data.mlir:[[@LINE+1]]:8: error: IndexError: index 3 is out of range for a dimension of size 3
  %0 = trace.take %x, %i dim 0 : tensor<3xf32>, tensor<2xi64>
  trace.return outputs(%0 : tensor<2xf32>)
}

// Philox4x32-10 of counter 0 and key 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123's known answers).
// RANDOM-LABEL: @random
// RANDOM-NEXT: = 0.3990464211 0.880520165 0.7357127666 0.6054818034
// The pair's radius is sqrt(-2 ln u) of the first word, its angle 2 pi v of the second.
// RANDOM-NEXT: = 0.991{{[0-9]+}} -0.924{{[0-9]+}}
func.func @random(%seed: tensor<i64>) -> (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
  %0 = trace.random_uniform %seed stream 0 : tensor<i64> to tensor<4xf32>
  %1 = trace.random_normal %seed stream 0 : tensor<i64> to tensor<2xf32>
  %2 = trace.random_uniform %seed stream 1 : tensor<i64> to tensor<4xf32>
  trace.return outputs(%0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>)
}

// Mean and variance of 40,000 normal numbers, the mean of as many uniform ones.
// MOMENTS-LABEL: @moments
// MOMENTS-NEXT: = {{-?0.00[0-9]+|-?[0-9.]+e-0[345]}}
// MOMENTS-NEXT: = {{1|0.99|1.0}}
// MOMENTS-NEXT: = 0.5
func.func @moments(%seed: tensor<i64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %count = trace.constant dense<40000.0> : tensor<f64>
  %x = trace.random_normal %seed stream 7 : tensor<i64> to tensor<40000xf64>
  %0 = trace.reduce_sum %x [0] : tensor<40000xf64>
  %mean = trace.div %0, %count : tensor<f64>
  %1 = trace.mul %x, %x : tensor<40000xf64>
  %2 = trace.reduce_sum %1 [0] : tensor<40000xf64>
  %variance = trace.div %2, %count : tensor<f64>
  %u = trace.random_uniform %seed stream 8 : tensor<i64> to tensor<40000xf64>
  %3 = trace.reduce_sum %u [0] : tensor<40000xf64>
  %middle = trace.div %3, %count : tensor<f64>
  trace.return outputs(%mean, %variance, %middle : tensor<f64>, tensor<f64>, tensor<f64>)
}

// DYNAMIC-LABEL: @dynamic
// DYNAMIC: result 0: tensor<4xf32> = 1 2 3 4
// DYNAMIC-NEXT: result 1: tensor<3xf32> = 1 1 1
// DYNAMIC-NEXT: result 2: tensor<2xf32> = 0 0
func.func @dynamic(%x: tensor<?x2xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x2xf32>
  %2 = trace.full 0.0 : f32 [%rows] : tensor<?xf32>
  %0 = trace.reshape %x : tensor<?x2xf32> to tensor<?xf32>
  %1 = trace.full 1.0 : f32 [%n] : tensor<?xf32>
  trace.return outputs(%0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
}
