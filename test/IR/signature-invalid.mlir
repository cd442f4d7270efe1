// RUN: trace-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'trace.signature' needs a 'type', of a function on tensors}}
llvm.func @no_type(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32 attributes {trace.signature = {arguments = [], results = []}}

// -----

// expected-error @below {{'trace.signature' needs a 'type', of a function on tensors}}
llvm.func @no_tensor(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    attributes {trace.signature = {arguments = [{}], results = [], type = (i32) -> ()}}

// -----

// expected-error @below {{'trace.signature' needs 'arguments' and 'results', one dictionary for each of its type}}
llvm.func @too_few(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    attributes {trace.signature = {arguments = [], results = [], type = (tensor<4xf32>) -> ()}}
