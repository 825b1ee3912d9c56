// SPDX-License-Identifier: Apache-2.0
// rules/random.cc -- rules of rng-bit-generator.
#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

Shape with_leading(const Shape& shape, int64_t size) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin(), size);
  return Shape::array(shape.element_type(), sizes);
}

/// JAX's rule: the first key generates the bits of all examples and is advanced; the other keys are unchanged. A
/// batched key is thus as good as the generator, and equal keys don't yield equal bits.
BatchResult rng_bit_generator_batch(const Operation& operation, std::span<const BatchDim> dims,
                                    const BatchContext& context) {
  const Array keys = move_axis(operation.operands[0], *dims[0], 0);
  const int64_t words = keys.shape(1);
  const Shape bits = with_leading(operation.declared->tuple_element(1), context.axis_size);
  if (context.axis_size == 0) return {{keys, ops::full(bits, 0)}, {0, 0}};
  Operation all = operation;
  all.operands = {ops::reshape(ops::slice(keys, {{0, 1, 1}, {0, words, 1}}), std::vector<int64_t>{words})};
  all.declared = Shape::tuple({all.operands[0].aval_shape(), bits});
  std::vector<Array> drawn = bind(all);
  const Array first = ops::reshape(drawn[0], std::vector<int64_t>{1, words});
  const std::vector<Array> start(2, ops::scalar(0, ElementType::kS32));
  return {{ops::dynamic_update_slice(keys, first, start), std::move(drawn[1])}, {0, 0}};
}

}  // namespace

const Rules rng_bit_generator_rules = {Nonlinear{}, Nonlinear{}, rng_bit_generator_batch};

}  // namespace hilo::rules
