// RUN: not trace-opt %s --trace-lower-fusions-to-gpu=chip=sm_75 2>&1 | FileCheck %s
// RUN: not trace-opt %s --trace-lower-fusions-to-gpu=chip=gfx90a 2>&1 | FileCheck %s
// CHECK: error: unknown GPU '{{sm_75|gfx90a}}': sm_80 or newer
module {}
