# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in PyTorch on the CPU, op by op, unmodified. Prints "row<TAB>microseconds".

Without add_8, which times a compiled call, and while_1e6, for which PyTorch has no op."""
import functools

import timing
import torch
from torch.nn import functional


def row(name, make):
    timing.row(name, make, lambda result: None)  # CPU ops return when they are done


def uniform_row(name, function, *shapes):
    row(name, lambda: functools.partial(function, *(torch.rand(shape) for shape in shapes)))


def digits():
    if not timing.is_wanted("digits_step_first_call"):
        return
    layers = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.Adam(layers.parameters(), lr=2e-3)
    x, y = torch.rand(128, 64), torch.randint(10, (128,))

    def step():
        optimizer.zero_grad()
        loss = functional.cross_entropy(layers(x), y)
        loss.backward()
        optimizer.step()
        return loss

    timing.once("digits_step_first_call", step, lambda result: None)
    row("digits_step", lambda: step)


def rnn(weights, inputs):
    h, states = torch.zeros(16, 128), []
    for x in inputs:
        h = torch.tanh(h @ weights + x)
        states.append(h)
    return torch.stack(states)


torch.manual_seed(0)
torch.set_flush_denormal(True)
digits()
with torch.inference_mode():
    uniform_row("eager_add_8", lambda x: x + x, (8,))
    uniform_row("muladd_tanh_16M", lambda x: torch.tanh(x * x + x), (1 << 24,))
    uniform_row("add_transposed_1000", lambda x: x + x.T, (1000, 1000))
    uniform_row("softmax_4096x1024", lambda x: torch.softmax(x, -1), (4096, 1024))
    uniform_row("sum_axis0_4096", lambda x: x.sum(0), (4096, 4096))
    uniform_row("sum_axis1_4096", lambda x: x.sum(1), (4096, 4096))
    uniform_row("matmul_1024", torch.matmul, (1024, 1024), (1024, 1024))
    row("rnn_scan_256", lambda: functools.partial(rnn, torch.randn(128, 128) * 0.05, torch.randn(256, 16, 128)))
    uniform_row("sort_1M", lambda x: torch.sort(x).values, (1000000,))
