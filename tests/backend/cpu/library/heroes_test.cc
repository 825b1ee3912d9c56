// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/heroes.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "hilo/backend/cpu/emit/new_code.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/sort.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/guarded_buffer.h"
#include "tests/support/samples.h"

namespace hilo::cpu {
namespace {

hlo::Module dot_module(const Shape& lhs, const Shape& rhs, const hlo::DotAttributes& attributes) {
  Builder b("main");
  const auto x = b.parameter(lhs), y = b.parameter(rhs);
  const auto dot = must(b.add(Opcode::kDot, {x, y}, std::make_shared<hlo::DotAttributes>(attributes)));
  return module_of(std::move(b), dot, "dot " + lhs.to_string() + rhs.to_string());
}

hlo::DotAttributes dot(hlo::Int64List lb, hlo::Int64List lc, hlo::Int64List rb, hlo::Int64List rc) {
  hlo::DotAttributes a;
  a.lhs_batch_dimensions = std::move(lb);
  a.lhs_contracting_dimensions = std::move(lc);
  a.rhs_batch_dimensions = std::move(rb);
  a.rhs_contracting_dimensions = std::move(rc);
  return a;
}

TEST(Heroes, MultipliesWithoutContractionWhateverTheBatchesOrder) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64, ElementType::kC128}) {
    for (int64_t n : {1, 2, 90}) {
      check(dot_module(Shape::array(type, {2, 3, 90}), Shape::array(type, {3, 2, n}), dot({0, 1}, {}, {1, 0}, {})));
      check(dot_module(Shape::array(type, {3, 2, n}), Shape::array(type, {2, 3, 90}), dot({1, 0}, {}, {0, 1}, {})));
      check(dot_module(Shape::array(type, {3, 2, 1, n}), Shape::array(type, {2, 3, 90, 1}),
                       dot({1, 0}, {2}, {0, 1}, {3})));
    }
  }
}

TEST(Heroes, MultipliesMatricesOfEveryTypeAndSize) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kF16,
                           ElementType::kS32, ElementType::kU8}) {
    const double tolerance = type == ElementType::kBf16 ? 5e-2 : type == ElementType::kF16 ? 1e-2 : 1e-5;
    for (int64_t n : {1, 3, 17, 48}) {
      check(dot_module(Shape::array(type, {n, 5}), Shape::array(type, {5, n}), dot({}, {1}, {}, {0})), tolerance);
      check(dot_module(Shape::array(type, {6, n}), Shape::array(type, {3, n}), dot({}, {1}, {}, {1})), tolerance);
    }
  }
  check(dot_module(Shape::array(ElementType::kF32, {70, 65}), Shape::array(ElementType::kF32, {65, 80}),
                   dot({}, {1}, {}, {0})),
        1e-4);
  check(dot_module(Shape::array(ElementType::kF32, {65, 70}), Shape::array(ElementType::kF32, {80, 65}),
                   dot({}, {0}, {}, {1})),
        1e-4);
  check(dot_module(Shape::array(ElementType::kF64, {2, 65, 40, 3}), Shape::array(ElementType::kF64, {3, 2, 60, 65}),
                   dot({0, 3}, {1}, {1, 0}, {3})),
        1e-9);
  check(dot_module(Shape::array(ElementType::kBf16, {200, 100}), Shape::array(ElementType::kBf16, {100, 90}),
                   dot({}, {1}, {}, {0})),
        5e-2);
  check(dot_module(Shape::array(ElementType::kF32, {100, 4, 4}), Shape::array(ElementType::kF32, {100, 4, 4}),
                   dot({0}, {2}, {0}, {1})),
        1e-5);
  check(dot_module(Shape::array(ElementType::kF32, {7}), Shape::array(ElementType::kF32, {7}), dot({}, {0}, {}, {0})),
        1e-5);
  check(dot_module(Shape::array(ElementType::kF32, {300}), Shape::array(ElementType::kF32, {300, 200}),
                   dot({}, {0}, {}, {0})),
        1e-4);
  check(dot_module(Shape::array(ElementType::kF32, {4, 0}), Shape::array(ElementType::kF32, {0, 6}),
                   dot({}, {1}, {}, {0})));
}

TEST(Heroes, MultiplyItemsOfBatchesThatDontLieInStep) {
  // The attention layout: [batch, position, head, feature], batched by head.
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kC64}) {
    const double tolerance = type == ElementType::kBf16 ? 5e-2 : 1e-4;
    for (int64_t positions : {0, 1, 33, 130}) {
      check(dot_module(Shape::array(type, {2, positions, 3, 17}), Shape::array(type, {2, positions, 3, 17}),
                       dot({0, 2}, {3}, {0, 2}, {3})),
            tolerance);
      check(dot_module(Shape::array(type, {2, 3, 20, positions}), Shape::array(type, {2, positions, 3, 17}),
                       dot({0, 1}, {3}, {0, 2}, {1})),
            tolerance);
    }
  }
}

/// The results of the library call of `i`, on buffers that end before a guard page or begin after one. The engine's own
/// buffers have padding. Other compilers may generate code with accesses that the sanitized build doesn't have.
std::vector<std::vector<std::byte>> run_between_guards(const Hero& hero, const std::vector<Literal>& operands,
                                                       const std::vector<Shape>& results, testing::Snug snug) {
  std::vector<std::unique_ptr<testing::GuardedBuffer>> memory;
  std::vector<void*> buffers;
  const auto add = [&](size_t bytes) {
    memory.push_back(std::make_unique<testing::GuardedBuffer>(bytes, snug));
    buffers.push_back(memory.back()->data());
    return memory.back()->data();
  };
  for (const Literal& operand : operands) {
    std::byte* const to = add(operand.bytes().size());
    if (!operand.bytes().empty()) std::memcpy(to, operand.bytes().data(), operand.bytes().size());
  }
  for (const Shape& result : results) add(static_cast<size_t>(result.byte_size()));
  if (hero.updates_in_place() && !operands[0].bytes().empty())
    std::memcpy(buffers[operands.size()], operands[0].bytes().data(), operands[0].bytes().size());
  const Status status = hero.run(buffers.data(), {});
  EXPECT_TRUE(status.ok()) << status.to_string();
  std::vector<std::vector<std::byte>> values;
  for (size_t k = 0; k < results.size(); ++k) {
    const std::byte* const from = memory[operands.size() + k]->data();
    values.emplace_back(from, from + results[k].byte_size());
  }
  return values;
}

void check_between_guards(const hlo::Instruction& i, const std::vector<Literal>& operands) {
  std::vector<Shape> shapes, results;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  for (const auto& leaf : i.shape.leaves()) results.push_back(leaf);
  for (const Isa isa : supported_isas()) {
    NewCode code(isa);
    const auto chosen = choose_hero({{i, shapes, results}, isa, code});
    ASSERT_TRUE(chosen.ok()) << chosen.status().to_string();
    EXPECT_EQ(run_between_guards(*chosen->hero, operands, results, testing::Snug::kEnd),
              run_between_guards(*chosen->hero, operands, results, testing::Snug::kBegin))
        << hlo::describe(i) << " on " << isa_name(isa);
  }
}

TEST(Heroes, TouchNothingBesideTheirBuffers) {
  constexpr Opcode kKernels[] = {Opcode::kDot,     Opcode::kConvolution,      Opcode::kFft,
                                 Opcode::kPad,     Opcode::kReduceWindow,     Opcode::kCholesky,
                                 Opcode::kTopK,    Opcode::kTriangularSolve,  Opcode::kSort,
                                 Opcode::kScatter, Opcode::kSelectAndScatter, Opcode::kRngBitGenerator};
  for (const Opcode opcode : kKernels) {
    for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kC64,
                                   ElementType::kC128, ElementType::kS32, ElementType::kU8, ElementType::kU64}) {
      for (const int64_t n : {1, 3, 17}) {
        for (const tests::Sample& sample : tests::samples_of(opcode, type, n, tests::Values::kSmooth)) {
          const StatusOr<hlo::ComputationPtr> computation = tests::computation_of(sample);
          if (!computation.ok()) continue;  // the op doesn't support this type: tests/status has its error
          check_between_guards((*computation)->root(), sample.operands);
        }
      }
    }
  }
}

/// From one product to a sum, up to the size at which BLAS is called.
TEST(Heroes, ShortComplexProductsTouchNothingBesideTheirBuffers) {
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    for (const int64_t m : {1, 2, 3, 5}) {
      for (const int64_t k : {1, 2, 3, 4, 7}) {
        for (const int64_t n : {int64_t{1}, int64_t{2}, int64_t{5}, (int64_t{1} << 15) / (m * k)}) {
          const hlo::Module modules[] = {
              dot_module(Shape::array(type, {m, k}), Shape::array(type, {k, n}), dot({}, {1}, {}, {0})),
              dot_module(Shape::array(type, {k, m}), Shape::array(type, {n, k}), dot({}, {0}, {}, {1}))};
          for (const hlo::Module& module : modules) check_between_guards(module.entry->root(), samples(module));
        }
      }
    }
  }
}

hlo::ComputationPtr less_than(ElementType type, ElementType payload, bool two, hlo::ComparisonDirection direction,
                              hlo::ComparisonType order) {
  Builder b("less");
  const auto x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  if (two) {
    b.parameter(Shape::scalar(payload));
    b.parameter(Shape::scalar(payload));
  }
  const auto root = must(b.add(Opcode::kCompare, {x, y}, with<hlo::CompareAttributes>([&](auto& a) {
                                 a.direction = direction;
                                 a.type = order;
                               })));
  return *std::move(b).build(root);
}

hlo::Module sort_module(const Shape& shape, int64_t dimension, hlo::ComparisonDirection direction,
                        hlo::ComparisonType order) {
  Builder b("main");
  const auto keys = b.parameter(shape);
  const Shape index = shape.with_element_type(ElementType::kS32);
  const auto payload = b.parameter(index);
  const auto sorted = must(b.add(Opcode::kSort, {keys, payload}, with<hlo::SortAttributes>([&](auto& a) {
                                   a.dimensions = {dimension};
                                   a.is_stable = true;
                                   a.to_apply =
                                       less_than(shape.element_type(), ElementType::kS32, true, direction, order);
                                 })));
  return module_of(std::move(b), sorted, "sort " + shape.to_string());
}

TEST(Heroes, SortsStablyByKey) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kS8,
                           ElementType::kU32, ElementType::kS64, ElementType::kPred}) {
    for (int64_t n : {0, 1, 2, 17, 40, 700, 5000}) {
      const auto order = is_floating(type) ? hlo::ComparisonType::kTotalOrder : hlo::ComparisonType::kDefault;
      check(sort_module(Shape::array(type, {2, n}), 1, hlo::ComparisonDirection::kLt, order));
      if (n < 40) check(sort_module(Shape::array(type, {n, 3}), 0, hlo::ComparisonDirection::kGt, order));
    }
  }
}

TEST(Heroes, SortsWithAnyComparator) {
  Builder c("by_square");
  const auto p = c.parameter(Shape::scalar(ElementType::kS32)), q = c.parameter(Shape::scalar(ElementType::kS32));
  const auto pp = must(c.add(Opcode::kMultiply, {p, p})), qq = must(c.add(Opcode::kMultiply, {q, q}));
  const auto less =
      must(c.add(Opcode::kCompare, {pp, qq},
                 with<hlo::CompareAttributes>([](auto& a) { a.direction = hlo::ComparisonDirection::kLt; })));
  const hlo::ComputationPtr comparator = *std::move(c).build(less);
  Builder b("main");
  const auto x = b.parameter(Shape::array(ElementType::kS32, {5, 33}));
  const auto sorted = must(b.add(Opcode::kSort, {x}, with<hlo::SortAttributes>([&](auto& a) {
                                   a.dimensions = {1};
                                   a.is_stable = true;
                                   a.to_apply = comparator;
                                 })));
  check(module_of(std::move(b), sorted, "sort by square"));
}

TEST(Heroes, ScattersRowsAndElements) {
  for (ElementType type : {ElementType::kF32, ElementType::kS16, ElementType::kBf16}) {
    for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum}) {
      Builder b("main");
      const auto x = b.parameter(Shape::array(type, {20, 6}));
      const auto rows = b.parameter(Shape::array(ElementType::kS32, {9, 1}));
      const auto updates = b.parameter(Shape::array(type, {9, 6}));
      const auto elements = b.parameter(Shape::array(type, {9}));
      const auto body = *hlo::scalar_binary_computation(opcode, type);
      const auto by_row = must(b.add(Opcode::kScatter, {x, rows, updates}, with<hlo::ScatterAttributes>([&](auto& a) {
                                       a.update_window_dims = {1};
                                       a.inserted_window_dims = {0};
                                       a.scatter_dims_to_operand_dims = {0};
                                       a.index_vector_dim = 1;
                                       a.to_apply = body;
                                     })));
      const auto by_element =
          must(b.add(Opcode::kScatter, {by_row, rows, elements}, with<hlo::ScatterAttributes>([&](auto& a) {
                       a.inserted_window_dims = {0, 1};
                       a.scatter_dims_to_operand_dims = {1};
                       a.index_vector_dim = 1;
                       a.to_apply = body;
                     })));
      const auto both = b.tuple({by_row, by_element});
      check(module_of(std::move(b), both, "scatter"), 1e-2);
    }
  }
}

TEST(Heroes, DrawsThreefryBits) {
  for (int64_t n : {1, 6, 7, 20000}) {
    Builder b("main");
    const Shape state = Shape::array(ElementType::kU64, {2});
    const auto key = b.parameter(state);
    const auto bits = must(b.add(Opcode::kRngBitGenerator, {key}, std::make_shared<hlo::RngBitGeneratorAttributes>(),
                                 Shape::tuple({state, Shape::array(ElementType::kU32, {n})})));
    check(module_of(std::move(b), bits, "bits"));
  }
}

TEST(Heroes, ComputesWithComplexNumbersThroughTheReferenceKernels) {
  Builder b("main");
  const auto x = b.parameter(Shape::array(ElementType::kC64, {5})),
             y = b.parameter(Shape::array(ElementType::kC64, {5}));
  const auto product = must(b.add(Opcode::kMultiply, {x, y}));
  const auto real = must(b.add(Opcode::kReal, {product}));
  const auto negative = must(b.add(Opcode::kNegate, {real}));
  check(module_of(std::move(b), negative, "complex"));
}

TEST(Heroes, RefusesAnOpThatThisVersionLacks) {
  Builder b("main");
  const auto x = b.parameter(Shape::array(ElementType::kF32, {5}));
  const auto r = must(
      b.add(Opcode::kShuffle, {x}, std::make_shared<hlo::RawAttributes>(), Shape::array(ElementType::kF32, {5}), "r"));
  const auto executable = tests::cpu_client()->compile(module_of(std::move(b), r), {}, nullptr);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(executable.status().message().find("shuffle 'r' is not implemented on platform Host in this version"),
            std::string::npos)
      << executable.status().to_string();
}

}  // namespace
}  // namespace hilo::cpu
