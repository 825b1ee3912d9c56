# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in PyTorch on the CPU, op by op, as it comes: prints "row<TAB>microseconds". Left out:
add_8, which is a compiled call, and while_1e6, which has no op."""
import timing
import torch
from torch.nn import functional


def row(name, call):
    timing.row(name, call, lambda result: None)  # CPU ops return when they are done


def digits():
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
    row("digits_step", step)


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
    a8 = torch.rand(8)
    row("eager_add_8", lambda: a8 + a8)
    large = torch.rand(1 << 24)
    row("muladd_tanh_16M", lambda: torch.tanh(large * large + large))
    del large
    square, wide = torch.rand(4096, 4096), torch.rand(4096, 1024)
    row("softmax_4096x1024", lambda: torch.softmax(wide, -1))
    row("sum_axis0_4096", lambda: square.sum(0))
    row("sum_axis1_4096", lambda: square.sum(1))
    m = torch.rand(1024, 1024)
    row("matmul_1024", lambda: m @ m)
    w, xs = torch.randn(128, 128) * 0.05, torch.randn(256, 16, 128)
    row("rnn_scan_256", lambda: rnn(w, xs))
    million = torch.rand(1000000)
    row("sort_1M", lambda: torch.sort(million).values)
