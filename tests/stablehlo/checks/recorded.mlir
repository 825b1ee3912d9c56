// RUN: stablehlo-translate %s --interpret --args="[dense<[3, 4]> : tensor<2xi32>, dense<2> : tensor<2xi32>]"
func.func @main(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xi32>
  check.expect_eq_const %0, dense<[6, 8]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @a_probe_in_a_loop_sees_every_pass() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %x = %three) : tensor<i64>, tensor<i64>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i64>
    %twice = stablehlo.add %x, %x : tensor<i64>
    %seen = interpreter.probe %twice, probe_id = "twice" : tensor<i64>
    stablehlo.return %next, %seen : tensor<i64>, tensor<i64>
  }
  %six = stablehlo.constant dense<6> : tensor<i64>
  %twelve = stablehlo.constant dense<12> : tensor<i64>
  check.expect_serialized_eq %six, probe_id = "twice", iter = 0 : tensor<i64>
  check.expect_serialized_eq %twelve, probe_id = "twice", iter = 1 : tensor<i64>
  check.expect_eq_const %0#1, dense<24> : tensor<i64>
  func.return
}
