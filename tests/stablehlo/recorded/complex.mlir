module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xcomplex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %2 = stablehlo.multiply %1, %0 : tensor<3xcomplex<f32>>
    %3 = stablehlo.real %2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %4 = stablehlo.exponential %3 : tensor<3xf32>
    %5 = stablehlo.compare EQ, %4, %cst_1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.multiply %3, %cst_0 : tensor<3xf32>
    %7 = stablehlo.exponential %6 : tensor<3xf32>
    %8 = stablehlo.imag %2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %9 = stablehlo.cosine %8 : tensor<3xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<3xf32>
    %11 = stablehlo.multiply %10, %7 : tensor<3xf32>
    %12 = stablehlo.multiply %4, %9 : tensor<3xf32>
    %13 = stablehlo.select %5, %11, %12 : tensor<3xi1>, tensor<3xf32>
    %14 = stablehlo.compare EQ, %8, %cst : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %15 = stablehlo.sine %8 : tensor<3xf32>
    %16 = stablehlo.multiply %7, %15 : tensor<3xf32>
    %17 = stablehlo.multiply %16, %7 : tensor<3xf32>
    %18 = stablehlo.multiply %4, %15 : tensor<3xf32>
    %19 = stablehlo.select %5, %17, %18 : tensor<3xi1>, tensor<3xf32>
    %20 = stablehlo.select %14, %cst, %19 : tensor<3xi1>, tensor<3xf32>
    %21 = stablehlo.complex %13, %20 : tensor<3xcomplex<f32>>
    %22 = stablehlo.abs %21 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    return %22 : tensor<3xf32>
  }
}
