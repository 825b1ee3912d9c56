# SPDX-License-Identifier: Apache-2.0
"""MODULES: StableHLO modules of the kinds that public reports say crash XLA or its tools, name -> (kind, text). Each is our
own and has one function main. Numbers are those of issues in openxla/xla, or in jax-ml/jax with "jax"."""


def of(body: str, arguments: str = "%x: tensor<4x6xf32>", results: str = "tensor<4x6xf32>", more: str = "") -> str:
    return f"module {{\n{more}  func.func public @main({arguments}) -> ({results}) {{\n{body}  }}\n}}\n"


def reducer(op: str, kind: str = "f32") -> str:
    return (f"({{\n    ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):\n      %s = stablehlo.{op} %a, %b : tensor<{kind}>\n"
            f"      stablehlo.return %s : tensor<{kind}>\n    }})")


def window(size: str, padding: str, result: str, op: str = "add") -> str:
    return of(f"""    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %y = "stablehlo.reduce_window"(%x, %z) {reducer(op)} {{window_dimensions = array<i64: {size}>,
      padding = dense<{padding}> : tensor<2x2xi64>}} : (tensor<4x6xf32>, tensor<f32>) -> {result}
    return %y : {result}
""", results=result)


def nested_loops(depth: int) -> str:
    text, end = "", ""
    for k in range(depth):
        start = "%x" if k == 0 else f"%v{k - 1}"
        text += (f"    %r{k}:2 = stablehlo.while(%i{k} = %zero, %v{k} = {start}) : tensor<i32>, tensor<f32>\n    cond {{\n"
                 f"      %p{k} = stablehlo.compare LT, %i{k}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                 f"      stablehlo.return %p{k} : tensor<i1>\n    }} do {{\n      %n{k} = stablehlo.add %i{k}, %one : tensor<i32>\n")
        inner = f"%r{k + 1}#1" if k + 1 < depth else f"%v{k}"
        end = (f"      %e{k} = stablehlo.add {inner}, {inner} : tensor<f32>\n"
               f"      stablehlo.return %n{k}, %e{k} : tensor<i32>, tensor<f32>\n    }}\n") + end
    return of("    %zero = stablehlo.constant dense<0> : tensor<i32>\n    %one = stablehlo.constant dense<1> : tensor<i32>\n"
              + text + end + "    return %r0#1 : tensor<f32>\n", "%x: tensor<f32>", "tensor<f32>")


SORT_WITH_ARRAYS = of("""    %y = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %t = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
      %w = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %m = stablehlo.multiply %t, %w : tensor<3xi32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %s = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
      %p = stablehlo.compare LT, %s, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<7xi32>) -> tensor<7xi32>
    return %y : tensor<7xi32>
""", "%x: tensor<7xi32>", "tensor<7xi32>")

WIDE_SCATTER = of(f"""    %i = stablehlo.constant dense<3> : tensor<1xi32>
    %u = stablehlo.constant dense<1.0> : tensor<9xf32>
    %y = "stablehlo.scatter"(%x, %i, %u) {reducer("add")} {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
      scatter_dims_to_operand_dims = [0]>}} : (tensor<5xf32>, tensor<1xi32>, tensor<9xf32>) -> tensor<5xf32>
    return %y : tensor<5xf32>
""", "%x: tensor<5xf32>", "tensor<5xf32>")

FUSED_SCATTER = of(f"""    %i = stablehlo.constant dense<[[1], [1], [9], [-1]]> : tensor<4x1xi32>
    %t = stablehlo.tanh %x : tensor<4x6xf32>
    %y = "stablehlo.scatter"(%t, %i, %t) {reducer("maximum")} {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
      : (tensor<4x6xf32>, tensor<4x1xi32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %n = stablehlo.negate %y : tensor<4x6xf32>
    return %n : tensor<4x6xf32>
""")

ROOT_IS_A_PARAMETER = of("""    %zero = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %b, %a : tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    return %r#1, %r#2 : tensor<4x6xf32>, tensor<4x6xf32>
""", "%x: tensor<4x6xf32>, %y: tensor<4x6xf32>", "tensor<4x6xf32>, tensor<4x6xf32>")

CASE_OUT_OF_RANGE = of("""    %i = stablehlo.constant dense<7> : tensor<i32>
    %y = "stablehlo.case"(%i) ({
      %a = stablehlo.constant dense<1.0> : tensor<f32>
      stablehlo.return %a : tensor<f32>
    }, {
      %b = stablehlo.constant dense<2.0> : tensor<f32>
      stablehlo.return %b : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %y : tensor<f32>
""", "", "tensor<f32>")

CALLS_ITSELF = of("""    %y = func.call @again(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""", more="""  func.func private @again(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %y = func.call @again(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
  }
""")

HIGH_RANK = of("""    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %w = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x2x3x2x3x2x2xf32>
    %m = stablehlo.multiply %w, %w : tensor<4x6x2x3x2x3x2x2xf32>
    %s = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6x2x3x2x3x2x2xf32>, tensor<f32>) -> tensor<4x2x3x2x3x2x2xf32>
    %l = stablehlo.log %s : tensor<4x2x3x2x3x2x2xf32>
    return %l : tensor<4x2x3x2x3x2x2xf32>
""", results="tensor<4x2x3x2x3x2x2xf32>")

NO_STEPS = of("""    %z = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.dynamic_slice %x, %z, sizes = [1] : (tensor<0xf32>, tensor<i32>) -> tensor<1xf32>
    return %y : tensor<1xf32>
""", "%x: tensor<0xf32>", "tensor<1xf32>")

EMPTY_CONVOLUTION = of("""    %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x5x0xf32>, tensor<3x0x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
""", "%x: tensor<2x5x0xf32>, %k: tensor<3x0x4xf32>", "tensor<2x3x4xf32>")

REDUCE_OF_TWO_TYPES = of("""    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %k = stablehlo.constant dense<0> : tensor<i8>
    %j = stablehlo.constant dense<1> : tensor<4x6xi8>
    %r:2 = stablehlo.reduce(%x init: %z), (%j init: %k) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi8>, tensor<f32>, tensor<i8>) -> (tensor<4xf32>, tensor<4xi8>)
     reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i8>, %d: tensor<i8>) {
      %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
      %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i8>
      stablehlo.return %s, %t : tensor<f32>, tensor<i8>
    }
    return %r#0, %r#1 : tensor<4xf32>, tensor<4xi8>
""", results="tensor<4xf32>, tensor<4xi8>")

SELF_REDUCTION = of(f"""    %y = "stablehlo.all_reduce"(%x) {reducer("subtract")} {{replica_groups = dense<0> : tensor<1x1xi64>}}
      : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""")

BOUNDED = of("""    %n = stablehlo.constant dense<2> : tensor<i32>
    %d = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x6xf32>, tensor<i32>) -> tensor<?x6xf32, #stablehlo.bounds<4, ?>>
    %y = stablehlo.negate %d : tensor<?x6xf32, #stablehlo.bounds<4, ?>>
    return %y : tensor<?x6xf32, #stablehlo.bounds<4, ?>>
""", results="tensor<?x6xf32, #stablehlo.bounds<4, ?>>")

TOKEN = of("""    %t = stablehlo.after_all %k, %k : !stablehlo.token
    return %x, %t : tensor<4x6xf32>, !stablehlo.token
""", "%x: tensor<4x6xf32>, %k: !stablehlo.token", "tensor<4x6xf32>, !stablehlo.token")

TUPLE = of("""    %t = stablehlo.tuple %x, %x : tuple<tensor<4x6xf32>, tensor<4x6xf32>>
    %b = stablehlo.optimization_barrier %t : tuple<tensor<4x6xf32>, tensor<4x6xf32>>
    %y = stablehlo.get_tuple_element %b[1] : (tuple<tensor<4x6xf32>, tensor<4x6xf32>>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""")

TUPLE_OF_A_CALL = of("""    %t = "stablehlo.custom_call"(%x) {call_target_name = "nobody"} : (tensor<4x6xf32>) -> tuple<tensor<4x6xf32>, tensor<f32>>
    %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4x6xf32>, tensor<f32>>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""")

CALL_WITH_A_BODY = of("""    %y = "stablehlo.custom_call"(%x) {call_target_name = "nobody", called_computations = [@part]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""", more="  func.func private @part(%x: tensor<f32>) -> tensor<f32> {\n    return %x : tensor<f32>\n  }\n")

COMPOSITE = of("""    %y = stablehlo.composite "own.twice" %x {decomposition = @missing} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
""")


def folded(op: str, kind: str, left: str, right: str) -> str:
    return of(f"""    %a = stablehlo.constant dense<{left}> : tensor<3x{kind}>
    %b = stablehlo.constant dense<{right}> : tensor<3x{kind}>
    %y = stablehlo.{op} %a, %b : tensor<3x{kind}>
    return %y : tensor<3x{kind}>
""", "", f"tensor<3x{kind}>")


def one(op: str, types: str, arguments: str, results: str) -> str:
    return of(f"    %y = stablehlo.{op} : {types}\n    return %y : {results}\n", arguments, results)


MODULES = {
    "ones_window_negative_padding": ("48719: a window of ones with negative padding", window("1, 1", "[[-1, 0], [0, 0]]", "tensor<3x6xf32>")),
    "window_of_padding_only": ("47398: windows that have nothing but padding", window("2, 2", "[[9, 9], [0, 0]]", "tensor<21x5xf32>", "maximum")),
    "window_that_removes_all": ("47398: padding that removes all elements", window("2, 2", "[[-3, -3], [0, 0]]", "tensor<0x5xf32>")),
    "sort_by_arrays": ("47370: arrays in the comparator of a sort", SORT_WITH_ARRAYS),
    "scatter_wider_than_its_operand": ("47368: a scatter whose update is larger than the array", WIDE_SCATTER),
    "scatter_of_its_own_input": ("47386: a scatter amid a fusion, with indices out of bounds", FUSED_SCATTER),
    "loop_that_swaps": ("47392: a loop whose body returns its parameters", ROOT_IS_A_PARAMETER),
    "case_out_of_range": ("jax 18106: a constant branch that doesn't exist", CASE_OUT_OF_RANGE),
    "function_that_calls_itself": ("edge case: recursion", CALLS_ITSELF),
    "rank_eight": ("jax 39257: a reduction of rank 8", HIGH_RANK),
    "slice_of_nothing": ("edge case: a slice of one element of none", NO_STEPS),
    "convolution_without_features": ("edge case: a convolution of no features", EMPTY_CONVOLUTION),
    "reduction_of_two_types": ("edge case: arrays of different widths reduced together", REDUCE_OF_TWO_TYPES),
    "all_reduce_by_subtraction": ("47383: an all-reduce that is no sum", SELF_REDUCTION),
    "bounded_dimension": ("47379: a result of bounded size", BOUNDED),
    "token_argument": ("47376: tokens as argument and result", TOKEN),
    "tuple_behind_a_barrier": ("47384: tuples inside a function", TUPLE),
    "tuple_of_an_unknown_call": ("47384: a tuple from a custom call", TUPLE_OF_A_CALL),
    "call_with_a_body": ("47365: a custom call that names a computation", CALL_WITH_A_BODY),
    "composite_without_a_body": ("edge case: a composite whose function doesn't exist", COMPOSITE),
    "divided_by_zero": ("constants: an integer divided by 0", folded("divide", "i32", "[1, -2147483648, 0]", "0")),
    "remainder_overflow": ("constants: the remainder of the least integer by -1", folded("remainder", "i64", "-9223372036854775808", "-1")),
    "shifted_too_far": ("constants: shifts past the width", folded("shift_left", "i8", "1", "[8, 127, -1]")),
    "power_of_integers": ("constants: negative powers of integers", folded("power", "i32", "[0, 1, 2]", "-1")),
    "small_integers": ("edge case: integers of four bits", folded("multiply", "i4", "[7, -8, 3]", "[7, -8, -3]")),
    "complex_made_real": ("constants: a complex number converted to a real one", of(
        "    %a = stablehlo.constant dense<(1.0, 2.0)> : tensor<3xcomplex<f32>>\n    %y = stablehlo.convert %a : (tensor<3xcomplex<f32>>) -> tensor<3xi8>\n"
        "    return %y : tensor<3xi8>\n", "", "tensor<3xi8>")),
    "fft_of_nothing": ("edge case: a transform of no lines", one("fft %x, type = FFT, length = [4]", "(tensor<0x4xcomplex<f32>>) -> tensor<0x4xcomplex<f32>>",
                                                  "%x: tensor<0x4xcomplex<f32>>", "tensor<0x4xcomplex<f32>>")),
    "empty_triangle": ("edge case: a triangular system without unknowns", of(
        '    %y = "stablehlo.triangular_solve"(%a, %x) {left_side = true, lower = true, unit_diagonal = false, '
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<0x0xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>\n    return %y : tensor<0x3xf32>\n",
        "%a: tensor<0x0xf32>, %x: tensor<0x3xf32>", "tensor<0x3xf32>")),
    "pad_that_removes_all": ("edge case: negative padding beyond the array", of(
        "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %y = stablehlo.pad %x, %z, low = [-9, 0], high = [0, -2], interior = [2, 0] : "
        "(tensor<4x6xf32>, tensor<f32>) -> tensor<1x4xf32>\n    return %y : tensor<1x4xf32>\n", results="tensor<1x4xf32>")),
    "more_memory_than_there_is": ("edge case: an array of 2^46 elements", one("iota dim = 0", "tensor<70368744177664xf32>", "", "tensor<70368744177664xf32>")),
    "sizes_that_overflow": ("edge case: a product of sizes that overflows", one("broadcast_in_dim %x, dims = []",
        "(tensor<f32>) -> tensor<4294967296x4294967296x4294967296xf32>", "%x: tensor<f32>", "tensor<4294967296x4294967296x4294967296xf32>")),
    "loops_in_loops": ("edge case: sixty loops, each inside the other", nested_loops(60)),
    "batch_norm_of_no_axis": ("edge case: a batch norm along an axis that doesn't exist", of(
        '    %y = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 0.001 : f32, feature_index = 5 : i64} : '
        "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>\n    return %y : tensor<4x6xf32>\n",
        "%x: tensor<4x6xf32>, %s: tensor<6xf32>")),
    "random_bits_of_odd_size": ("edge case: three bytes of random bits", of(
        "    %s, %y = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)\n"
        "    return %y : tensor<3xui8>\n", "%x: tensor<2xui64>", "tensor<3xui8>")),
    "gather_of_a_negative_axis": ("edge case: a gather along axis -1", of(
        '    %y = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [-1], '
        "start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 4, 1>} : (tensor<4x6xf32>, tensor<1xi32>) -> tensor<4xf32>\n"
        "    return %y : tensor<4xf32>\n", "%x: tensor<4x6xf32>, %i: tensor<1xi32>", "tensor<4xf32>")),
}
