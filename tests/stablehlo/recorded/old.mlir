module @old {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>) -> (tensor<4x4xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x4x3xf32>, tensor<?x?xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<[6, 2]> : tensor<2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.einsum %arg0, %arg0, config = "ij,kj->ik" : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    %1 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %2 = stablehlo.set_dimension_size %arg0, %c_0, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %3 = stablehlo.add %2, %2 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %6 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %7 = stablehlo.get_dimension_size %6, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
    return %0, %1, %4, %5, %6, %7 : tensor<4x4xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x4x3xf32>, tensor<?x?xf32>, tensor<i32>
  }
}
