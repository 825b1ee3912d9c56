module @jit_pieces attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<i32>) -> (tensor<3x6xf32> {jax.result_info = "result[0]"}, tensor<7x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.slice %arg0 [1:3, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2x3xf32>
    %3 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.add %arg1, %c : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg1 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_update_slice %arg0, %2, %5, %c_0 : (tensor<4x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    %7 = stablehlo.slice %6 [0:4:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %8 = call @_flip(%6) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<6x3xf32>) -> tensor<3x6xf32>
    %11 = call @_pad(%arg0, %cst) : (tensor<4x3xf32>, tensor<f32>) -> tensor<7x4xf32>
    return %10, %11 : tensor<3x6xf32>, tensor<7x4xf32>
  }
  func.func private @_flip(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @_pad(%arg0: tensor<4x3xf32>, %arg1: tensor<f32>) -> tensor<7x4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [2, 1], interior = [0, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<7x4xf32>
    return %1 : tensor<7x4xf32>
  }
}
