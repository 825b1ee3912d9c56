module @jit_energy attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[2.800000e+01, 8.000000e+00, -3.000000e+00, 7.000000e+00, -1.000000e+00, 1.000000e+00, 1.800000e+01, 1.200000e+01]> : tensor<8xf64>
    %cst_0 = stablehlo.constant dense<[1.500000e+01, 1.000000e+01, 1.600000e+01, 1.100000e+01, 9.000000e+00, 1.100000e+01, 1.000000e+01, 1.800000e+01]> : tensor<8xf64>
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<10xf64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<10xf64>) -> tensor<1xf64>
    %3 = stablehlo.reshape %2 : (tensor<1xf64>) -> tensor<f64>
    %4 = stablehlo.exponential %3 : tensor<f64>
    %5 = stablehlo.slice %arg0 [2:10] : (tensor<10xf64>) -> tensor<8xf64>
    %6 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %7 = stablehlo.subtract %cst, %6 : tensor<8xf64>
    %8 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %9 = stablehlo.multiply %8, %5 : tensor<8xf64>
    %10 = stablehlo.subtract %7, %9 : tensor<8xf64>
    %11 = stablehlo.divide %10, %cst_0 : tensor<8xf64>
    %12 = stablehlo.multiply %11, %11 : tensor<8xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %cst_2 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %14 = stablehlo.divide %1, %cst_2 : tensor<f64>
    %15 = stablehlo.multiply %14, %14 : tensor<f64>
    %16 = stablehlo.add %13, %15 : tensor<f64>
    %17 = stablehlo.multiply %5, %5 : tensor<8xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %18 = stablehlo.reduce(%17 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %19 = stablehlo.add %16, %18 : tensor<f64>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %20 = stablehlo.divide %19, %cst_4 : tensor<f64>
    %cst_5 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %21 = stablehlo.divide %4, %cst_5 : tensor<f64>
    %22 = stablehlo.multiply %21, %21 : tensor<f64>
    %23 = stablehlo.log_plus_one %22 : tensor<f64>
    %24 = stablehlo.add %20, %23 : tensor<f64>
    %25 = stablehlo.slice %arg0 [1:2] : (tensor<10xf64>) -> tensor<1xf64>
    %26 = stablehlo.reshape %25 : (tensor<1xf64>) -> tensor<f64>
    %27 = stablehlo.subtract %24, %26 : tensor<f64>
    return %27 : tensor<f64>
  }
}
