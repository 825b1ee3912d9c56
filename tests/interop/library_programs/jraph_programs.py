# SPDX-License-Identifier: Apache-2.0
"""Programs with jraph: networks over graphs. name -> a function that gives a tree of arrays, or a Step."""

import jax
import jax.numpy as jnp
import jraph
from library_programs.step import Step

KEYS = jax.random.split(jax.random.key(8), 6)


def graph():
    senders, receivers = jax.random.randint(KEYS[0], (30,), 0, 12), jax.random.randint(KEYS[1], (30,), 0, 12)
    return jraph.GraphsTuple(
        nodes=jax.random.normal(KEYS[2], (12, 8)), edges=jax.random.normal(KEYS[3], (30, 4)), senders=senders,
        receivers=receivers, globals=jnp.ones((1, 3)), n_node=jnp.array([12]), n_edge=jnp.array([30]))


def message_passing_step():
    weights = {"edge": jax.random.normal(KEYS[4], (23, 4)) / 5, "node": jax.random.normal(KEYS[5], (19, 8)) / 4}

    def loss(weights, graph):
        network = jraph.GraphNetwork(
            update_edge_fn=lambda edges, sent, received, shared: jnp.tanh(
                jnp.concatenate([edges, sent, received, shared], 1) @ weights["edge"]),
            update_node_fn=lambda nodes, sent, received, shared: jnp.tanh(
                jnp.concatenate([nodes, sent, received, shared], 1) @ weights["node"]))
        return jnp.mean(network(network(graph)).nodes ** 2)

    return Step(jax.jit(jax.value_and_grad(loss)), (weights, graph()))


def attention():
    values = graph()
    layer = jraph.GAT(
        attention_query_fn=lambda nodes: nodes[:, :4],
        attention_logit_fn=lambda sent, received, edges: jnp.sum(sent * received, 1, keepdims=True))
    return jax.jit(lambda graph: layer(graph).nodes)(values._replace(edges=None))


def padded_batch():
    batched = jraph.batch([graph(), graph()])
    padded = jraph.pad_with_graphs(batched, 40, 80, 4)
    return jax.jit(lambda g: (
        jraph.get_node_padding_mask(g), jraph.segment_softmax(g.edges[:, 0], g.receivers, 40),
        jax.ops.segment_sum(g.nodes, jnp.repeat(jnp.arange(4), g.n_node, total_repeat_length=40), 4)))(padded)


PROGRAMS = {function.__name__: function for function in (message_passing_step, attention, padded_batch)}
