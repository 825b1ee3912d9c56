func.func public @main() -> (tensor<3xf6E2M3FN>, tensor<3xf6E3M2FN>, tensor<2xf6E3M2FN>) {
  %0 = stablehlo.constant dense<[1.0, 2.5, -0.125]> : tensor<3xf6E2M3FN>
  %1 = stablehlo.constant dense<[1.0, 2.5, -28.0]> : tensor<3xf6E3M2FN>
  %2 = stablehlo.constant dense<0.0625> : tensor<2xf6E3M2FN>
  return %0, %1, %2 : tensor<3xf6E2M3FN>, tensor<3xf6E3M2FN>, tensor<2xf6E3M2FN>
}
