# SPDX-License-Identifier: Apache-2.0
"""Compares shardings of results with XLA's: programs over 8 devices run under JAX on jaxlib and on hilo.

Results have the same values, and the same parts on the same devices, with shardings in the forms of Shardy and of
GSPMD. Results without a specified sharding are placed as by XLA. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEVICES = "8"
PARTITIONERS = {"shardy": "1", "gspmd": "0"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    parser.add_argument("--run", type=pathlib.Path, help=argparse.SUPPRESS)  # the file for the results of a child process
    arguments = parser.parse_args()
    if arguments.run:
        arguments.run.write_bytes(pickle.dumps(found()))
        return 0
    sys.path.insert(0, str(HERE))
    from report import report
    plugin = arguments.command.resolve().parent.parent / "lib" / "libhilo_pjrt.so"
    return report(case for partitioner in PARTITIONERS for case in compare(plugin, partitioner))


def compare(plugin: pathlib.Path, partitioner: str):
    setting = {"JAX_USE_SHARDY_PARTITIONER": PARTITIONERS[partitioner]}
    with tempfile.TemporaryDirectory(prefix="hilo_shardings_") as folder:
        wanted = run(setting | {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": DEVICES}, pathlib.Path(folder) / "jaxlib")
        got = run(setting | {"JAX_PLATFORMS": "hilo,cpu", "JAX_HILO_DEVICES": DEVICES, "JAX_HILO_LIBRARY": str(plugin),
                             "PYTHONPATH": str(ROOT / "python")}, pathlib.Path(folder) / "hilo")
    for name in wanted:
        yield f"{partitioner}/{name}", "" if wanted[name] == got.get(name) else f"got {got.get(name)}; wanted {wanted[name]}"


def run(environment: dict, file: pathlib.Path) -> dict:
    subprocess.run([sys.executable, __file__, "--command", "", "--run", str(file)], env=os.environ | environment, check=True)
    return pickle.loads(file.read_bytes())


def found() -> dict:
    """Returns for each result the index range on each device, and the sum of all elements, which are small integers."""
    import jax
    import numpy as np
    results = {}
    for name, (function, *inputs) in programs().items():
        leaves = jax.tree.leaves(jax.jit(function)(*inputs))
        results[name] = [(sorted((shard.device.id, [part.indices(size)[:2]
                                                    for part, size in zip(shard.index, leaf.shape)])
                                 for shard in leaf.addressable_shards),
                          float(np.sum(np.asarray(leaf), dtype=np.float64))) for leaf in leaves]
    return results


def programs() -> dict:
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    def on(spec, *shape):
        return jax.device_put(jnp.arange(float(jnp.prod(jnp.array(shape)))).reshape(shape) % 7,
                              NamedSharding(mesh, spec))

    def constrained(x):
        return lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P("y", None)))

    def by_hand(body, inside, outside, **options):
        return jax.shard_map(body, mesh=mesh, in_specs=inside, out_specs=outside, **options)

    shuffled = jax.sharding.Mesh(mesh.devices.reshape(-1)[jnp.array([3, 1, 2, 0, 7, 6, 5, 4])].reshape(2, 4), ("a", "b"))
    a, b, cube = on(P("x", "y"), 8, 16), on(P("x", None), 8, 16), on(P("x", None, "y"), 4, 6, 8)
    return {
        "as_it_is": (lambda x: x, a), "by_element": (lambda x: x * 2 + 1, a), "of_two": (lambda x, y: x + y, a, b),
        "with_a_number": (lambda x: jnp.where(x > 2, x, 0.0), b), "transposed": (lambda x: x.T, a),
        "permuted": (lambda x: x.transpose(2, 0, 1), cube), "reduced": (lambda x: x.sum(1), a), "reduced_to_one": (lambda x: x.sum(), a),
        "broadcast": (lambda x: jnp.broadcast_to(x[:, None, :], (8, 3, 16)), a), "reshaped_apart": (lambda x: x.reshape(4, 2, 16), a),
        "reshaped_together": (lambda x: x.reshape(24, 8), cube), "product": (lambda x, y: x @ y.T, b, on(P("y", None), 8, 16)),
        "products": (lambda x: jnp.einsum("bij,bkj->bik", x, x), cube), "constrained": (constrained, a),
        "called": (lambda x: jax.jit(lambda y: y + 1)(x) * 2, a),
        "looped": (lambda x: lax.fori_loop(0, 3, lambda i, y: y + 1, x), a),
        "branched": (lambda x: lax.cond(x[0, 0] > 1, lambda y: y + 1, lambda y: y - 1, x), a), "converted": (lambda x: x.astype(int), b),
        "reversed_and_sorted": (lambda x: jnp.sort(x, axis=1), b), "two_results": (lambda x: (x + 1, x.T), a),
        "differentiated": (jax.grad(lambda x: jnp.sum(jnp.tanh(x) ** 2) * 0), a), "from_nothing": (lambda x: jnp.arange(8.0), a),
        "by_hand": (by_hand(lambda x: x * lax.axis_index("x"), P("x", "y"), P("x", "y")), a),
        "summed_by_hand": (by_hand(lambda x: lax.psum(x, "x"), P("x", "y"), P(None, "y")), a),
        "joined_by_hand": (by_hand(lambda x: lax.all_gather(x, "y", axis=1, tiled=True), P("x", "y"), P("x"), check_vma=False), a),
        "passed_on_by_hand": (by_hand(lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]), P("x", "y"), P("x", "y")), a),
        "one_axis_by_hand": (by_hand(lambda x: x * 2 + lax.axis_index("x"), P("x"), P("x"), axis_names={"x"}), a),
        "one_axis_summed": (by_hand(lambda x: lax.psum(jnp.sin(x * 0) + x, "x"), P("x"), P(), axis_names={"x"}, check_vma=False), a),
        "one_axis_then_all": (lambda x: by_hand(lambda y: y + 1, P("x"), P("x"), axis_names={"x"})(x * 2).sum(0), a),
        "an_axis_that_cuts_nothing": (by_hand(lambda x: x * 3, P("x"), P("x"), check_vma=False), a),
        "on_shuffled_devices": (lambda x: x * 3, jax.device_put(jnp.arange(32.0).reshape(8, 4), NamedSharding(shuffled, P("b", "a")))),
        "back_and_forth": (lambda x: constrained(by_hand(lambda y: y + 1, P("x"), P("x"))(x).T), a),
    }


if __name__ == "__main__":
    sys.exit(main())
