// SPDX-License-Identifier: Apache-2.0
// Every op of CHLO that HLO lacks. Expected values of the special functions are those that JAX 0.10.2 computes, at arguments
// where these are near the truth: of digamma(-0.5), which is nearly 0, they have 13 right digits of 16.
func.func @lgamma_f32() {
  %0 = stablehlo.constant dense<[0.0, -0.0, -1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.00000002e+30, 0.5, 1.0e-30]> : tensor<10xf32>
  %1 = chlo.lgamma %0 : tensor<10xf32> -> tensor<10xf32>
  %2 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 6.8077553e+31, 0.572364807, 69.0775528]> : tensor<10xf32>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<10xf32>, tensor<10xf32>
  func.return
}

// -----

func.func @lgamma_f64() {
  %0 = stablehlo.constant dense<[0.0, -0.0, -1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e+30, 0.5, 1.0e-30]> : tensor<10xf64>
  %1 = chlo.lgamma %0 : tensor<10xf64> -> tensor<10xf64>
  %2 = stablehlo.constant dense<[0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 6.8077552789821365e+31, 0.5723649429247004, 69.07755278982137]> : tensor<10xf64>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<10xf64>, tensor<10xf64>
  func.return
}

// -----

func.func @digamma_f32() {
  %0 = stablehlo.constant dense<[0.0, -1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.00000002e+20, -0.25, 0.5]> : tensor<9xf32>
  %1 = chlo.digamma %0 : tensor<9xf32> -> tensor<9xf32>
  %2 = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000, 46.0517044, 2.9141388, -1.96351004]> : tensor<9xf32>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<9xf32>, tensor<9xf32>
  func.return
}

// -----

func.func @digamma_f64() {
  %0 = stablehlo.constant dense<[0.0, -1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e+20, -0.25, 0.5]> : tensor<9xf64>
  %1 = chlo.digamma %0 : tensor<9xf64> -> tensor<9xf64>
  %2 = stablehlo.constant dense<[0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 46.051701859880914, 2.914139120213528, -1.9635100260214255]> : tensor<9xf64>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<9xf64>, tensor<9xf64>
  func.return
}

// -----

func.func @erfc_f32() {
  %0 = stablehlo.constant dense<[0.0, 1.0, -1.0, 30.0, -30.0, 0x7F800000, 0xFF800000, 0x7FC00000, 5.0]> : tensor<9xf32>
  %1 = chlo.erfc %0 : tensor<9xf32> -> tensor<9xf32>
  %2 = stablehlo.constant dense<[1.0, 0.157299235, 1.84270072, 0.0, 2.0, 0.0, 2.0, 0x7FC00000, 1.53745972e-12]> : tensor<9xf32>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<9xf32>, tensor<9xf32>
  func.return
}

// -----

func.func @erfc_f64() {
  %0 = stablehlo.constant dense<[0.0, 1.0, -1.0, 30.0, -30.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 5.0]> : tensor<9xf64>
  %1 = chlo.erfc %0 : tensor<9xf64> -> tensor<9xf64>
  %2 = stablehlo.constant dense<[1.0, 0.15729920705028513, 1.8427007929497148, 0.0, 2.0, 0.0, 2.0, 0x7FF8000000000000, 1.5374597944280353e-12]> : tensor<9xf64>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<9xf64>, tensor<9xf64>
  func.return
}

// -----

func.func @erf_inv_f32() {
  %0 = stablehlo.constant dense<[0.0, 1.0, -1.0, 2.0, 0x7FC00000, 0.999000013, -0.5]> : tensor<7xf32>
  %1 = chlo.erf_inv %0 : tensor<7xf32> -> tensor<7xf32>
  %2 = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 2.32675767, -0.476936281]> : tensor<7xf32>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<7xf32>, tensor<7xf32>
  func.return
}

// -----

func.func @erf_inv_f64() {
  %0 = stablehlo.constant dense<[0.0, 1.0, -1.0, 2.0, 0x7FF8000000000000, 0.999, -0.5]> : tensor<7xf64>
  %1 = chlo.erf_inv %0 : tensor<7xf64> -> tensor<7xf64>
  %2 = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 2.3267537655135273, -0.47693627620446977]> : tensor<7xf64>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<7xf64>, tensor<7xf64>
  func.return
}

// -----

func.func @bessel_i1e_f32() {
  %0 = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 9.99999968e-21, 8.0, -8.0]> : tensor<7xf32>
  %1 = chlo.bessel_i1e %0 : tensor<7xf32> -> tensor<7xf32>
  %2 = stablehlo.constant dense<[0.0, 0.0, -0.0, 0x7FC00000, 4.99999984e-21, 0.134142622, -0.134142622]> : tensor<7xf32>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<7xf32>, tensor<7xf32>
  func.return
}

// -----

func.func @bessel_i1e_f64() {
  %0 = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e-20, 8.0, -8.0]> : tensor<7xf64>
  %1 = chlo.bessel_i1e %0 : tensor<7xf64> -> tensor<7xf64>
  %2 = stablehlo.constant dense<[0.0, 0.0, -0.0, 0x7FF8000000000000, 5.0000000000000005e-21, 0.13414249329269812, -0.13414249329269812]> : tensor<7xf64>
  check.expect_close %1, %2 {max_ulp_difference = 16 : i64} : tensor<7xf64>, tensor<7xf64>
  func.return
}

// -----

func.func @zeta_f64() {
  %0 = stablehlo.constant dense<[2.0, 2.0, 3.0, 1000.0, 2.0, 1.0, 0.5, 2.5, 2.0, -3.0]> : tensor<10xf64>
  %1 = stablehlo.constant dense<[0x7FF0000000000000, -2.0, -2.0, 3.0, 1.0e+300, 3.0, 3.0, -1.5, 0x7FF8000000000000, 2.0]> : tensor<10xf64>
  %2 = chlo.zeta %0, %1 : tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  %3 = stablehlo.constant dense<[0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0.0, 0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %2, %3 {max_ulp_difference = 16 : i64} : tensor<10xf64>, tensor<10xf64>
  func.return
}

// -----

func.func @polygamma_f64() {
  %0 = stablehlo.constant dense<[0.0, 1.0, 2.0, -1.0, 1.5, 3.0, 1.0, 0.0]> : tensor<8xf64>
  %1 = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 4.0, -1.0, -1.0]> : tensor<8xf64>
  %2 = chlo.polygamma %0, %1 : tensor<8xf64>, tensor<8xf64> -> tensor<8xf64>
  %3 = stablehlo.constant dense<[-1.9635100260214255, 4.93480220054468, -16.828796644234295, 0x7FF8000000000000, 0x7FF8000000000000, 0.044865328192755106, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<8xf64>
  check.expect_close %2, %3 {max_ulp_difference = 16 : i64} : tensor<8xf64>, tensor<8xf64>
  func.return
}

// -----

func.func @cosh_f32() {
  %0 = stablehlo.constant dense<[0.25, -0.5, 1.5, -3.0, 20.0, -80.0, 89.0]> : tensor<7xf32>
  %1 = chlo.cosh %0 : tensor<7xf32> -> tensor<7xf32>
  %2 = stablehlo.constant dense<[1.03141308, 1.12762594, 2.3524096, 10.0676622, 242582480.0, 2.7703152e+34, 2.24480963e+38]> : tensor<7xf32>
  check.expect_close %1, %2 {max_ulp_difference = 2 : i64} : tensor<7xf32>, tensor<7xf32>
  func.return
}

// -----

func.func @sinh_f32() {
  %0 = stablehlo.constant dense<[0.25, -0.5, 1.5, -3.0, 20.0, -80.0, 89.0]> : tensor<7xf32>
  %1 = chlo.sinh %0 : tensor<7xf32> -> tensor<7xf32>
  %2 = stablehlo.constant dense<[0.252612293, -0.521095276, 2.12927938, -10.0178747, 242582480.0, -2.7703152e+34, 2.24480963e+38]> : tensor<7xf32>
  check.expect_close %1, %2 {max_ulp_difference = 2 : i64} : tensor<7xf32>, tensor<7xf32>
  func.return
}

// -----

func.func @predicates() {
  %0 = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %1 = chlo.is_inf %0 : tensor<4xf32> -> tensor<4xi1>
  %2 = chlo.is_pos_inf %0 : tensor<4xf32> -> tensor<4xi1>
  %3 = chlo.is_neg_inf %0 : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_eq_const %3, dense<[false, false, true, false]> : tensor<4xi1>
  func.return
}

// -----

func.func @conj_and_square() {
  %0 = stablehlo.constant dense<[(1.5, -2.0), (0.0, 3.0)]> : tensor<2xcomplex<f32>>
  %1 = chlo.conj %0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = chlo.square %0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %3 = chlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %4 = chlo.square %3 : tensor<2xf32> -> tensor<2xf32>
  check.expect_eq_const %1, dense<[(1.5, 2.0), (0.0, -3.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %2, dense<[(-1.75, -6.0), (-9.0, 0.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %4, dense<[2.25, 4.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @next_after() {
  %0 = stablehlo.constant dense<[1.0, 0.0, 0.0, 0x7F800000, 2.0, 0x7FC00000]> : tensor<6xf32>
  %1 = stablehlo.constant dense<[2.0, -1.0, -0.0, 0.0, 2.0, 1.0]> : tensor<6xf32>
  %2 = chlo.next_after %0, %1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  check.expect_eq_const %2, dense<[0x3F800001, 0x80000001, -0.0, 0x7F7FFFFF, 2.0, 0x7FC00000]> : tensor<6xf32>
  func.return
}

// -----

func.func @operands_are_broadcast() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
  %2 = chlo.broadcast_add %0, %1 : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %2, dense<[[11.0, 12.0], [21.0, 22.0], [31.0, 32.0]]> : tensor<3x2xf32>
  %3 = chlo.broadcast_compare %0, %1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xi1>
  check.expect_eq_const %3, dense<true> : tensor<3x2xi1>
  %4 = stablehlo.constant dense<[[true, false]]> : tensor<1x2xi1>
  %5 = chlo.broadcast_select %4, %0, %1 : (tensor<1x2xi1>, tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %5, dense<[[1.0, 10.0], [1.0, 20.0], [1.0, 30.0]]> : tensor<3x2xf32>
  %6 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %7 = chlo.broadcast_multiply %6, %2 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %7, dense<[[11.0, 12.0], [42.0, 44.0], [93.0, 96.0]]> : tensor<3x2xf32>
  %8 = "chlo.constant_like"(%2) {value = 3.5 : f32} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %8, dense<3.5> : tensor<3x2xf32>
  func.return
}

// -----

func.func @top_k_of_truth_values_takes_the_true_ones_first() {
  %0 = stablehlo.constant dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>
  %1:2 = chlo.top_k(%0, k = 2) : tensor<2x3xi1> -> (tensor<2x2xi1>, tensor<2x2xi32>)
  check.expect_eq_const %1#0, dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  check.expect_eq_const %1#1, dense<[[0, 2], [2, 0]]> : tensor<2x2xi32>
  func.return
}

// -----

func.func @top_k_takes_the_first_of_equal_ones() {
  %0 = stablehlo.constant dense<[[3, 7, 7, 1], [5, -2, 9, 9]]> : tensor<2x4xi32>
  %1:2 = chlo.top_k(%0, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %1#0, dense<[[7, 7], [9, 9]]> : tensor<2x2xi32>
  check.expect_eq_const %1#1, dense<[[1, 2], [2, 3]]> : tensor<2x2xi32>
  func.return
}

// -----

// Rows 0 and 1 meet the first matrix, row 2 the second.
func.func @ragged_dot() {
  %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %1 = stablehlo.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]]]> : tensor<2x2x1xf32>
  %2 = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %3 = "chlo.ragged_dot"(%0, %1, %2) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]
  } : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<3x1xf32>
  check.expect_eq_const %3, dense<[[1.0], [3.0], [6.0]]> : tensor<3x1xf32>
  func.return
}

// -----

func.func @scan() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = stablehlo.constant dense<10.0> : tensor<f32>
  %2:2 = "chlo.scan"(%0, %1) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %carry: tensor<f32>):
    %sum = stablehlo.add %x, %carry : tensor<f32>
    stablehlo.return %sum, %sum : tensor<f32>, tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %2#0, dense<[11.0, 13.0, 16.0]> : tensor<3xf32>
  check.expect_eq_const %2#1, dense<16.0> : tensor<f32>
  func.return
}

// -----

func.func @scan_in_its_pretty_form() {
  %0 = chlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = stablehlo.constant dense<10.0> : tensor<f32>
  %2:2 = chlo.scan(%0) inits(%1) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<f32>, %carry: tensor<f32>):
    %sum = stablehlo.add %x, %carry : tensor<f32>
    stablehlo.return %sum, %sum : tensor<f32>, tensor<f32>
  } : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %2#0, dense<[16.0, 15.0, 13.0]> : tensor<3xf32>
  func.return
}
