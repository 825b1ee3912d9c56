module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<9xbf16> {jax.result_info = "result[0]"}, tensor<9xf8E4M3FN> {jax.result_info = "result[1]"}, tensor<9xi1> {jax.result_info = "result[2]"}, tensor<9xi8> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg0 : (tensor<9xf32>) -> tensor<9xbf16>
    %1 = stablehlo.convert %arg0 : (tensor<9xf32>) -> tensor<9xf8E4M3FN>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %4 = stablehlo.convert %arg0 : (tensor<9xf32>) -> tensor<9xi8>
    return %0, %1, %3, %4 : tensor<9xbf16>, tensor<9xf8E4M3FN>, tensor<9xi1>, tensor<9xi8>
  }
}
