// RUN: trace-opt %s --split-input-file --verify-diagnostics
//
// One case per rule of the verifiers: functions, regions, calls, roles, get_grad, return.

// expected-error @below {{'trace.joint' belongs on a func.func}}
module attributes {trace.joint} {
}

// -----

// expected-error @below {{argument 0: 'trace.role' must be a #trace.role}}
func.func @role(%x: tensor<4xf32> {trace.role = "input"}) {
  trace.return outputs()
}

// -----

// expected-error @below {{unknown role 'inptu'}}
func.func @role_name(%x: tensor<4xf32> {trace.role = #trace.role<inptu 0>}) {
  trace.return outputs()
}

// -----

// expected-error @below {{argument 0: 'trace.strides' must be one i64 per dimension}}
func.func @strides(%x: tensor<4x8xf32> {trace.strides = array<i64: 1>}) {
  trace.return outputs()
}

// -----

// expected-error @below {{result 0: 'trace.strides' must be one i64 per dimension}}
func.func @result_strides(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {trace.strides = array<i64: 1>}) {
  trace.return outputs(%x : tensor<4x8xf32>)
}

// -----

// expected-error @below {{result 0: 'trace.reached_by' must be a list of outputs, on a gradient}}
func.func @reached_by(%x: tensor<4xf32>) -> (tensor<4xf32> {trace.reached_by = array<i64: 0>}) {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

// expected-error @below {{argument 0: 'trace.requires_grad' needs a floating-point tensor, not 'tensor<4xi64>'}}
func.func @requires_grad(%x: tensor<4xi64> {trace.requires_grad}) {
  trace.return outputs()
}

// -----

func.func @return_count(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{has 1 operands, but the function has 2 results}}
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @return_type(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{operand 0 is 'tensor<4xf32>', but the function's result 0 is 'tensor<8xf32>'}}
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @return_numbers(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  // expected-error @below {{needs one argument number per gradient}}
  trace.return outputs() gradients(%x : tensor<4xf32>) of [0, 0]
}

// -----

func.func @return_gradients(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{gives gradients, but its function is neither a joint nor a backward}}
  trace.return outputs() gradients(%x : tensor<4xf32>) of [0]
}

// -----

func.func @return_argument(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  // expected-error @below {{gives a gradient of argument 1, which is not there}}
  trace.return outputs() gradients(%x : tensor<4xf32>) of [1]
}

// -----

func.func @return_gradient_type(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {trace.joint} {
  // expected-error @below {{gradient of argument 0 is 'tensor<8xf32>', but the argument is 'tensor<4xf32>'}}
  trace.return outputs() gradients(%y : tensor<8xf32>) of [0]
}

// -----

func.func @get_grad_elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{must stand at the top level of a joint function}}
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @get_grad_in_region(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{must stand at the top level of a joint function}}
    %g = trace.get_grad %a output 0 : tensor<4xf32>
    trace.yield %g : tensor<4xf32>
  }
  trace.return outputs(%0 : tensor<4xf32>)
}

// -----

func.func @get_grad_of_integer(%x: tensor<4xi64>) -> tensor<4xi64> attributes {trace.joint} {
  // expected-error @below {{only floating-point outputs have a cotangent}}
  %g = trace.get_grad %x output 0 : tensor<4xi64>
  trace.return outputs(%x : tensor<4xi64>)
}

// -----

func.func @get_grad_number(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  // expected-error @below {{asks for output 1 of 1}}
  %g = trace.get_grad %x output 1 : tensor<4xf32>
  // expected-note @below {{outputs are returned here}}
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @get_grad_of_no_output(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  // expected-error @below {{operand is not output 0 of the function}}
  %g = trace.get_grad %y output 0 : tensor<4xf32>
  // expected-note @below {{outputs are returned here}}
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @bsym_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{decomposition must take the types of the operands}}
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<8xf32>):
    trace.yield %a : tensor<8xf32>
  }
  trace.return outputs()
}

// -----

func.func @bsym_yield(%x: tensor<4xf32>) {
  // expected-error @below {{decomposition must end in trace.yield}}
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = trace.sin %a : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @bsym_results(%x: tensor<4xf32>) {
  // expected-error @below {{decomposition must yield the types of the results}}
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{yielded here}}
    trace.yield %a : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @bsym_captures(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = trace.bsym "f"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    %s = trace.add %a, %y : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @bsym_half_a_rule(%x: tensor<4xf32>) {
  // expected-error @below {{needs both vjp_forward and vjp_backward, or neither}}
  %0 = trace.bsym "f"(%x) {vjp_forward = @rule} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}
func.func private @rule(%x: tensor<4xf32>) -> tensor<4xf32> {
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @bsym_impure_region(%x: tensor<4xf32>) {
  // expected-error @below {{'trace.bsym' op has a decomposition, whose ops say themselves what is impure}}
  %0 = trace.bsym "f"(%x) {impure} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @bsym_unknown_rule(%x: tensor<4xf32>) {
  // expected-error @below {{has a gradient rule @forward that is no function here}}
  %0 = trace.bsym "f"(%x) {vjp_forward = @forward, vjp_backward = @backward} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @bsym_operand_number(%x: tensor<4xf32>) {
  // expected-error @below {{argument list names operand 1 of 1}}
  %0 = trace.bsym "f"(%x) {arguments = [#trace.operand<0>, #trace.operand<1>]} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @call_library_operand_left(%x: tensor<4xf32>) {
  // expected-error @below {{has an operand that its argument list does not name}}
  %0 = trace.call_library "aten.exp.default"(%x) {arguments = []} : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @fusion_types(%x: tensor<4xf32>) {
  // expected-error @below {{body must take the types of the operands}}
  %0 = trace.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0:
    trace.yield
  }
  trace.return outputs()
}

// -----

func.func @fusion_of_library_op(%x: tensor<4x4xf32>) {
  // expected-error @below {{cannot hold 'trace.matmul'}}
  %0 = trace.fusion(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    // expected-note @below {{the op stands here}}
    %m = trace.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32>
    trace.yield %m : tensor<4x4xf32>
  }
  trace.return outputs()
}

// -----

func.func @fusion_captures_get_grad(%x: tensor<4xf32>) -> tensor<4xf32> attributes {trace.joint} {
  %g = trace.get_grad %x output 0 : tensor<4xf32>
  // expected-note @below {{required by region isolation constraints}}
  %0 = trace.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    %s = trace.mul %a, %g : tensor<4xf32>
    trace.yield %s : tensor<4xf32>
  }
  trace.return outputs(%x : tensor<4xf32>)
}

// -----

func.func @call_nothing(%x: tensor<4xf32>) {
  // expected-error @below {{calls @nothing, which is no function here}}
  %0 = trace.call @nothing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}

// -----

func.func @call_type(%x: tensor<4xf32>) {
  // expected-error @below {{does not have the type of its callee}}
  %0 = trace.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  trace.return outputs()
}
// expected-note @below {{callee is '(tensor<8xf32>) -> tensor<8xf32>'}}
func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  trace.return outputs(%x : tensor<8xf32>)
}

// -----

func.func @checkpoint_results(%x: tensor<4xf32>) {
  // expected-error @below {{body must yield the types of the results}}
  %0 = trace.checkpoint(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{yielded here}}
    trace.yield
  }
  trace.return outputs()
}

// -----

func.func @custom_grad_primal(%x: tensor<4xf32>) {
  // expected-error @below {{primal must take the types of the operands}}
  %0 = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<8xf32>):
    trace.yield %a : tensor<8xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>):
    trace.yield %g : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @custom_grad_results(%x: tensor<4xf32>) {
  // expected-error @below {{primal must yield the results, followed by what the backward wants}}
  %0 = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    trace.yield
  } backward {
  ^bb0(%g: tensor<4xf32>):
    trace.yield %g : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @custom_grad_operand(%x: tensor<4xf32>) {
  // expected-error @below {{has a gradient for operand 1, which is not there}}
  %0 = trace.custom_grad(%x) {grad_operands = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>):
    trace.yield %g : tensor<4xf32>
  }
  trace.return outputs()
}

// -----

func.func @custom_grad_backward(%x: tensor<4xf32>) {
  // expected-error @below {{backward must yield the types of the results}}
  %0 = trace.custom_grad(%x) {grad_operands = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> primal {
  ^bb0(%a: tensor<4xf32>):
    trace.yield %a : tensor<4xf32>
  } backward {
  ^bb0(%g: tensor<4xf32>):
    // expected-note @below {{yielded here}}
    trace.yield
  }
  trace.return outputs()
}

// -----

func.func @yield_elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects parent op to be one of 'trace.bsym, trace.fusion, trace.checkpoint, trace.custom_grad'}}
  trace.yield %x : tensor<4xf32>
}
