// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/buckets/size_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

Status differs(const Instruction& large, std::string_view what) {
  return unimplemented(fmt::format("{}: its {} depends on the size", describe(large), what));
}

/// Receives what corresponds in two traces, in the order of a walk.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual Status number(const Instruction& large, int64_t in_small, int64_t in_large) = 0;
  virtual Status constant(const Instruction& small, const Instruction& large) = 0;
  virtual void pair(const Instruction& small, const Instruction& large) = 0;
};

bool same_types(std::span<const Shape> small, std::span<const Shape> large) {
  return std::ranges::equal(small, large, [](const Shape& a, const Shape& b) {
    if (!a.is_array() || !b.is_array()) return a == b;
    return a.element_type() == b.element_type() && a.rank() == b.rank();
  });
}

/// Sets the numbers that may differ to those of `small`.
void take_numbers(const Instruction& small, Attributes& attributes) {
  switch (static_cast<int>(small.opcode)) {
    case static_cast<int>(Opcode::kSlice): {
      auto& ranges = static_cast<SliceAttributes&>(attributes).ranges;
      const auto& own = attributes_of<SliceAttributes>(small).ranges;
      for (size_t d = 0; d < ranges.size(); ++d) ranges[d].start = own[d].start, ranges[d].limit = own[d].limit;
      break;
    }
    case static_cast<int>(Opcode::kPad): {
      auto& padding = static_cast<PadAttributes&>(attributes).padding;
      const auto& own = attributes_of<PadAttributes>(small).padding;
      for (size_t d = 0; d < padding.size(); ++d) padding[d].high = own[d].high;
      break;
    }
    case static_cast<int>(Opcode::kGather):
      static_cast<GatherAttributes&>(attributes).slice_sizes = attributes_of<GatherAttributes>(small).slice_sizes;
      break;
    case static_cast<int>(Opcode::kDynamicSlice):
      static_cast<DynamicSliceAttributes&>(attributes).sizes = attributes_of<DynamicSliceAttributes>(small).sizes;
      break;
    case static_cast<int>(kExtScan):
      static_cast<ScanAttributes&>(attributes).length = attributes_of<ScanAttributes>(small).length;
      break;
    default: break;
  }
}

/// Whether attributes differ at most in numbers and called computations.
bool same_attributes(const Instruction& small, const Instruction& large) {
  if (small.attributes == nullptr || large.attributes == nullptr) return small.attributes == large.attributes;
  const AttributesDef& def = large.def().attributes;
  // The rules of derivatives are new objects in each trace, and don't run.
  if (def.copy == nullptr || small.opcode == kExtCustomRules || small.opcode == kExtCustomVjp) return true;
  const std::vector<ComputationPtr> called = called_computations(small), of_large = called_computations(large);
  if (called.size() != of_large.size()) return false;
  size_t next = 0;
  const AttributesPtr mapped = map_called_computations(large, [&](const ComputationPtr&) { return called[next++]; });
  const std::shared_ptr<Attributes> taken = def.copy(*mapped);
  take_numbers(small, *taken);
  return fields_equal(def.fields, *small.attributes, *taken);
}

Status walk(const Computation& small, const Computation& large, Visitor& visitor);

Status walk_numbers(const Instruction& small, const Instruction& large, Visitor& visitor) {
  std::vector<Shape> small_leaves, large_leaves;
  append_leaves(small.shape, small_leaves);
  append_leaves(large.shape, large_leaves);
  if (!same_types(small_leaves, large_leaves)) return differs(large, "result's type or rank");
  for (size_t k = 0; k < small_leaves.size(); ++k) {
    if (!small_leaves[k].is_array()) continue;
    for (int64_t d = 0; d < small_leaves[k].rank(); ++d)
      HILO_RETURN_IF_ERROR(visitor.number(large, small_leaves[k].dimension(d), large_leaves[k].dimension(d)));
  }
  if (large.opcode == Opcode::kSlice) {
    const auto& a = attributes_of<SliceAttributes>(small).ranges;
    const auto& b = attributes_of<SliceAttributes>(large).ranges;
    for (size_t d = 0; d < a.size(); ++d) HILO_RETURN_IF_ERROR(visitor.number(large, a[d].start, b[d].start));
  }
  if (large.opcode == kExtScan) {
    HILO_RETURN_IF_ERROR(visitor.number(large, attributes_of<ScanAttributes>(small).length,
                                        attributes_of<ScanAttributes>(large).length));
  }
  return ok_status();
}

Status walk_instruction(const Instruction& small, const Instruction& large, Visitor& visitor) {
  if (small.opcode != large.opcode || !std::ranges::equal(small.operands, large.operands))
    return differs(large, "presence");
  visitor.pair(small, large);
  HILO_RETURN_IF_ERROR(walk_numbers(small, large, visitor));
  if (large.opcode == Opcode::kConstant) return visitor.constant(small, large);
  if (!same_attributes(small, large)) return differs(large, "attribute");
  const std::vector<ComputationPtr> a = run_computations(small), b = run_computations(large);
  for (size_t k = 0; k < a.size(); ++k) HILO_RETURN_IF_ERROR(walk(*a[k], *b[k], visitor));
  return ok_status();
}

Status walk(const Computation& small, const Computation& large, Visitor& visitor) {
  if (small.size() != large.size() || small.root_id() != large.root_id())
    return unimplemented(fmt::format("'{}': the number of its operations depends on the size, {} and {}", large.name(),
                                     small.size(), large.size()));
  for (InstructionId id = 0; id < large.size(); ++id)
    HILO_RETURN_IF_ERROR(walk_instruction(small.instruction(id), large.instruction(id), visitor));
  return ok_status();
}

const Literal& value_of(const Instruction& constant) { return attributes_of<ConstantAttributes>(constant).value; }

/// Collects a pattern.
class Collector final : public Visitor {
 public:
  explicit Collector(SizePattern& pattern) : pattern_(pattern) {}

  Status number(const Instruction& large, int64_t in_small, int64_t in_large) override {
    if (in_small > in_large) return differs(large, "extent, which is less for a larger size,");
    pattern_.sizes.push_back(in_small == in_large ? SizePattern::kSame : size_of(in_small, in_large));
    return ok_status();
  }
  Status constant(const Instruction& small, const Instruction& large) override {
    if (value_of(small).identical(value_of(large)) || pattern_.constant_index.contains(&large)) return ok_status();
    pattern_.constant_index.emplace(&large, pattern_.constants.size());
    pattern_.constants.push_back(&large);
    return ok_status();
  }
  void pair(const Instruction& small, const Instruction& large) override { pattern_.small_of[&large] = &small; }

 private:
  uint32_t size_of(int64_t in_small, int64_t in_large) {
    const size_t size = pattern_.size_of(in_small, in_large);
    if (size == pattern_.values.size()) pattern_.values.emplace_back(in_small, in_large);
    return static_cast<uint32_t>(size);
  }

  SizePattern& pattern_;
};

/// Reads the values of a pattern in another trace.
class Reader final : public Visitor {
 public:
  Reader(const SizePattern& pattern, SizeValues& values) : pattern_(pattern), values_(values) {
    values_.sizes.assign(pattern.values.size(), -1);
    values_.constants.resize(pattern.constants.size());
    read_.resize(pattern.constants.size());
  }

  Status number(const Instruction& large, int64_t in_trace, int64_t in_large) override {
    const uint32_t size = next_ < pattern_.sizes.size() ? pattern_.sizes[next_] : SizePattern::kSame;
    ++next_;
    if (size == SizePattern::kSame) return in_trace == in_large ? ok_status() : unexpected(large);
    int64_t& value = values_.sizes[size];
    if (in_trace > in_large || (value != -1 && value != in_trace)) return unexpected(large);
    value = in_trace;
    return ok_status();
  }
  Status constant(const Instruction& trace, const Instruction& large) override {
    const auto at = pattern_.constant_index.find(&large);
    if (at == pattern_.constant_index.end())
      return value_of(trace).identical(value_of(large)) ? ok_status() : unexpected(large);
    if (read_[at->second] && !values_.constants[at->second].identical(value_of(trace))) return unexpected(large);
    read_[at->second] = true;
    values_.constants[at->second] = value_of(trace);
    return ok_status();
  }
  void pair(const Instruction&, const Instruction&) override {}

 private:
  static Status unexpected(const Instruction& large) {
    return failed_precondition(fmt::format("{}: depends on the size in another manner", describe(large)));
  }

  const SizePattern& pattern_;
  SizeValues& values_;
  std::vector<bool> read_;
  size_t next_ = 0;
};

}  // namespace

size_t SizePattern::size_of(int64_t in_small, int64_t in_large) const {
  return std::ranges::find(values, std::pair(in_small, in_large)) - values.begin();
}

std::vector<ComputationPtr> run_computations(const Instruction& instruction) {
  if (instruction.opcode == kExtCustomVjp) return {attributes_of<CustomVjpAttributes>(instruction).primal};
  return called_computations(instruction);
}

StatusOr<SizePattern> size_pattern(const ComputationPtr& small, const ComputationPtr& large) {
  SizePattern pattern;
  pattern.small = small;
  pattern.large = large;
  Collector collector(pattern);
  HILO_RETURN_IF_ERROR(walk(*small, *large, collector));
  return pattern;
}

StatusOr<SizeValues> size_values(const SizePattern& pattern, const Computation& trace) {
  SizeValues values;
  Reader reader(pattern, values);
  HILO_RETURN_IF_ERROR(walk(trace, *pattern.large, reader));
  return values;
}

}  // namespace hilo::hlo
