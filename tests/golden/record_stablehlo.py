#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs of JAX as StableHLO, text and portable artifact, under tests/stablehlo/recorded/.

NAME.mlir and NAME.mlirbc are the same module. Files plain_NAME are bytecode of StableHLO's own dialect, in which JAX
passes modules to a partitioner. Needs jax; run it manually: python3 tests/golden/record_stablehlo.py"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import _jax

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "stablehlo" / "recorded"
TARGET = "1.13.0"
TEXT_TARGET = "1.17.0"


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def s32(*shape):
    return jax.ShapeDtypeStruct(shape, np.int32)


def mlp(x, w, b):
    return jax.nn.softmax(jnp.tanh(x @ w + b))


def counted(x):
    return jax.lax.fori_loop(0, 5, lambda i, c: c * x + i, x)


def branches(i, x):
    return jax.lax.switch(i, [lambda v: v + 1, lambda v: v * x, jnp.sin], x)


def pieces(x, i):
    y = jax.lax.dynamic_update_slice(x, x[1:3] * 2, (i, 0))
    return jnp.concatenate([y[::2], jnp.flip(y, 0)]).T, jnp.pad(x, ((1, 2), (0, 1)), constant_values=-1.0)


PROGRAMS = {
    "mlp": (mlp, f32(4, 3), f32(3, 5), f32(5)),
    "gradient": (jax.grad(lambda x, w, b: mlp(x, w, b)[0, 0], argnums=1), f32(4, 3), f32(3, 5), f32(5)),
    "loop": (counted, f32(3)),
    "branches": (branches, s32(), f32(4)),
    "gather_scatter": (lambda x, i: (x[i], x.at[i].add(1.0)), f32(5, 2), s32(3)),
    "sort": (lambda x: (jnp.argsort(x), jnp.sort(x), jnp.argmax(x)), f32(7)),
    "random": (lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (6,)),
               jax.ShapeDtypeStruct((2,), np.uint32)),
    "pieces": (pieces, f32(4, 3), s32()),
    "erf": (lambda x: jax.scipy.special.erf(x), f32(4)),
    "cumulative": (lambda x: (jnp.cumsum(x), jax.lax.cummax(x)), f32(6)),
    "convolution": (lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 2), "SAME"), f32(1, 2, 6, 6), f32(3, 2, 3, 3)),
    "solve": (lambda a: jnp.linalg.cholesky(a), f32(3, 3)),
    "small_types": (lambda x: (x.astype(jnp.bfloat16), x.astype(jnp.float8_e4m3fn), x > 0, x.astype(jnp.int8)), f32(9)),
    "complex": (lambda x: jnp.abs(jnp.exp(1j * x)), f32(3)),
}

# What JAX doesn't write, but others do.
TEXTS = {
    "quantized": """
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
""",
    "six_bits": """
func.func public @main() -> (tensor<3xf6E2M3FN>, tensor<3xf6E3M2FN>, tensor<2xf6E3M2FN>) {
  %0 = stablehlo.constant dense<[1.0, 2.5, -0.125]> : tensor<3xf6E2M3FN>
  %1 = stablehlo.constant dense<[1.0, 2.5, -28.0]> : tensor<3xf6E3M2FN>
  %2 = stablehlo.constant dense<0.0625> : tensor<2xf6E3M2FN>
  return %0, %1, %2 : tensor<3xf6E2M3FN>, tensor<3xf6E3M2FN>, tensor<2xf6E3M2FN>
}
""",
    "mesh_axes": """
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
""",
}

# Modules that are written under the operations' own names, too.
PLAIN = ("branches", "complex", "convolution", "erf", "gather_scatter", "loop", "pieces", "random", "solve", "sort")

# Attributes that those lack.
PLAIN_TEXT = """
module @plain attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func private @step(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.custom_call @scale(%arg0) {api_version = 4 : i32, backend_config = {by = 2.0 : f32, name = "a"},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
      operand_tuple_indices = []>]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %arg1: tensor<2xui64>, %arg2: tensor<1x8x8x1xf32>) -> (tensor<4x4xf32>, tensor<8xui32>, tensor<4x3xcomplex<f32>>,
      tensor<1x4x4x1xf32>, tensor<4x2xf32>, tensor<8x4xf32>, tensor<ui32>, tensor<1x8x8x1xf32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = call @step(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @rule(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([ij, l]) {i=2, j=2, k=4,
      l=4} reduction={k} need_replication={l}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = "stablehlo.triangular_solve"(%0, %2) <{left_side = true, lower = true,
      transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}>
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %state, %bits = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    %4 = stablehlo.fft %3, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%arg2, %zero) <{padding = dense<0> : tensor<4x2xi64>,
      window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<1x8x8x1xf32>, tensor<f32>) -> tensor<1x4x4x1xf32>
    %values, %places = chlo.top_k(%arg0, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %6 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle =
      #stablehlo.channel_handle<handle = 2, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>,
      use_global_device_ids}>
      : (tensor<4x4xf32>) -> tensor<8x4xf32>
    %7 = stablehlo.partition_id : tensor<ui32>
    %8 = "stablehlo.select_and_scatter"(%arg2, %5, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>,
      window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %g = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %g : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1x8x8x1xf32>, tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x8x8x1xf32>
    return %3, %bits, %4, %5, %values, %6, %7, %8 : tensor<4x4xf32>, tensor<8xui32>, tensor<4x3xcomplex<f32>>,
      tensor<1x4x4x1xf32>, tensor<4x2xf32>, tensor<8x4xf32>, tensor<ui32>, tensor<1x8x8x1xf32>
  }
}
"""

# Old operations, bounded and unknown sizes: as a portable artefact too.
OLD_TEXT = """
module @old {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>) -> (tensor<4x4xf32>, tensor<2x3xf32>, tensor<3xf32>,
      tensor<2x4x3xf32>, tensor<?x?xf32>, tensor<i32>) {
    %0 = stablehlo.einsum %arg0, %arg0, config = "ij,kj->ik" : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    %1 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}>
      : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.set_dimension_size %arg0, %n, dim = 0
      : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %3 = stablehlo.add %2, %2 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %shape = stablehlo.constant dense<[6, 2]> : tensor<2xi32>
    %6 = stablehlo.dynamic_reshape %arg0, %shape : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %7 = stablehlo.get_dimension_size %6, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
    return %0, %1, %4, %5, %6, %7 : tensor<4x4xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x4x3xf32>, tensor<?x?xf32>,
      tensor<i32>
  }
}
"""

# Shardy's own operations and dialect arith.
SHARDY_TEXT = """
module @shardy {
  sdy.mesh @grid = <["x"=2, "y"=2]>
  sdy.mesh @second = <[], device_ids=[1]>
  func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y", ?}p1]>})
      -> tensor<4x4xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {}]>]>} : tensor<4x4xf32>
    %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@grid, [{}, {}]> : tensor<4x4xf32>
    %2 = sdy.all_slice [{}, {"x"}] %1 out_sharding=<@grid, [{}, {"x"}]> : tensor<4x4xf32>
    %3 = sdy.all_to_all [{"x"}: 1->0] %2 out_sharding=<@grid, [{"x"}, {}]> : tensor<4x4xf32>
    %4 = sdy.collective_permute %3 out_sharding=<@grid, [{"y"}, {}]> : tensor<4x4xf32>
    %5 = sdy.all_reduce {"x"} %4 out_sharding=<@grid, [{"y"}, {}]> : tensor<4x4xf32>
    %6 = sdy.reduce_scatter [{}, {"x"}] %5 out_sharding=<@grid, [{"y"}, {"x"}]> : tensor<4x4xf32>
    %7 = sdy.reshard %6 <@grid, [{}, {}], replicated={"x"}> : tensor<4x4xf32>
    %8 = sdy.propagation_barrier %7 allowed_direction=NONE : tensor<4x4xf32>
    %9 = sdy.named_computation<"twice">(%8) out_shardings=[<@grid, [{"x"}, {}]>] (%arg1: tensor<4x4xf32>) {
      %c = arith.constant dense<2.0> : tensor<4x4xf32>
      %d = sdy.constant dense<3.0> : tensor<4x4xf32>
      %e = stablehlo.multiply %c, %arg1 : tensor<4x4xf32>
      %f = stablehlo.add %d, %e : tensor<4x4xf32>
      sdy.return %f : tensor<4x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %9 : tensor<4x4xf32>
  }
}
"""


def record_plain(name: str, text: str, folder: pathlib.Path = FOLDER) -> None:
    with mlir.make_ir_context():
        module = mlir.ir.Module.parse(text)
        (folder / f"plain_{name}.mlir").write_text(mlir.module_to_string(module))
        (folder / f"plain_{name}.mlirbc").write_bytes(mlir.module_to_bytecode(module))


def record_artefact(name: str, text: str) -> None:
    """The text is written from the artifact, because writing an artifact moves constants."""
    artefact = _jax.mlir.serialize_portable_artifact(text.lstrip(), TEXT_TARGET, True)
    with mlir.make_ir_context():
        text = mlir.module_to_string(_jax.mlir.deserialize_portable_artifact(artefact), enable_debug_info=False)
    (FOLDER / f"{name}.mlirbc").write_bytes(artefact)
    (FOLDER / f"{name}.mlir").write_text(text)


def record_texts() -> None:
    record_artefact("old", OLD_TEXT)
    record_plain("attributes", PLAIN_TEXT)
    record_plain("old", OLD_TEXT)
    record_plain("shardy", SHARDY_TEXT, FOLDER / "constraints")  # which hilo reads and does not write
    for name, text in TEXTS.items():
        (FOLDER / f"{name}.mlir").write_text(text.lstrip())
        (FOLDER / f"{name}.mlirbc").write_bytes(_jax.mlir.serialize_portable_artifact(text.lstrip(), TEXT_TARGET, True))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    root = str(FOLDER.parents[2]) + "/"
    for name, (function, *arguments) in PROGRAMS.items():
        module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
        # Through text, so that paths are those of the repository.
        located = mlir.module_to_string(module, enable_debug_info=True).replace(root, "")
        with mlir.make_ir_context():
            if name in PLAIN:
                record_plain(name, located)
            code = mlir.module_to_bytecode(mlir.ir.Module.parse(located))
            artefact = _jax.mlir.serialize_portable_artifact(code, TARGET, True)
            # The text is that of the artefact: writing one moves constants.
            module = _jax.mlir.deserialize_portable_artifact(artefact)
            text = mlir.module_to_string(module, enable_debug_info=name == "mlp")
        (FOLDER / f"{name}.mlir").write_text(text)
        (FOLDER / f"{name}.mlirbc").write_bytes(artefact)
    record_texts()


if __name__ == "__main__":
    main()
