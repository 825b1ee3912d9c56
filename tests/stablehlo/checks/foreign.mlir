// Programs as other compilers write them: old operations, types of bounded and unknown size, wider regions, other dialects.
func.func @einsum_multiplies_and_sums() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>
  %0 = "stablehlo.einsum"(%a, %b) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[7.0, -1.0], [16.0, -1.0]]> : tensor<2x2xf32>
  %1 = stablehlo.einsum %a, %b, config = "ij,jk->ki" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[7.0, 16.0], [-1.0, -1.0]]> : tensor<2x2xf32>
  %2 = stablehlo.einsum %a, %b, config = "ij,ji->i" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[7.0, -1.0]> : tensor<2xf32>
  %3 = stablehlo.einsum %a, %b, config = "...j,jk->...k" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq %3, %0 : tensor<2x2xf32>
  %4 = stablehlo.einsum %a, %a, config = "ij,kl->" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  check.expect_eq_const %4, dense<441.0> : tensor<f32>
  %c = stablehlo.constant dense<[[2.0, 3.0, 4.0]]> : tensor<1x3xf32>
  %5 = stablehlo.einsum %a, %c, config = "ij,ij->ij" : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %5, dense<[[2.0, 6.0, 12.0], [8.0, 15.0, 24.0]]> : tensor<2x3xf32>
  func.return
}

// -----

func.func @einsum_of_one_operand() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %0 = "stablehlo.unary_einsum"(%a) {einsum_config = "ij->ji"} : (tensor<3x3xi32>) -> tensor<3x3xi32>
  check.expect_eq_const %0, dense<[[1, 4, 7], [2, 5, 8], [3, 6, 9]]> : tensor<3x3xi32>
  %1 = stablehlo.unary_einsum %a, config = "ii->i" : (tensor<3x3xi32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[1, 5, 9]> : tensor<3xi32>
  %2 = stablehlo.unary_einsum %a, config = "ii->" : (tensor<3x3xi32>) -> tensor<i32>
  check.expect_eq_const %2, dense<15> : tensor<i32>
  %3 = stablehlo.unary_einsum %a, config = "i...->..." : (tensor<3x3xi32>) -> tensor<3xi32>
  check.expect_eq_const %3, dense<[12, 15, 18]> : tensor<3xi32>
  func.return
}

// -----

func.func @torch_index_select_takes_rows() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0, 9]> : tensor<3xi32>
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<3x2xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [1, 2], [5, 6]]> : tensor<3x2xi32>
  %j = stablehlo.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>
  %1 = "stablehlo.torch_index_select"(%a, %j) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<3x2xi32>, tensor<2x2xi64>) -> tensor<3x2x2xi32>
  check.expect_eq_const %1, dense<[[[2, 1], [1, 1]], [[4, 3], [3, 3]], [[6, 5], [5, 5]]]> : tensor<3x2x2xi32>
  %k = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>
  %2 = "stablehlo.torch_index_select"(%a, %k) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x1xi32>
  check.expect_eq_const %2, dense<[[2], [3], [6]]> : tensor<3x1xi32>
  func.return
}

// -----

func.func @other_old_operations() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.broadcast %a, sizes = [2, 1] : (tensor<2xf32>) -> tensor<2x1x2xf32>
  check.expect_eq_const %0, dense<[[[1.0, 2.0]], [[1.0, 2.0]]]> : tensor<2x1x2xf32>
  %1 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %1, %a : tensor<2xf32>
  "stablehlo.trace"(%a) {tag = "here"} : (tensor<2xf32>) -> ()
  %2 = stablehlo.create_token : !stablehlo.token
  func.return
}

// -----

// What is beyond the limit of a dimension takes no part.
func.func @bounded_sizes() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x2xi32>, tensor<i32>) -> tensor<?x2xi32, #stablehlo.bounds<4, ?>>
  %size = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>) -> tensor<i32>
  check.expect_eq %size, %n : tensor<i32>
  %1 = stablehlo.add %0, %0 : tensor<?x2xi32, #stablehlo.bounds<4, ?>>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %2, dense<[18, 24]> : tensor<2xi32>
  %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>) -> tensor<2x?xi32, #stablehlo.type_extensions<bounds = [?, 4]>>
  %4 = stablehlo.dot_general %3, %a, contracting_dims = [1] x [0] : (tensor<2x?xi32, #stablehlo.bounds<?, 4>>, tensor<4x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %4, dense<[[35, 44], [44, 56]]> : tensor<2x2xi32>
  %5 = stablehlo.concatenate %0, %a, dim = 0 : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>, tensor<4x2xi32>) -> tensor<?x2xi32, #stablehlo.bounds<8, ?>>
  %6 = stablehlo.slice %5 [3:5, 0:2] : (tensor<?x2xi32, #stablehlo.bounds<8, ?>>) -> tensor<2x2xi32>
  check.expect_eq_const %6, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %joined = stablehlo.get_dimension_size %5, dim = 0 : (tensor<?x2xi32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
  check.expect_eq_const %joined, dense<7> : tensor<i32>
  %7 = stablehlo.pad %0, %n, low = [1, 0], high = [2, 0], interior = [1, 0] : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<?x2xi32, #stablehlo.bounds<10, ?>>
  %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x2xi32, #stablehlo.bounds<10, ?>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %8, dense<51> : tensor<i32>
  %9 = call @twice(%0) : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xi32, #stablehlo.bounds<4, ?>>
  %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?x2xi32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %10, dense<[10, 12]> : tensor<2xi32>
  func.return
}
func.func private @twice(%a: tensor<?x2xi32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xi32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.add %a, %a : tensor<?x2xi32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x2xi32, #stablehlo.bounds<4, ?>>
}

// -----

// Types leave sizes open that follow from the operands.
func.func @unknown_sizes() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.add %a, %a : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x3xi32>
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<?x3xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  check.expect_eq_const %1, dense<[[2, 4], [6, 8], [10, 12]]> : tensor<3x2xi32>
  %2 = call @transposed(%1) : (tensor<?x?xi32>) -> tensor<?x?xi32>
  check.expect_eq_const %2, dense<[[2, 6, 10], [4, 8, 12]]> : tensor<2x3xi32>
  %3 = stablehlo.get_dimension_size %2, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %6 = stablehlo.dynamic_iota %5, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  check.expect_eq_const %6, dense<[[0, 0, 0], [1, 1, 1], [2, 2, 2]]> : tensor<3x3xi32>
  %7 = stablehlo.dynamic_broadcast_in_dim %4, %5, dims = [1] : (tensor<1xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  check.expect_eq_const %7, dense<3> : tensor<3x3xi32>
  func.return
}
func.func private @transposed(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

// Regions in a wider type than the operands: sums don't overflow.
func.func @wider_regions() {
  %a = stablehlo.constant dense<[[100, 100], [100, 27]]> : tensor<2x2xi8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce"(%a, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x2xi8>, tensor<i8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[200, 127]> : tensor<2xi32>
  %1 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x2xi8>, tensor<i8>) -> tensor<2x1xi32>
  check.expect_eq_const %1, dense<[[200], [127]]> : tensor<2x1xi32>
  %where = stablehlo.constant dense<1> : tensor<1xi32>
  %updates = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %2 = "stablehlo.scatter"(%a, %where, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1,>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x2xi8>, tensor<1xi32>, tensor<1x2xi8>) -> tensor<2x2xi32>
  check.expect_eq_const %2, dense<[[100, 100], [200, 127]]> : tensor<2x2xi32>
  %3 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi8>) -> tensor<2x2xf64>
  check.expect_eq_const %3, dense<[[100.0, 100.0], [100.0, 27.0]]> : tensor<2x2xf64>
  func.return
}

// -----

sdy.mesh @grid = <["x"=1, "y"=1]>
sdy.mesh @only = <[], device_ids=[0]>
// Shardy's own operations: each is its operand, shared otherwise.
func.func @sdy_operations() {
  %a = sdy.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<2x2xf32>
  %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@grid, [{}, {"y"}]> : tensor<2x2xf32>
  %2 = sdy.all_to_all [{"y"}: 1->0] %1 out_sharding=<@grid, [{"y"}, {}]> : tensor<2x2xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@grid, [{"x"}, {}]> {note} : tensor<2x2xf32>
  %4 = sdy.all_reduce {"y"} %3 out_sharding=<@grid, [{"x"}p1, {?}], replicated={"y"}> : tensor<2x2xf32>
  %5 = sdy.reduce_scatter [{"y"}, {}] %4 out_sharding=<@grid, [{"x", "y"}, {}]> : tensor<2x2xf32>
  %6 = sdy.reshard %5 <@grid, [{}, {"x", ?}]> : tensor<2x2xf32>
  %7 = sdy.propagation_barrier %6 allowed_direction=BACKWARD : tensor<2x2xf32>
  %8 = sdy.data_flow_edge %7 sharding=<@grid, [{}, {}]> : tensor<2x2xf32>
  %9 = sdy.sharding_constraint %8 <mesh<["z"=1]>, [{"z"}, {}]> : tensor<2x2xf32>
  sdy.sharding_group %9 group_id=3 : tensor<2x2xf32>
  %10 = sdy.named_computation<"twice">(%9) in_shardings=[<@grid, [{}, {}]>] out_shardings=[<@grid, [{"x"}, {}]>] (%b: tensor<2x2xf32>) {
    %s = stablehlo.add %b, %b : tensor<2x2xf32>
    sdy.return %s : tensor<2x2xf32>
  } : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %10, dense<[[2.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  func.return
}

// -----

// Numbers of dialect arith, and sizes that it computes.
func.func @arith_and_tensor() {
  %a = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %i = arith.constant 0 : index
  %n = tensor.dim %a, %i : tensor<2xf32>
  %two = arith.constant 2 : index
  %m = arith.muli %n, %two overflow<nsw> : index
  %shape = tensor.from_elements %m, %n : tensor<2xindex>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %shape, dims = [1] : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<4x2xf32>
  check.expect_eq_const %1, dense<[[3.0, 4.0], [3.0, 4.0], [3.0, 4.0], [3.0, 4.0]]> : tensor<4x2xf32>
  %sizes = shape.const_shape [2, 1] : tensor<2xindex>
  %3 = stablehlo.dynamic_reshape %a, %sizes : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x1xf32>
  check.expect_eq_const %3, dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %4 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<?x?xi8>
  check.expect_eq_const %4, dense<[[0, 0, 64, 64], [0, 0, -128, 64]]> : tensor<2x4xi8>
  %2 = arith.addf %a, %a fastmath<fast> : tensor<2xf32>
  check.expect_eq_const %2, dense<[6.0, 8.0]> : tensor<2xf32>
  func.return
}

// -----

// Integers have no sign in MLIR; attributes may stand before operands.
func.func @spellings() {
  %0 = stablehlo.constant dense<[255, 128, -1]> : tensor<3xi8>
  check.expect_eq_const %0, dense<[-1, -128, -1]> : tensor<3xi8>
  %1 = stablehlo.constant dense<9223372036854775808> : tensor<i64>
  check.expect_eq_const %1, dense<-9223372036854775808> : tensor<i64>
  %2 = stablehlo.optimization_barrier {mhlo.frontend_attributes = {note = "x"}} %0 : tensor<3xi8>
  check.expect_eq %2, %0 : tensor<3xi8>
  %3 = stablehlo.constant() {value = dense<1> : tensor<i8>} : () -> tensor<i8>
  check.expect_eq_const %3, dense<1> : tensor<i8>
  %4 = stablehlo.custom_call @MoveToHost(%0) : (tensor<3xi8>) -> tensor<3xi8>
  %5 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%4) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=1]>, [{\22x\22}]>]>"}} : (tensor<3xi8>) -> tensor<3xi8>
  check.expect_eq %5, %0 : tensor<3xi8>
  func.return
}

// -----

// MHLO, from which StableHLO came: the same operations and attributes.
func.func @mhlo_operations() {
  %a = mhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = mhlo.constant dense<0.0> : tensor<f32>
  %0 = "mhlo.dot_general"(%a, %a) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision DEFAULT>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = mhlo.reduce(%0 init: %zero) applies mhlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[17.0, 37.0]> : tensor<2xf32>
  %2 = "mhlo.broadcast_in_dim"(%1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<2xf32>) -> tensor<2x2xf32>
  %3 = "mhlo.transpose"(%2) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = mhlo.copy %3 : tensor<2x2xf32>
  check.expect_eq_const %4, dense<[[17.0, 17.0], [37.0, 37.0]]> : tensor<2x2xf32>
  func.return
}
