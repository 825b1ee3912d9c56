func.func public @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.add %0, %0 : tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x2xf32>
  %3 = stablehlo.uniform_quantize %x
      : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<u8<1:100>:f32:1, {0.1:30, 0.25:2}>>
  %4 = stablehlo.uniform_dequantize %3
      : (tensor<4x2x!quant.uniform<u8<1:100>:f32:1, {0.1:30, 0.25:2}>>) -> tensor<4x2xf32>
  return %2, %4 : tensor<4x2xf32>, tensor<4x2xf32>
}
