// SPDX-License-Identifier: Apache-2.0
// What StableHLO has and HLO has not: truth values of one bit, floats of 6 bits, quantised types, ordered complex numbers.
func.func @truth_values_are_bits() {
  %0 = stablehlo.constant dense<[[true, false, true, false, false, false, false, true], [false, true, false, false, false, false, false, false]]> : tensor<2x8xi1>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x8xi1>) -> tensor<2xi8>
  check.expect_eq_const %1, dense<[-123, 2]> : tensor<2xi8>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2xi8>) -> tensor<2x8xi1>
  check.expect_eq %2, %0 : tensor<2x8xi1>
  %3 = stablehlo.constant dense<1.5> : tensor<f32>
  %4 = stablehlo.bitcast_convert %3 : (tensor<f32>) -> tensor<32xi1>
  %5 = stablehlo.bitcast_convert %4 : (tensor<32xi1>) -> tensor<f32>
  check.expect_eq %5, %3 : tensor<f32>
  func.return
}

// -----

func.func @six_bits_are_rounded_as_they_are_read() {
  %0 = stablehlo.constant dense<[0.1, 3.1415, -7.4, 0x1F, 0x21]> : tensor<5xf6E2M3FN>
  %1 = stablehlo.convert %0 : (tensor<5xf6E2M3FN>) -> tensor<5xf32>
  check.expect_eq_const %1, dense<[0.125, 3.25, -7.5, 7.5, -0.125]> : tensor<5xf32>
  %2 = stablehlo.constant dense<[0.1, 3.1415, -27.0, 0x1F, 0x21]> : tensor<5xf6E3M2FN>
  %3 = stablehlo.convert %2 : (tensor<5xf6E3M2FN>) -> tensor<5xf32>
  check.expect_eq_const %3, dense<[0.125, 3.0, -28.0, 28.0, -0.0625]> : tensor<5xf32>
  %4 = stablehlo.constant dense<"0x1F21"> : tensor<2xf6E3M2FN>
  check.expect_eq_const %4, dense<[28.0, -0.0625]> : tensor<2xf6E3M2FN>
  func.return
}

// -----

func.func @quantisation_clamps_and_rounds_to_even() {
  %0 = stablehlo.constant dense<[[0.25, -100.0], [0.75, 3.0]]> : tensor<2x2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0:-30}>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0:-30}>>) -> tensor<2x2xi8>
  check.expect_eq_const %2, dense<[[0, -128], [2, -27]]> : tensor<2x2xi8>
  %3 = stablehlo.uniform_dequantize %1 : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0:-30}>>) -> tensor<2x2xf32>
  check.expect_eq_const %3, dense<[[0.0, -98.0], [1.0, 3.0]]> : tensor<2x2xf32>
  func.return
}

// -----

func.func @storage_has_ends_of_its_own() {
  %0 = stablehlo.constant dense<[-3.0, 3.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8<10:12>:f32, 1.0:11>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x!quant.uniform<u8<10:12>:f32, 1.0:11>>) -> tensor<2xui8>
  check.expect_eq_const %2, dense<[10, 12]> : tensor<2xui8>
  func.return
}

// -----

func.func @arithmetic_of_quantised_types_is_that_of_real_values() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %2 = stablehlo.multiply %1, %1 : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xf32>
  check.expect_eq_const %3, dense<[1.0, 4.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @complex_numbers_are_ordered_by_parts() {
  %0 = stablehlo.constant dense<[(1.0, 2.0), (1.0, 5.0), (0.0, 1.0)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.constant dense<[(2.0, 1.0), (1.0, 3.0), (-0.0, 2.0)]> : tensor<3xcomplex<f32>>
  %2 = stablehlo.maximum %0, %1 : tensor<3xcomplex<f32>>
  %3 = stablehlo.minimum %0, %1 : tensor<3xcomplex<f32>>
  check.expect_eq_const %2, dense<[(2.0, 1.0), (1.0, 5.0), (0.0, 2.0)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %3, dense<[(1.0, 2.0), (1.0, 3.0), (0.0, 1.0)]> : tensor<3xcomplex<f32>>
  func.return
}

// -----

func.func @cbrt_of_complex_numbers_is_the_principal_root() {
  %0 = stablehlo.constant dense<[(-8.0, 0.0), (0.0, 8.0)]> : tensor<2xcomplex<f64>>
  %1 = stablehlo.cbrt %0 : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %1, dense<[(1.0, 1.7320508075688772), (1.7320508075688772, 1.0)]> : tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @a_complex_number_is_true_by_its_real_part() {
  %0 = stablehlo.constant dense<[(0.0, 1.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.convert %0 : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %1, dense<[false, true]> : tensor<2xi1>
  func.return
}

// -----

func.func @without_mantissa_nan_becomes_infinity() {
  %0 = stablehlo.constant dense<[0x7FC00000, 3.0]> : tensor<2xf32>
  %1 = stablehlo.reduce_precision %0, format = e5m0 : tensor<2xf32>
  check.expect_eq_const %1, dense<[0x7F800000, 2.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @truth_values_are_clamped_with_false_below_true() {
  %least = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %x = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  %most = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
  %0 = stablehlo.clamp %least, %x, %most : tensor<4xi1>
  check.expect_eq_const %0, dense<[false, false, true, true]> : tensor<4xi1>
  func.return
}

// -----

func.func @complex_numbers_are_clamped_by_their_real_parts_then_their_imaginary_ones() {
  %least = stablehlo.constant dense<(1.0, 1.0)> : tensor<complex<f32>>
  %x = stablehlo.constant dense<[(0.0, 5.0), (1.0, 0.0), (1.0, 3.0), (2.0, 9.0)]> : tensor<4xcomplex<f32>>
  %most = stablehlo.constant dense<(2.0, 2.0)> : tensor<complex<f32>>
  %0 = stablehlo.clamp %least, %x, %most : (tensor<complex<f32>>, tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, 1.0), (1.0, 1.0), (1.0, 3.0), (2.0, 2.0)]> : tensor<4xcomplex<f32>>
  func.return
}

// -----

func.func @sums_of_floats_become_integers_at_the_end() {
  %x = stablehlo.constant dense<[[0.5, 1.25], [-2.5, 3.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[1.5, -1.0], [0.5, 3.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 3], [-2, 11]]> : tensor<2x2xi32>
  func.return
}
