# SPDX-License-Identifier: Apache-2.0
"""Programs with orbax and jaxtyping: saving and loading on the same devices; checks of annotated shapes.

name -> a function that gives a tree of arrays."""

import pathlib
import tempfile

import jax
import jax.numpy as jnp
import jaxtyping
import orbax.checkpoint as ocp


def state():
    return {"step": jnp.array(7), "weights": [jax.random.normal(jax.random.key(i), (5, 3)) for i in range(3)],
            "half": jnp.arange(8, dtype=jnp.bfloat16)}


def saved_and_loaded():
    with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        path = pathlib.Path(folder) / "state"
        checkpointer.save(path, state())
        checkpointer.wait_until_finished()
        loaded = checkpointer.restore(path, jax.eval_shape(state))
    return jax.jit(lambda tree: jax.tree.map(lambda x: x * 2, tree))(loaded)


def managed_steps():
    with tempfile.TemporaryDirectory() as folder, ocp.CheckpointManager(
            folder, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as manager:
        for step in range(3):
            manager.save(step, args=ocp.args.StandardSave({"x": jnp.full(4, float(step))}))
        manager.wait_until_finished()
        return (manager.restore(manager.latest_step(), args=ocp.args.StandardRestore({"x": jnp.zeros(4)})),
                jnp.array(manager.all_steps()))


def annotated_shapes():
    @jax.jit
    @jaxtyping.jaxtyped(typechecker=None)
    def product(a: jaxtyping.Float[jaxtyping.Array, "n k"], b: jaxtyping.Float[jaxtyping.Array, "k m"]):
        assert isinstance(a @ b, jaxtyping.Float[jaxtyping.Array, "n m"])
        return a @ b

    return product(jnp.ones((3, 4)), jnp.ones((4, 2)))


PROGRAMS = {function.__name__: function for function in (saved_and_loaded, managed_steps, annotated_shapes)}
