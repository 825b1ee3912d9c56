module @mesh_axes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func private @mesh() attributes {stablehlo.mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y",
        size = 2>], device_ids=dense<[3, 1, 2, 0]> : tensor<4xi64>>}
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<3x2xf32>) -> (tensor<4xf32>,
        tensor<8xf32>, tensor<2x2xf32>) {
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg3: tensor<4xf32>):
      %4 = "stablehlo.all_reduce"(%arg3) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes =
        [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %5 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups =
        #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>,
        #stablehlo.mesh_axis<name = "b", size = 2>]>, axes = [#stablehlo.axis_ref<name = "a">]>}> : (tensor<4xf32>)
        -> tensor<8xf32>
    %3 = stablehlo.dot %arg1, %arg2, precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x2xf32>) ->
        tensor<2x2xf32>
    return %1, %2, %3 : tensor<4xf32>, tensor<8xf32>, tensor<2x2xf32>
  }
}
