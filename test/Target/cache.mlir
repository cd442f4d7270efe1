// RUN: rm -rf %t
// RUN: trace-jit %s --lower --run=f --cache-dir=%t | FileCheck %s --check-prefixes=MISS,CHECK
// RUN: trace-jit %s --lower --run=f --cache-dir=%t | FileCheck %s --check-prefixes=HIT,CHECK
// Other settings are other code, and text cannot come from the cache.
// RUN: trace-jit %s --lower --run=f --cache-dir=%t --opt-level=1 | FileCheck %s --check-prefixes=MISS,CHECK
// RUN: trace-jit %s --lower --run=f --cache-dir=%t --print-asm | FileCheck %s --check-prefixes=MISS,CHECK
// A directory that cannot be made is an empty cache.
// RUN: trace-jit %s --lower --run=f --cache-dir=/dev/null/x | FileCheck %s --check-prefixes=MISS,CHECK

// MISS: // compiled
// HIT: // from the cache
// CHECK: f() = 3
func.func @f() -> i64 {
  %r = arith.constant 3 : i64
  return %r : i64
}
