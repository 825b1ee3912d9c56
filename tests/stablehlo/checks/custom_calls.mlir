// Custom calls that JAX emits, and what XLA does where StableHLO leaves it open.

module @approx_top_k {
  func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[3.0, 9.0, -1.0, 5.0, 8.0]> : tensor<5xf32>
    %i = stablehlo.iota dim = 0 : tensor<5xi32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 3 : i64}} : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    check.expect_eq_const %0#0, dense<[9.0, 8.0, 5.0]> : tensor<3xf32>
    check.expect_eq_const %0#1, dense<[1, 4, 3]> : tensor<3xi32>
    func.return
  }
}

// -----

func.func @notes_change_no_value() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.custom_call @LayoutConstraint(%1) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %look = stablehlo.custom_call @InspectSharding(%2) {has_side_effect = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.custom_call @annotate_device_placement(%look) {has_side_effect = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq %3, %x : tensor<2x2xf32>
  func.return
}

// -----

// The second system is singular: its last pivot is moved away from zero, so the solution is large and along the null vector.
func.func @tridiagonal_systems() {
  %lower = stablehlo.constant dense<[[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>
  %diagonal = stablehlo.constant dense<[[0.0, 2.0, 4.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf64>
  %upper = stablehlo.constant dense<[[3.0, 1.0, 0.0], [1.0, 0.0, 0.0]]> : tensor<2x3xf64>
  %b = stablehlo.constant dense<[[[6.0], [8.0], [14.0]], [[1.0], [0.0], [3.0]]]> : tensor<2x3x1xf64>
  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%lower, %diagonal, %upper, %b) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3x1xf64>) -> tensor<2x3x1xf64>
  %1 = stablehlo.slice %0 [0:1, 0:3, 0:1] : (tensor<2x3x1xf64>) -> tensor<1x3x1xf64>
  check.expect_almost_eq_const %1, dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf64>
  %2 = stablehlo.slice %0 [1:2, 0:2, 0:1] : (tensor<2x3x1xf64>) -> tensor<1x2x1xf64>
  %least = stablehlo.constant dense<1.0e15> : tensor<1x2x1xf64>
  %3 = stablehlo.abs %2 : tensor<1x2x1xf64>
  %4 = stablehlo.compare GT, %3, %least : (tensor<1x2x1xf64>, tensor<1x2x1xf64>) -> tensor<1x2x1xi1>
  check.expect_eq_const %4, dense<true> : tensor<1x2x1xi1>
  %5 = stablehlo.slice %0 [1:2, 2:3, 0:1] : (tensor<2x3x1xf64>) -> tensor<1x1x1xf64>
  check.expect_eq_const %5, dense<3.0> : tensor<1x1x1xf64>
  func.return
}

// -----

// Q R = A, from XLA's own pair of calls.
func.func @qr() {
  %a = stablehlo.constant dense<[[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]]> : tensor<3x2xf64>
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %r = stablehlo.slice %0#0 [0:2, 0:2] : (tensor<3x2xf64>) -> tensor<2x2xf64>
  %upper = stablehlo.constant dense<[[1.0, 1.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %1 = stablehlo.multiply %r, %upper : tensor<2x2xf64>
  %2 = stablehlo.dot_general %q, %1, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq %2, %a {tolerance = 1.0e-12 : f64} : tensor<3x2xf64>
  %3 = stablehlo.dot_general %q, %q, contracting_dims = [0] x [0] : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %3, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  func.return
}

// -----

// XLA takes the largest of f4E2M1FN for an infinity on the way to integers.
func.func @f4_to_integers() {
  %x = stablehlo.constant dense<[4.0, 6.0, -6.0, -1.5]> : tensor<4xf4E2M1FN>
  %0 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xi16>
  check.expect_eq_const %0, dense<[4, 32767, -32768, -1]> : tensor<4xi16>
  %1 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xui32>
  check.expect_eq_const %1, dense<[4, 4294967295, 0, 0]> : tensor<4xui32>
  %2 = stablehlo.convert %x : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  check.expect_eq_const %2, dense<[4.0, 6.0, -6.0, -1.5]> : tensor<4xf32>
  func.return
}

// -----

// A sort that need not be stable leaves equal keys where XLA does; one whose comparator looks at no payload has many.
func.func @unstable_sort() {
  %i = stablehlo.iota dim = 0 : tensor<20xi32>
  %three = stablehlo.constant dense<3> : tensor<20xi32>
  %keys = stablehlo.remainder %i, %three : tensor<20xi32>
  %0:2 = "stablehlo.sort"(%keys, %i) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<20xi32>, tensor<20xi32>) -> (tensor<20xi32>, tensor<20xi32>)
  check.expect_eq_const %0#1, dense<[18, 3, 15, 6, 12, 9, 0, 10, 19, 16, 13, 7, 4, 1, 11, 8, 14, 5, 17, 2]> : tensor<20xi32>
  func.return
}

// -----

// [[1, 0, 2], [0, 0, 0], [0, 4, 5]] by rows; the last stored element belongs to none.
func.func @sparse_products() {
  %stored = stablehlo.constant dense<[1.0, 2.0, 4.0, 5.0, 9.0]> : tensor<5xf32>
  %begins = stablehlo.constant dense<[0, 2, 2, 4]> : tensor<4xi32>
  %columns = stablehlo.constant dense<[0, 2, 1, 2, 0]> : tensor<5xi32>
  %vector = stablehlo.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf32>
  %matrix = stablehlo.constant dense<[[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]> : tensor<3x2xf32>
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%stored, %begins, %columns, %vector) {api_version = 4 : i32, backend_config = {}} : (tensor<5xf32>, tensor<4xi32>, tensor<5xi32>, tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[201.0, 0.0, 540.0]> : tensor<3xf32>
  %1 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%stored, %begins, %columns, %matrix) {api_version = 4 : i32, backend_config = {}} : (tensor<5xf32>, tensor<4xi32>, tensor<5xi32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %1, dense<[[201.0, 402.0], [0.0, 0.0], [540.0, 1080.0]]> : tensor<3x2xf32>
  func.return
}
