// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/scatter.h"

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

using Set = std::function<void(hlo::ScatterAttributes&)>;

hlo::Module scatter_of(const Shape& array, const Shape& indices, const std::vector<int64_t>& updates, Opcode combine,
                       const Set& set) {
  Builder b("main");
  const ElementType type = array.element_type();
  const auto x = b.parameter(array), i = b.parameter(indices), u = b.parameter(Shape::array(type, updates));
  const auto root = must(b.add(Opcode::kScatter, {x, i, u}, with<hlo::ScatterAttributes>([&](auto& a) {
                                 set(a);
                                 a.to_apply = *hlo::scalar_binary_computation(combine, type);
                               })));
  return module_of(std::move(b), root, "scatter into " + array.to_string() + " at " + indices.to_string());
}

TEST(Scatter, ReadsIndexVectorsOfEveryTypeAndDirection) {
  for (ElementType type : {ElementType::kS8, ElementType::kU8, ElementType::kS32, ElementType::kU32, ElementType::kS64,
                           ElementType::kU64}) {
    for (int64_t vector : {0, 1, 2}) {
      std::vector<int64_t> indices = {300, 3};
      indices.insert(indices.begin() + vector, 2);
      check(scatter_of(Shape::array(ElementType::kF64, {9, 4, 11}), Shape::array(type, indices), {300, 2, 3},
                       Opcode::kAdd, [&](hlo::ScatterAttributes& a) {
                         a.update_window_dims = {1};
                         a.inserted_window_dims = {0, 2};
                         a.scatter_dims_to_operand_dims = {2, 1};
                         a.index_vector_dim = vector;
                       }));
    }
  }
}

TEST(Scatter, DropsWindowsThatAreNotWhollyInBounds) {
  for (Opcode combine : {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum}) {
    check(scatter_of(Shape::array(ElementType::kS32, {12, 13}), Shape::array(ElementType::kS32, {20, 2}), {20, 3, 10},
                     combine, [](hlo::ScatterAttributes& a) {
                       a.update_window_dims = {1, 2};
                       a.scatter_dims_to_operand_dims = {0, 1};
                       a.index_vector_dim = 1;
                     }));
  }
}

TEST(Scatter, GoesAlongWithBatchesOfItsIndices) {
  check(scatter_of(Shape::array(ElementType::kF32, {5, 14, 3}), Shape::array(ElementType::kS32, {7, 5, 1}), {7, 5, 3},
                   Opcode::kAdd, [](hlo::ScatterAttributes& a) {
                     a.update_window_dims = {2};
                     a.inserted_window_dims = {1};
                     a.input_batching_dims = {0};
                     a.scatter_indices_batching_dims = {1};
                     a.scatter_dims_to_operand_dims = {1};
                     a.index_vector_dim = 2;
                   }));
}

TEST(Scatter, OfManyUpdatesIsInTheirOrderOnAllThreads) {
  // Sums of f32 that show their order.
  const auto rows = [](hlo::ScatterAttributes& a) {
    a.update_window_dims = {1};
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  };
  const auto elements = [](hlo::ScatterAttributes& a) {
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  };
  const auto check_bits = [](const hlo::Module& module) {
    std::vector<Literal> arguments = samples(module);
    for (float& update : arguments[2].data<float>()) update = std::exp(3 * update);
    check(module, arguments, 0);
  };
  const Shape indices = Shape::array(ElementType::kS32, {40000, 1});
  check_bits(scatter_of(Shape::array(ElementType::kF32, {10, 19}), indices, {40000, 19}, Opcode::kAdd, rows));
  check_bits(scatter_of(Shape::array(ElementType::kF32, {10}), indices, {40000}, Opcode::kAdd, elements));
}

}  // namespace
}  // namespace hilo::cpu
