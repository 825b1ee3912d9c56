// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <thread>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kSizes[] = {0, 1, 3, 16, 17, 40};
constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS8,  ElementType::kS16,  ElementType::kS32,
                                  ElementType::kS64,  ElementType::kU8,  ElementType::kU16,  ElementType::kU32,
                                  ElementType::kU64,  ElementType::kF16, ElementType::kBf16, ElementType::kF32,
                                  ElementType::kF64};

InstructionId broadcast(Builder& b, InstructionId x, const Shape& shape, std::vector<int64_t> dimensions) {
  return must(b.add(Opcode::kBroadcast, {x},
                    with<hlo::BroadcastAttributes>([&](auto& a) { a.dimensions = dimensions; }), shape));
}

InstructionId reduce(Builder& b, Opcode opcode, InstructionId x, InstructionId init, std::vector<int64_t> dimensions) {
  return must(b.add(Opcode::kReduce, {x, init}, with<hlo::ReduceAttributes>([&](auto& a) {
                      a.dimensions = dimensions;
                      a.to_apply = *hlo::scalar_binary_computation(opcode, b.shape(x).element_type());
                    })));
}

Literal zero(ElementType type) { return filled(Shape::scalar(type), 0); }

TEST(CpuEngine, AddsArraysOfEveryTypeAndSize) {
  for (ElementType type : kTypes) {
    for (int64_t size : kSizes) {
      Builder b("main");
      const Shape shape = Shape::array(type, {size});
      const auto x = b.parameter(shape), y = b.parameter(shape);
      const auto sum = must(b.add(Opcode::kAdd, {x, y}));
      check(module_of(std::move(b), sum, shape.to_string()));
    }
  }
}

TEST(CpuEngine, ReducesRowsColumnsAndEverything) {
  for (ElementType type : kTypes) {
    if (type == ElementType::kPred) continue;
    for (int64_t rows : {3, 17}) {
      for (int64_t columns : {0, 1, 33}) {
        for (const std::vector<int64_t>& dimensions : std::vector<std::vector<int64_t>>{{0}, {1}, {0, 1}, {}}) {
          Builder b("main");
          const Shape shape = Shape::array(type, {rows, columns});
          const auto x = b.parameter(shape);
          const auto init = b.constant(zero(type));
          const auto sum = reduce(b, Opcode::kAdd, x, init, dimensions);
          const auto greatest = reduce(b, Opcode::kMaximum, x, init, dimensions);
          const auto both = b.tuple({sum, greatest});
          check(module_of(std::move(b), both, shape.to_string() + dimensions_to_string(dimensions)), 2e-2);
        }
      }
    }
  }
}

TEST(CpuEngine, ReducesDimensionsListedInAnyOrder) {
  for (const std::vector<int64_t>& dimensions : std::vector<std::vector<int64_t>>{{3, 0}, {2, 0}, {3, 1, 0}, {2, 1}}) {
    Builder b("main");
    const Shape shape = Shape::array(ElementType::kF32, {2, 3, 4, 5});
    const auto x = b.parameter(shape);
    const auto sum = reduce(b, Opcode::kAdd, x, b.constant(zero(ElementType::kF32)), dimensions);
    const auto y = b.parameter(b.shape(sum));
    const auto joined = must(b.add(Opcode::kSubtract, {sum, y}));  // a single region reads the elements of the sum
    check(module_of(std::move(b), joined, dimensions_to_string(dimensions)));
    Builder alone("main");
    const auto only =
        reduce(alone, Opcode::kAdd, alone.parameter(shape), alone.constant(zero(ElementType::kF32)), dimensions);
    check(module_of(std::move(alone), only, dimensions_to_string(dimensions)));
  }
}

/// argmin or argmax of f32[rows,columns], as JAX lowers it. The first NaN takes precedence.
hlo::Module arg_reduction(bool least, int64_t rows, int64_t columns, int64_t dimension) {
  const std::string text =
      fmt::format(R"(HloModule m

best {{
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  better = pred[] compare(a, b), direction={direction}
  nan = pred[] compare(a, a), direction=NE
  keep = pred[] or(better, nan)
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  tie = pred[] and(equal, before)
  keep_index = pred[] or(keep, tie)
  value = f32[] select(keep, a, b)
  index = s32[] select(keep_index, i, j)
  ROOT both = (f32[], s32[]) tuple(value, index)
}}

ENTRY main {{
  x = f32[{rows},{columns}] parameter(0)
  n = s32[{rows},{columns}] iota(), iota_dimension={dimension}
  worst = f32[] constant({worst})
  zero = s32[] constant(0)
  ROOT r = (f32[{kept}], s32[{kept}]) reduce(x, n, worst, zero), dimensions={{{dimension}}}, to_apply=best
}}
)",
                  fmt::arg("direction", least ? "LT" : "GT"), fmt::arg("worst", least ? "inf" : "-inf"),
                  fmt::arg("rows", rows), fmt::arg("columns", columns), fmt::arg("dimension", dimension),
                  fmt::arg("kept", dimension == 0 ? columns : rows));
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *std::move(module) : hlo::Module{};
}

TEST(CpuEngine, ArgReductionsGiveTheFirstOfSeveralNans) {
  for (const int64_t columns : {3, 15, 16, 40, 203}) {
    Literal x = sample(Shape::array(ElementType::kF32, {5, columns}), 1);
    const std::span<float> values = x.data<float>();
    for (size_t k = 0; k < values.size(); ++k) {
      if (k % 11 == 5 || k % 11 == 6 || k % 7 == 3) values[k] = NAN;
    }
    for (const bool least : {true, false}) {
      for (const int64_t dimension : {0, 1}) check(arg_reduction(least, 5, columns, dimension), {x});
    }
  }
}

/// The exponentials of a long row are computed by a kernel of their own.
TEST(CpuEngine, ComputesSoftmaxInOneKernel) {
  for (int64_t columns : {1, 7, 16, 100, 20000}) {
    Builder b("main");
    const Shape shape = Shape::array(ElementType::kF32, {6, columns});
    const auto x = b.parameter(shape);
    const auto low = b.constant(Literal::scalar<float>(-INFINITY));
    const auto zero = b.constant(Literal::scalar<float>(0));
    const auto greatest = reduce(b, Opcode::kMaximum, x, low, {1});
    const auto shifted = must(b.add(Opcode::kSubtract, {x, broadcast(b, greatest, shape, {0})}));
    const auto e = must(b.add(Opcode::kExp, {shifted}));
    const auto sum = reduce(b, Opcode::kAdd, e, zero, {1});
    const auto y = must(b.add(Opcode::kDivide, {e, broadcast(b, sum, shape, {0})}));
    const hlo::Module module = module_of(std::move(b), y, "softmax");
    check(module);
    auto executable = tests::cpu_client()->compile(module, {}, nullptr);
    ASSERT_TRUE(executable.ok());
    if (columns == 1) continue;  // simplified to a program without kernels
    EXPECT_EQ((*executable)->statistics().kernel_count, columns > 8192 ? 2 : 1) << columns;
  }
}

TEST(CpuEngine, ReadsThroughDataMovement) {
  for (ElementType type : kTypes) {
    Builder b("main");
    const auto x = b.parameter(Shape::array(type, {5, 7}));
    const auto y = b.parameter(Shape::array(type, {7, 5}));
    const auto turned =
        must(b.add(Opcode::kTranspose, {x}, with<hlo::TransposeAttributes>([](auto& a) { a.permutation = {1, 0}; })));
    const auto sum = must(b.add(Opcode::kAdd, {turned, y}));
    const auto back =
        must(b.add(Opcode::kReverse, {sum}, with<hlo::ReverseAttributes>([](auto& a) { a.dimensions = {0, 1}; })));
    const auto part = must(
        b.add(Opcode::kSlice, {back}, with<hlo::SliceAttributes>([](auto& a) { a.ranges = {{1, 6, 2}, {0, 5, 1}}; })));
    const auto flat = must(b.add(Opcode::kReshape, {part}, nullptr, Shape::array(type, {15})));
    const auto value = b.constant(zero(type));
    const auto padded =
        must(b.add(Opcode::kPad, {flat, value}, with<hlo::PadAttributes>([](auto& a) { a.padding = {{3, 2, 0}}; })));
    const auto twice = must(b.add(Opcode::kConcatenate, {padded, flat, padded},
                                  with<hlo::ConcatenateAttributes>([](auto& a) { a.dimension = 0; })));
    const auto doubled = must(b.add(Opcode::kMultiply, {twice, twice}));
    const auto all = b.tuple({back, part, flat, padded, twice, doubled});
    check(module_of(std::move(b), all, std::string(element_type_name(type))));
  }
}

TEST(CpuEngine, GathersAndSlicesAtRuntimeIndices) {
  Builder b("main");
  const auto x = b.parameter(Shape::array(ElementType::kF32, {9, 20}));
  const auto rows = b.parameter(Shape::array(ElementType::kS32, {6, 1}));
  const auto i = b.parameter(Shape::scalar(ElementType::kS32));
  const auto taken = must(b.add(Opcode::kGather, {x, rows}, with<hlo::GatherAttributes>([](auto& a) {
                                  a.offset_dims = {1};
                                  a.collapsed_slice_dims = {0};
                                  a.start_index_map = {0};
                                  a.index_vector_dim = 1;
                                  a.slice_sizes = {1, 20};
                                })));
  const auto single = must(b.add(Opcode::kGather, {x, rows}, with<hlo::GatherAttributes>([](auto& a) {
                                   a.collapsed_slice_dims = {0, 1};
                                   a.start_index_map = {1};
                                   a.index_vector_dim = 1;
                                   a.slice_sizes = {1, 1};
                                 })));
  const auto piece = must(
      b.add(Opcode::kDynamicSlice, {x, i, i}, with<hlo::DynamicSliceAttributes>([](auto& a) { a.sizes = {3, 17}; })));
  const auto update = must(b.add(Opcode::kNegate, {piece}));
  const auto changed = must(b.add(Opcode::kDynamicUpdateSlice, {x, update, i, i}));
  const auto mixed = must(b.add(Opcode::kMultiply, {changed, x}));
  const auto all = b.tuple({taken, single, piece, changed, mixed});
  check(module_of(std::move(b), all, "indices"));
}

TEST(CpuEngine, BroadcastsIotaAndConverts) {
  for (ElementType type : kTypes) {
    if (type == ElementType::kPred) continue;
    Builder b("main");
    const Shape shape = Shape::array(type, {4, 19});
    const auto row = b.parameter(Shape::array(type, {19}));
    const auto column = b.parameter(Shape::array(type, {4}));
    const auto iota =
        must(b.add(Opcode::kIota, {}, with<hlo::IotaAttributes>([](auto& a) { a.dimension = 1; }), shape));
    const auto sum = must(b.add(Opcode::kAdd, {broadcast(b, row, shape, {1}), broadcast(b, column, shape, {0})}));
    const auto product = must(b.add(Opcode::kMultiply, {sum, iota}));
    const auto as_float = must(b.add(Opcode::kConvert, {product}, nullptr, Shape::array(ElementType::kF32, {4, 19})));
    const auto all = b.tuple({product, as_float, iota});
    check(module_of(std::move(b), all, std::string(element_type_name(type))), 1e-2);
  }
}

}  // namespace
}  // namespace hilo::cpu
