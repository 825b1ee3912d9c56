# SPDX-License-Identifier: Apache-2.0
"""Programs with mujoco-mjx and brax: steps of physics of a humanoid, an arm and a pendulum. name -> a Step."""

import pathlib

import brax.envs
import jax
import jax.numpy as jnp
import mujoco
from library_programs.step import Step
from mujoco import mjx

MODELS = pathlib.Path(mjx.__file__).resolve().parent / "test_data"


def physics(path: str):
    model = mujoco.MjModel.from_xml_path(str(MODELS / path))
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)

    def step(data):
        data = mjx.step(on_device, data.replace(ctrl=jnp.full(model.nu, 0.1)))
        return data.qpos, data.qvel

    on_device = mjx.put_model(model)
    return Step(jax.jit(step), (mjx.put_data(model, data),))


def humanoid():
    return physics("humanoid/humanoid.xml")


def arm():
    return physics("actuator/arm26.xml")


def pendulum():
    environment = brax.envs.get_environment("inverted_pendulum", backend="generalized")
    state = jax.jit(environment.reset)(jax.random.PRNGKey(0))
    return Step(jax.jit(lambda state, action: environment.step(state, action).obs), (state, jnp.full(1, 0.3)))


PROGRAMS = {function.__name__: function for function in (humanoid, arm, pendulum)}
