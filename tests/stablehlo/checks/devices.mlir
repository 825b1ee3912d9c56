// Programs for several devices: each runs on as many replicas as it has devices.

// Both dimensions are cut; sums go along one axis of the mesh.
module @manual_computation attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1 = stablehlo.reshape %0 : (tensor<16xi32>) -> tensor<4x4xi32>
    %2:2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg0: tensor<2x2xi32>) {
      %3 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %5 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %5 : tensor<i32>
      }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
      %4 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.reshape %4 : (tensor<ui32>) -> tensor<1xui32>
      sdy.return %3, %6 : tensor<2x2xi32>, tensor<1xui32>
    } : (tensor<4x4xi32>) -> (tensor<4x2xi32>, tensor<4xui32>)
    check.expect_eq_const %2#0, dense<[[8, 10], [16, 18], [12, 14], [20, 22]]> : tensor<4x2xi32>
    check.expect_eq_const %2#1, dense<[0, 1, 2, 3]> : tensor<4xui32>
    func.return
  }
}

// -----

// The inner computation takes the axis that the outer one leaves whole; the mesh's devices stand in another order.
module @nested attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @main() {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = call @outer(%0) : (tensor<8xi32>) -> tensor<8xi32>
    check.expect_eq_const %1, dense<[0, 1, 102, 103, 204, 205, 306, 307]> : tensor<8xi32>
    func.return
  }
  func.func private @outer(%x: tensor<8xi32>) -> tensor<8xi32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg0: tensor<4xi32>) {
      %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y", ?}p1]>] manual_axes={"y"} (%arg1: tensor<2xi32>) {
        %2 = stablehlo.partition_id : tensor<ui32>
        %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
        %places = stablehlo.constant dense<[300, 100, 200, 0]> : tensor<4xi32>
        %4 = stablehlo.dynamic_slice %places, %3, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
        %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xi32>) -> tensor<2xi32>
        %6 = stablehlo.add %arg1, %5 : tensor<2xi32>
        sdy.return %6 : tensor<2xi32>
      } : (tensor<4xi32>) -> tensor<4xi32>
      sdy.return %1 : tensor<4xi32>
    } : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
}

// -----

// What isn't reduced yet is the sum of what the devices have.
module @unreduced {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main() {
    %0 = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg0: tensor<2xf32>) {
      sdy.return %arg0 : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<6xf32>
    check.expect_eq_const %1, dense<[5.0, 7.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x"} (%arg0: tensor<2xf32>) {
      %one = stablehlo.constant dense<1.0> : tensor<2xf32>
      %3 = stablehlo.add %arg0, %one : tensor<2xf32>
      sdy.return %3 : tensor<2xf32>
    } : (tensor<6xf32>) -> tensor<2xf32>
    check.expect_eq_const %2, dense<[8.0, 10.0]> : tensor<2xf32>
    func.return
  }
}

// -----

module @partial_maxima {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main() {
    %0 = stablehlo.constant dense<[5.0, -7.0]> : tensor<2xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}], unreduced=max{"x"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg0: tensor<2xf32>) {
      sdy.return %arg0 : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<6xf32>
    check.expect_eq_const %1, dense<[5.0, -7.0, 5.0, -7.0, 5.0, -7.0]> : tensor<6xf32>
    %2 = stablehlo.constant dense<[1.0, 2.0, 3.0, -4.0, -5.0, 6.0]> : tensor<6xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}], unreduced=max{"x"}>] manual_axes={"x"} (%arg0: tensor<2xf32>) {
      sdy.return %arg0 : tensor<2xf32>
    } : (tensor<6xf32>) -> tensor<2xf32>
    check.expect_eq_const %3, dense<[3.0, 6.0]> : tensor<2xf32>
    %4 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}], unreduced=min{"x"}>] manual_axes={"x"} (%arg0: tensor<2xf32>) {
      sdy.return %arg0 : tensor<2xf32>
    } : (tensor<6xf32>) -> tensor<2xf32>
    check.expect_eq_const %4, dense<[-5.0, -4.0]> : tensor<2xf32>
    func.return
  }
}

// -----

module @processes_of_one_function {
  func.func @sum_and_ids(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<ui32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi64>) -> tensor<2xi64>
    %2 = stablehlo.replica_id : tensor<ui32>
    %3 = stablehlo.partition_id : tensor<ui32>
    return %0, %2, %3 : tensor<2xi64>, tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %1 = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    %2:12 = "interpreter.run_parallel"(%0, %1, %1, %1) {
      programs = [[@sum_and_ids, @sum_and_ids], [@sum_and_ids, @sum_and_ids]]
    } : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<ui32>, tensor<ui32>, tensor<2xi64>, tensor<ui32>, tensor<ui32>, tensor<2xi64>, tensor<ui32>, tensor<ui32>, tensor<2xi64>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %2#0, dense<[31, 62]> : tensor<2xi64>
    check.expect_eq_const %2#9, dense<[31, 62]> : tensor<2xi64>
    check.expect_eq_const %2#4, dense<0> : tensor<ui32>
    check.expect_eq_const %2#5, dense<1> : tensor<ui32>
    check.expect_eq_const %2#7, dense<1> : tensor<ui32>
    check.expect_eq_const %2#8, dense<0> : tensor<ui32>
    func.return
  }
}

// -----

// The receiver stands before the sender.
module @processes_with_queues {
  func.func @take(%token: !stablehlo.token) -> tensor<2xi64> {
    %0, %1 = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    return %0 : tensor<2xi64>
  }
  func.func @give(%token: !stablehlo.token) -> !stablehlo.token {
    %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %1:2 = "stablehlo.infeed"(%0#1) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %2 = stablehlo.subtract %1#0, %0#0 : tensor<2xi64>
    %3 = "stablehlo.send"(%2, %1#1) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true} : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    return %3 : !stablehlo.token
  }
  func.func @first() -> tensor<2xi64> {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @second() -> tensor<2xi64> {
    %0 = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %0 = stablehlo.after_all : !stablehlo.token
    %1:2 = "interpreter.run_parallel"(%0, %0) {
      infeed = [@first, @second], programs = [[@take], [@give]]
    } : (!stablehlo.token, !stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    check.expect_eq_const %1#0, dense<[9, 18]> : tensor<2xi64>
    func.return
  }
}

// -----

// Each operand comes from the member of a group that its root counts; who is in no group has zeros.
module @roots_at_run_time {
  func.func @from_roots(%x: tensor<2xf32>, %y: tensor<i8>, %roots: tensor<2xi32>) -> (tensor<2xf32>, tensor<i8>) {
    %0:2 = "stablehlo.collective_broadcast"(%x, %y, %roots) {replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<i8>, tensor<2xi32>) -> (tensor<2xf32>, tensor<i8>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<i8>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32>
    %x1 = stablehlo.constant dense<[2.0, 0x7FC00000]> : tensor<2xf32>
    %x2 = stablehlo.constant dense<[3.0, 30.0]> : tensor<2xf32>
    %y0 = stablehlo.constant dense<-10> : tensor<i8>
    %y1 = stablehlo.constant dense<11> : tensor<i8>
    %roots = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %0:10 = "interpreter.run_parallel"(%x0, %y0, %roots, %x1, %y1, %roots, %x2, %y1, %roots, %x0, %y1, %roots, %x1, %y1, %roots) {
      programs = [[@from_roots], [@from_roots], [@from_roots], [@from_roots], [@from_roots]]
    } : (tensor<2xf32>, tensor<i8>, tensor<2xi32>, tensor<2xf32>, tensor<i8>, tensor<2xi32>, tensor<2xf32>, tensor<i8>, tensor<2xi32>, tensor<2xf32>, tensor<i8>, tensor<2xi32>, tensor<2xf32>, tensor<i8>, tensor<2xi32>) -> (tensor<2xf32>, tensor<i8>, tensor<2xf32>, tensor<i8>, tensor<2xf32>, tensor<i8>, tensor<2xf32>, tensor<i8>, tensor<2xf32>, tensor<i8>)
    check.expect_eq_const %0#0, dense<[1.0, -0.0]> : tensor<2xf32>
    check.expect_eq_const %0#1, dense<11> : tensor<i8>
    check.expect_eq_const %0#2, dense<[1.0, -0.0]> : tensor<2xf32>
    check.expect_eq_const %0#3, dense<11> : tensor<i8>
    check.expect_eq_const %0#4, dense<[1.0, -0.0]> : tensor<2xf32>
    check.expect_eq_const %0#6, dense<[1.0, -0.0]> : tensor<2xf32>
    check.expect_eq_const %0#8, dense<0.0> : tensor<2xf32>
    check.expect_eq_const %0#9, dense<0> : tensor<i8>
    func.return
  }
}

// -----

// The sum is the root's alone.
module @sum_at_a_root_known_at_run_time {
  func.func @to_root(%x: tensor<2xi64>, %root: tensor<1xi32>) -> tensor<2xi64> {
    %0 = "stablehlo.collective_reduce"(%x, %root) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) {replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>, has_dynamic_root} : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %y = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
    %root = stablehlo.constant dense<1> : tensor<1xi32>
    %0:4 = "interpreter.run_parallel"(%x, %root, %y, %root, %y, %root, %y, %root) {
      programs = [[@to_root], [@to_root], [@to_root], [@to_root]]
    } : (tensor<2xi64>, tensor<1xi32>, tensor<2xi64>, tensor<1xi32>, tensor<2xi64>, tensor<1xi32>, tensor<2xi64>, tensor<1xi32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %0#0, dense<[0, 0]> : tensor<2xi64>
    check.expect_eq_const %0#1, dense<[11, 22]> : tensor<2xi64>
    check.expect_eq_const %0#2, dense<[20, 40]> : tensor<2xi64>
    check.expect_eq_const %0#3, dense<[0, 0]> : tensor<2xi64>
    func.return
  }
}

// -----

// Groups by axes of a mesh, a whole one and a part of one; the collective starts in one place and is done in another.
module @groups_by_axes {
  func.func private @mesh() attributes {stablehlo.mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 4>]>}
  func.func @sums(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%own: tensor<i32>):
      %2 = "stablehlo.all_reduce"(%own) ({
      ^bb1(%a: tensor<i32>, %b: tensor<i32>):
        %3 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<i32>) -> tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<i32>) -> !stablehlo.future<tensor<i32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<i32>>) -> tensor<i32>
    %4 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>} : (tensor<i32>) -> tensor<i32>
    return %1, %4 : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.constant dense<8> : tensor<i32>
    %4 = stablehlo.constant dense<16> : tensor<i32>
    %5 = stablehlo.constant dense<32> : tensor<i32>
    %6 = stablehlo.constant dense<64> : tensor<i32>
    %7 = stablehlo.constant dense<128> : tensor<i32>
    %8:16 = "interpreter.run_parallel"(%0, %1, %2, %3, %4, %5, %6, %7) {
      programs = [[@sums], [@sums], [@sums], [@sums], [@sums], [@sums], [@sums], [@sums]]
    } : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq_const %8#0, dense<17> : tensor<i32>
    check.expect_eq_const %8#1, dense<1> : tensor<i32>
    check.expect_eq_const %8#2, dense<34> : tensor<i32>
    check.expect_eq_const %8#3, dense<1> : tensor<i32>
    check.expect_eq_const %8#5, dense<4> : tensor<i32>
    check.expect_eq_const %8#7, dense<4> : tensor<i32>
    check.expect_eq_const %8#14, dense<136> : tensor<i32>
    check.expect_eq_const %8#15, dense<64> : tensor<i32>
    func.return
  }
}
