# SPDX-License-Identifier: Apache-2.0
"""Programs with mujoco-mjx and brax: steps of physics of a humanoid, an arm and a pendulum. name -> a Step."""

import pathlib

import brax.envs
import jax
import jax.numpy as jnp
import mujoco
from library_programs.step import Step
from mujoco import mjx

HUMANOID = pathlib.Path(mjx.__file__).resolve().parent / "test_data" / "humanoid" / "humanoid.xml"
JOINT = '<body pos="0 0 0.4"><joint type="hinge" axis="{axis}" damping="1" name="{name}"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 0.4"/>'
ARM = "<mujoco><worldbody>" + "".join(JOINT.format(axis=axis, name=name) for name, axis in (("a", "0 0 1"), ("b", "0 1 0"), ("c", "0 1 0"), ("d", "1 0 0"))) \
    + "</body>" * 4 + "</worldbody><actuator>" + "".join(f'<position joint="{name}" kp="20"/>' for name in "abcd") + "</actuator></mujoco>"


def physics(model: mujoco.MjModel):
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)

    def step(data):
        data = mjx.step(on_device, data.replace(ctrl=jnp.full(model.nu, 0.1)))
        return data.qpos, data.qvel

    on_device = mjx.put_model(model)
    return Step(jax.jit(step), (mjx.put_data(model, data),))


def humanoid():
    return physics(mujoco.MjModel.from_xml_path(str(HUMANOID)))


def arm():
    return physics(mujoco.MjModel.from_xml_string(ARM))


def pendulum():
    environment = brax.envs.get_environment("inverted_pendulum", backend="generalized")
    state = jax.jit(environment.reset)(jax.random.PRNGKey(0))
    return Step(jax.jit(lambda state, action: environment.step(state, action).obs), (state, jnp.full(1, 0.3)))


PROGRAMS = {function.__name__: function for function in (humanoid, arm, pendulum)}
