// SPDX-License-Identifier: Apache-2.0
// Random programs of data movement, arithmetic and reductions, on the engine and the reference evaluator.
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/text/printer.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// Builds a program from random instructions on random earlier values.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed), b_("main") {}

  hlo::Module make(int instructions) {
    for (int k = 0; k < 3; ++k) values_.push_back(b_.parameter(random_shape(), "p" + std::to_string(k)));
    index_ = b_.parameter(Shape::scalar(ElementType::kS32), "index");
    for (int k = 0; k < instructions; ++k) grow();
    std::vector<InstructionId> results = {values_.back()};
    for (InstructionId v : values_) {
      if (below(4) == 0) results.push_back(v);
    }
    const auto root = b_.tuple(results);
    return module_of(std::move(b_), root, "random");
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<unsigned>(n)); }
  InstructionId any() { return values_[static_cast<size_t>(below(static_cast<int64_t>(values_.size())))]; }
  Shape shape(InstructionId v) { return b_.shape(v); }

  Shape random_shape() {
    constexpr int64_t kExtents[] = {1, 2, 3, 5, 8, 17, 20};
    std::vector<int64_t> dimensions;
    for (int64_t rank = below(4); rank > 0; --rank) dimensions.push_back(kExtents[below(7)]);
    return Shape::array(ElementType::kF32, dimensions);
  }

  void keep(StatusOr<InstructionId> v) {
    if (v.ok() && b_.shape(*v).element_count() <= 4000) values_.push_back(*v);
  }

  /// Another value of this shape if one exists, else a broadcast.
  InstructionId like(const Shape& wanted) {
    std::vector<InstructionId> same;
    for (InstructionId v : values_) {
      if (shape(v) == wanted) same.push_back(v);
    }
    if (!same.empty() && below(3) != 0) return same[static_cast<size_t>(below(static_cast<int64_t>(same.size())))];
    // Broadcasts an earlier vector along a dimension of its size.
    for (InstructionId v : values_) {
      if (shape(v).rank() != 1) continue;
      for (int64_t d = 0; d < wanted.rank(); ++d) {
        if (wanted.dimension(d) == shape(v).dimension(0)) {
          return must(b_.add(Opcode::kBroadcast, {v},
                             with<hlo::BroadcastAttributes>([&](auto& a) { a.dimensions = {d}; }), wanted));
        }
      }
    }
    const auto scalar = b_.constant(Literal::scalar<float>(static_cast<float>(below(9)) / 4 - 1));
    return must(b_.add(Opcode::kBroadcast, {scalar}, std::make_shared<hlo::BroadcastAttributes>(), wanted));
  }

  void grow() {
    const InstructionId x = any();
    const Shape s = shape(x);
    const int64_t rank = s.rank();
    switch (below(14)) {
      case 0: return keep(b_.add(Opcode::kAdd, {x, like(s)}));
      case 1: return keep(b_.add(Opcode::kMultiply, {like(s), x}));
      case 2: return keep(b_.add(Opcode::kMaximum, {x, like(s)}));
      case 3: return keep(b_.add(Opcode::kTanh, {x}));
      case 4: return grow_broadcast(x);
      case 5: return grow_reshape(x);
      case 6: {
        hlo::Int64List permutation;
        for (int64_t d = 0; d < rank; ++d) permutation.push_back(d);
        std::shuffle(permutation.begin(), permutation.end(), random_);
        return keep(b_.add(Opcode::kTranspose, {x},
                           with<hlo::TransposeAttributes>([&](auto& a) { a.permutation = permutation; })));
      }
      case 7: {
        std::vector<hlo::SliceRange> ranges;
        for (int64_t d = 0; d < rank; ++d) {
          const int64_t start = below(s.dimension(d)), limit = start + 1 + below(s.dimension(d) - start);
          ranges.push_back({start, limit, 1 + below(2)});
        }
        return keep(b_.add(Opcode::kSlice, {x}, with<hlo::SliceAttributes>([&](auto& a) { a.ranges = ranges; })));
      }
      case 8:
        return keep(b_.add(Opcode::kReverse, {x}, with<hlo::ReverseAttributes>([&](auto& a) {
                             for (int64_t d = 0; d < rank; ++d) {
                               if (below(2) == 0) a.dimensions.push_back(d);
                             }
                           })));
      case 9: {
        std::vector<hlo::PaddingDimension> padding;
        for (int64_t d = 0; d < rank; ++d)
          padding.push_back({below(3) - (s.dimension(d) > 2 ? 1 : 0), below(3), below(4) == 0 ? 1 : 0});
        const auto value = b_.constant(Literal::scalar<float>(0.5f));
        return keep(b_.add(Opcode::kPad, {x, value}, with<hlo::PadAttributes>([&](auto& a) { a.padding = padding; })));
      }
      case 10:
        if (rank == 0) return;
        return keep(b_.add(Opcode::kConcatenate, {x, like(s), x},
                           with<hlo::ConcatenateAttributes>([&](auto& a) { a.dimension = below(rank); })));
      case 11: return grow_reduce(x);
      case 12: return grow_dynamic(x);
      default: return grow_dot(x);
    }
  }

  void grow_broadcast(InstructionId x) {
    const Shape s = shape(x);
    std::vector<int64_t> dimensions;
    hlo::Int64List places;
    for (int64_t d = 0; d <= s.rank(); ++d) {
      if (below(3) == 0) dimensions.push_back(1 + below(6));
      if (d == s.rank()) break;
      places.push_back(static_cast<int64_t>(dimensions.size()));
      dimensions.push_back(s.dimension(d));
    }
    keep(b_.add(Opcode::kBroadcast, {x}, with<hlo::BroadcastAttributes>([&](auto& a) { a.dimensions = places; }),
                Shape::array(ElementType::kF32, dimensions)));
  }

  void grow_reshape(InstructionId x) {
    std::vector<int64_t> dimensions;
    int64_t rest = shape(x).element_count();
    while (rest > 1 && below(4) != 0) {
      int64_t factor = 2 + below(4);
      while (rest % factor != 0 && factor > 1) --factor;
      dimensions.push_back(factor);
      rest /= factor;
    }
    dimensions.push_back(rest);
    std::shuffle(dimensions.begin(), dimensions.end(), random_);
    keep(b_.add(Opcode::kReshape, {x}, nullptr, Shape::array(ElementType::kF32, dimensions)));
  }

  void grow_reduce(InstructionId x) {
    hlo::Int64List dimensions;
    for (int64_t d = 0; d < shape(x).rank(); ++d) {
      if (below(2) == 0) dimensions.push_back(d);
    }
    const Opcode opcode = below(2) == 0 ? Opcode::kAdd : Opcode::kMaximum;
    const auto init = b_.constant(Literal::scalar<float>(opcode == Opcode::kAdd ? 0.0f : -100.0f));
    const StatusOr<InstructionId> r = b_.add(Opcode::kReduce, {x, init}, with<hlo::ReduceAttributes>([&](auto& a) {
                                               a.dimensions = dimensions;
                                               a.to_apply = *hlo::scalar_binary_computation(opcode, ElementType::kF32);
                                             }));
    keep(r);
    if (!r.ok() || below(2) == 0) return;
    // Broadcasts back over the reduced dimensions, as softmax and layer norm do.
    hlo::Int64List kept;
    for (int64_t d = 0; d < shape(x).rank(); ++d) {
      if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) kept.push_back(d);
    }
    const auto wide = must(b_.add(Opcode::kBroadcast, {*r},
                                  with<hlo::BroadcastAttributes>([&](auto& a) { a.dimensions = kept; }), shape(x)));
    keep(b_.add(Opcode::kSubtract, {x, wide}));
  }

  void grow_dynamic(InstructionId x) {
    const Shape s = shape(x);
    hlo::Int64List sizes;
    std::vector<InstructionId> operands = {x};
    for (int64_t d = 0; d < s.rank(); ++d) {
      sizes.push_back(1 + below(s.dimension(d)));
      operands.push_back(below(3) == 0 ? b_.constant(Literal::scalar<int32_t>(static_cast<int32_t>(below(5)) - 1))
                                       : index_);
    }
    const auto piece = must(
        b_.add(Opcode::kDynamicSlice, operands, with<hlo::DynamicSliceAttributes>([&](auto& a) { a.sizes = sizes; })));
    keep(piece);
    if (below(2) == 0) return;
    const auto update = must(b_.add(Opcode::kNegate, {piece}));
    operands.insert(operands.begin() + 1, update);
    keep(b_.add(Opcode::kDynamicUpdateSlice, operands));
  }

  void grow_dot(InstructionId x) {
    if (shape(x).rank() != 2) return;
    for (InstructionId y : values_) {
      if (shape(y).rank() != 2) continue;
      for (int64_t d = 0; d < 2; ++d) {
        if (shape(y).dimension(d) != shape(x).dimension(1)) continue;
        const auto dot = must(b_.add(Opcode::kDot, {x, y}, with<hlo::DotAttributes>([&](auto& a) {
                                       a.lhs_contracting_dimensions = {1};
                                       a.rhs_contracting_dimensions = {d};
                                     })));
        return keep(b_.add(Opcode::kTanh, {dot}));
      }
    }
  }

  std::mt19937 random_;
  Builder b_;
  std::vector<InstructionId> values_;
  InstructionId index_ = 0;
};

TEST(RandomProgram, EngineAgreesWithReference) {
  const char* asked = std::getenv("HILO_RANDOM_PROGRAMS");
  const unsigned count = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 40;
  for (unsigned seed = 0; seed < count; ++seed) {
    const hlo::Module module = Generator(seed).make(4 + static_cast<int>(seed % 24));
    std::vector<Literal> arguments = samples(module, seed);
    arguments.back() = Literal::scalar<int32_t>(static_cast<int32_t>(seed % 5) - 1);
    check(module, arguments, 2e-3);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n" << hlo::print_module(module);
      return;
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
