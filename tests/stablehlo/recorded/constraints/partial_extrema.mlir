module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<i32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x"}>}, tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"y"}>}) {
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x2xi32>, tensor<i32>) -> tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, [], unreduced=max{"x", "y"}> : tensor<i32>
    %2 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<4x2xi32>, tensor<i32>) -> tensor<i32>
    %3 = sdy.sharding_constraint %2 <@mesh, [], unreduced=min{"y"}> : tensor<i32>
    return %1, %3 : tensor<i32>, tensor<i32>
  }
}
