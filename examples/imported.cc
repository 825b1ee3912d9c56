// SPDX-License-Identifier: Apache-2.0
// examples/imported.cc -- runs two models that JAX exported, and their gradients, and compares both with what JAX
// computed.
#include <cstdio>
#include <string>

#include "hilo/hilo.h"

using namespace hilo;

Array read(const std::string& path) {
  StatusOr<Literal> array = io::read_npy(path);
  or_throw(array.status());
  return Array::from_literal(*array);
}

bool close(const Array& a, const Array& b) { return numpy::max(numpy::abs(a - b)).item<float>() < 1e-4f; }

int main() {
  bool right = true;
  for (const char* name : {"convolutional_net", "transformer_block"}) {
    const std::string path = std::string(HILO_EXAMPLE_DATA) + "/imported/" + name;
    const auto model = load(path + ".jax");  // of any batch size: the file leaves it open
    const Array x = read(path + ".input.npy");
    const auto loss = [&model](const Array& v) { return numpy::sum(model(v) * model(v)); };
    const bool values = close(jit(model)(x), read(path + ".output.npy"));
    const bool gradients = close(jit(grad(loss))(x), read(path + ".gradient.npy"));
    std::printf("%s %s: values %s, gradients %s\n", name, model.inputs()[0].type.c_str(), values ? "right" : "wrong",
                gradients ? "right" : "wrong");
    right = right && values && gradients;
  }
  std::printf("imported models: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
