# SPDX-License-Identifier: Apache-2.0
"""Questions of a new user have an answer one link away from README.md, or from a list of pages that it links. Each
question names a page, a title in it, and words of the text below that title."""

import re
import unittest

from planted import ROOT

README = (ROOT / "README.md").read_text()
# Question -> page, title ("" for the page as a whole), words of the answer.
ANSWERS = {
    "install": ("docs/installing.md", "Install", ("make install", "PREFIX")),
    "install without root": ("docs/installing.md", "Without root", ("PREFIX=$HOME",)),
    "compile my own file": ("docs/installing.md", "Compile one file", ("g++ -std=c++20", "pkg-config")),
    "use it from CMake": ("docs/installing.md", "Use CMake", ("find_package(hilo", "hilo::hilo", "hilo_precompile")),
    "make it a part of my project": ("docs/installing.md", "As a part of another project", ("FetchContent",)),
    "uninstall": ("docs/installing.md", "Without root", ("make uninstall",)),
    "come from JAX": ("docs/coming_from/jax.md", "Different", ("in_axes=(None, 0)", "{kNoAxis, 0}")),
    "come from NumPy": ("docs/coming_from/numpy.md", "", ("x.at(0).set(5)",)),
    "come from PyTorch": ("docs/coming_from/pytorch.md", "", ("requires_grad_", "torch::nn::Module")),
    "come from Eigen": ("docs/coming_from/eigen.md", "", ("numpy::matmul(A, x)", "borrow<float>")),
    "come from CasADi": ("docs/coming_from/casadi.md", "", ("jacfwd", "nlpsol")),
    "train a model": ("docs/how_to.md", "Train a model", ("value_and_grad", "apply_updates")),
    "fit parameters": ("docs/how_to.md", "Fit parameters to measurements", ("curve_fit", "minimize")),
    "control a robot": ("docs/how_to.md", "Control a robot", ("lax::scan", "jacfwd")),
    "price an option": ("docs/how_to.md", "Price an option with Greeks", ("delta", "gamma")),
    "solve an ODE and its adjoint": ("docs/how_to.md", "Solve an ODE and its adjoint", ("odeint", "adjoint")),
    "use several devices": ("docs/how_to.md", "Use several devices", ("make_mesh", "device_put")),
    "serve": ("docs/how_to.md", "Serve devices to other machines", ("hilo serve", "JAX_BACKEND_TARGET")),
    "know what scan saves for its gradient": ("docs/reference/scan.md", "Cost", ("grows with the length",)),
    "know what vmap does to a while loop": ("docs/reference/while_loop.md", "Derivatives and batches", ("`body` runs for all", "values")),
    "pass a struct of parameters": ("docs/how_to.md", "Pass a struct of parameters", ("struct Layer", "HILO_TREE")),
    "jit a lambda that captures": ("docs/how_to.md", "Compile a lambda that captures", ("jit([scale",)),
    "static arguments": ("docs/how_to.md", "Mark an argument as static", ("jit<1>", "Static{")),
    "vmap some arguments": ("docs/how_to.md", "Map over some arguments only", ("in_axes", "kNoAxis")),
    "grad with aux": ("docs/how_to.md", "Get the gradient and other values at once", ("std::pair", "has_aux")),
    "an optimiser with a schedule": ("docs/how_to.md", "Use an optimiser with a schedule", ("schedule", "apply_updates")),
    "a scan with several carries": ("docs/how_to.md", "Carry several values through a scan", ("lax::scan", "struct State")),
    "x64": ("docs/how_to.md", "Compute with 64 bits", ("jax_enable_x64",)),
    "call my own C++ function inside jit": ("docs/how_to.md", "Call a C++ function inside jit", ("pure_callback",)),
    "save weights": ("docs/how_to.md", "Save and load weights", ("save_checkpoint", "restore_checkpoint")),
    "run a JAX export": ("docs/how_to.md", "Run a program that JAX exported", ("jax.export", "load(")),
    "export to JAX": ("docs/how_to.md", "Export a program to JAX", ("export_to", "mlir_module_serialized")),
    "debug a NaN": ("docs/how_to.md", "Find the first NaN", ("JAX_DEBUG_NANS", "debug_nans")),
    "deploy without a compiler": ("docs/how_to.md", "Deploy without a compiler", ("libhilo.so", "libfmt", "deserialize_and_load")),
    "set the number of threads": ("docs/how_to.md", "Choose the number of threads", ("HILO_NUM_THREADS",)),
    "exchange data with Eigen and NumPy": ("docs/how_to.md", "Exchange data with other libraries", ("Eigen", "borrow", "dlpack")),
    "handle errors": ("docs/how_to.md", "Handle an error", ("code()",)),
    "measure time": ("docs/how_to.md", "Measure time", ("block_until_ready",)),
    "a while loop": ("docs/how_to.md", "Write a while loop", ("while_loop",)),
    "random keys": ("docs/how_to.md", "Draw random numbers", ("random::split", "random::key")),
    "a custom gradient": ("docs/how_to.md", "Write a custom gradient", ("custom_vjp", "custom_jvp")),
    "why is it slow": ("docs/faster.md", "", ("symptom", "explain")),
    "when does checkpoint help": ("docs/faster.md", "Checkpoint", ("slower", "faster")),
    "why is a small solve slow": ("docs/faster.md", "Small matrices", ("library call",)),
    "why is my Jacobian slow": ("docs/faster.md", "Jacobians", ("jacfwd",)),
    "which calls are safe from several threads": ("docs/threads.md", "", ("may be called from many threads",)),
    "shard an array": ("docs/sharding.md", "", ("make_mesh", "device_put")),
    "serve devices": ("docs/serving.md", "", ("hilo serve", "jax_xla_backend=xrt")),
    "put it under JAX": ("docs/jax.md", "Install", ("make wheel",)),
    "use a GPU": ("docs/devices.md", "", ("CUDA",)),
    "learn loops and branches": ("docs/tutorial/README.md", "", ("09_control_flow.md",)),
    "stop a gradient": ("docs/reference/grad.md", "", ("stop_gradient",)),
    "clip gradients": ("docs/how_to.md", "Use an optimiser with a schedule", ("clip_by_global_norm",)),
    "freeze some parameters": ("docs/how_to.md", "Use an optimiser with a schedule", ("optim::masked", "set_to_zero")),
    "gradients per example": ("docs/how_to.md", "Compute Hessians and gradients per example", ("vmap(grad(",)),
    "a sparse Jacobian": ("docs/transformations.md", "Sparse Jacobians", ("sparse_jacfwd", "SparsityPattern")),
    "why does jit compile again": ("docs/reference/jit.md", "", ("explain_cache_misses", "shapes or C++ numbers change")),
    "see the program of a function": ("docs/reference/jit.md", "", ("lower(args...)",)),
    "shapes without values": ("docs/transformations.md", "", ("eval_shape", "ShapeDtypeStruct")),
    "read batches of data": ("docs/files.md", "", ("training::DataLoader", "batch_size")),
    "a prefix scan": ("docs/transformations.md", "", ("lax::associative_scan",)),
    "sum over devices": ("docs/reference/shard_map.md", "", ("psum",)),
    "print the value of a tracer": ("docs/how_to.md", "Print inside jit", ("debug::print",)),
    "draw random numbers": ("docs/tutorial/README.md", "", ("08_random.md",)),
}


def problem_of(page: str, title: str, words: tuple[str, ...]) -> str | None:
    folder, _, name = page.rpartition("/")
    listed = f"]({folder}/README.md)" in README and f"]({name})" in (ROOT / folder / "README.md").read_text()
    if f"]({page})" not in README and not listed:
        return f"README.md has no link to {page}, nor to a list that has it"
    text = (ROOT / page).read_text()
    if title:
        found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.S | re.M)
        if not found:
            return f"{page} has no title '{title}'"
        text = found[2]
    missing = [word for word in words if word not in text]
    return f"{page}, {title or 'all of it'}: nothing of {missing}" if missing else None


class Questions(unittest.TestCase):
    def test_each_has_an_answer_one_link_from_the_readme(self):
        problems = {question: problem_of(*answer) for question, answer in ANSWERS.items()}
        self.assertEqual({question: problem for question, problem in problems.items() if problem}, {})

    def test_finds_answers_that_are_missing(self):
        self.assertIn("no link", problem_of("docs/internal/status.md", "", ()))
        self.assertIn("no title", problem_of("docs/how_to.md", "Bake bread", ()))
        self.assertIn("nothing of", problem_of("docs/how_to.md", "Measure time", ("sourdough",)))
