// Programs that check themselves: each function is run by `hilo check`.
func.func @generic_and_pretty_forms_agree() {
  %0 = stablehlo.constant dense<[1.0, -2.0, 0x7F800000]> : tensor<3xf32>
  %1 = "stablehlo.add"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = stablehlo.add %0, %0 : tensor<3xf32>
  check.expect_eq %1, %2 : tensor<3xf32>
  check.expect_eq_const %2, dense<[2.0, -4.0, 0x7F800000]> : tensor<3xf32>
  func.return
}

// -----

// Hexadecimal elements, a splat, an empty tensor, nested lists and complex numbers.
func.func @elements() {
  %hex = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  check.expect_eq_const %hex, dense<[1, 2]> : tensor<2xi32>
  %splat = stablehlo.constant dense<7> : tensor<2x2xi8>
  check.expect_eq_const %splat, dense<[[7, 7], [7, 7]]> : tensor<2x2xi8>
  %empty = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_eq_const %empty, dense<> : tensor<0x3xf32>
  %bits = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %not = stablehlo.not %bits : tensor<3xi1>
  check.expect_eq_const %not, dense<[false, true, false]> : tensor<3xi1>
  %c = stablehlo.constant dense<(1.5, -2.0)> : tensor<complex<f32>>
  %imag = stablehlo.imag %c : (tensor<complex<f32>>) -> tensor<f32>
  check.expect_eq_const %imag, dense<-2.0> : tensor<f32>
  func.return
}

// -----

func.func private @double(%arg0: tensor<2xi64>) -> tensor<2xi64> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xi64>
  return %0 : tensor<2xi64>
}
func.func @main() {
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = call @double(%c) : (tensor<2xi64>) -> tensor<2xi64>
  %1 = stablehlo.composite "mine.double" %0 {composite_attributes = {n = 2 : i64}, decomposition = @double, version = 1 : i32} : (tensor<2xi64>) -> tensor<2xi64>
  check.expect_eq_const %1, dense<[12, 16]> : tensor<2xi64>
  func.return
}

// -----

// A loop that uses values from outside its regions: a constant and an array.
func.func @captures() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.multiply %x, %x : tensor<2xf32>
  %0:2 = stablehlo.while(%i = %zero, %acc = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %acc, %y : tensor<2xf32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<2xf32>
  }
  check.expect_eq_const %0#1, dense<[6.0, 22.0]> : tensor<2xf32>
  %picked = "stablehlo.case"(%one) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %picked, dense<[1.0, 4.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @reductions() {
  %x = stablehlo.constant dense<[[1, 5, 3], [4, 2, 6]]> : tensor<2x3xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[9, 12]> : tensor<2xi32>
  %1:2 = stablehlo.reduce(%x init: %zero), (%i init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>)  {
    %more = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i32>
    %n = stablehlo.select %more, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %v, %n : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %1#0, dense<[5, 6]> : tensor<2xi32>
  check.expect_eq_const %1#1, dense<[1, 2]> : tensor<2xi32>
  func.return
}

// -----

func.func @moves() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.slice %0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[1.0, 3.0], [1.0, 3.0]]> : tensor<2x2xf32>
  %p = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.pad %x, %p, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  check.expect_eq_const %2, dense<[[0.0, 1.0, 2.0]]> : tensor<1x3xf32>
  %3 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %3, dense<14.0> : tensor<2x1xf32>
  %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
  %5 = stablehlo.reverse %4, dims = [0] : tensor<3x1xf32>
  stablehlo.custom_call @check.expect_close(%5, %5) {has_side_effect = true} : (tensor<3x1xf32>, tensor<3x1xf32>) -> ()
  func.return
}
