module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %2 = stablehlo.multiply %1, %0 : tensor<3xcomplex<f32>>
    %3 = stablehlo.exponential %2 : tensor<3xcomplex<f32>>
    %4 = stablehlo.abs %3 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    return %4 : tensor<3xf32>
  }
}
