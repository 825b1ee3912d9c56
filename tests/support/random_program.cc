// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/backend/cpu/emit/accuracy.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::tests {
namespace {

using hlo::Builder;
using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;

constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 17}, kSizesOfMeshes[] = {1, 2, 4, 6, 8, 16};
constexpr int64_t kMaxElements = 4000;
constexpr int kDeepest = 2;  // maximum nesting of control flow

bool is_one_of(Opcode opcode, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

/// Ops whose elements are copies of operand elements, in addition to those with the trait.
bool only_moves(Opcode opcode) {
  return hlo::has_trait(opcode, hlo::kMovesData) || opcode == hlo::kExtStopGradient ||
         is_one_of(opcode, {Opcode::kSort, Opcode::kTopK, Opcode::kTuple, Opcode::kGetTupleElement, Opcode::kBitcast,
                            Opcode::kDomain, Opcode::kCopyStart, Opcode::kCopyDone, Opcode::kDynamicReshape,
                            Opcode::kSetDimensionSize, Opcode::kConstant, Opcode::kIota, Opcode::kParameter,
                            Opcode::kOptimizationBarrier, Opcode::kAsyncDone, Opcode::kAsyncUpdate});
}

/// Whether every engine has the same bits for the same operands.
bool is_exact(Opcode opcode, ElementType type) {
  if (only_moves(opcode)) return true;
  if (is_integer(type) || type == ElementType::kPred) return true;
  if (is_complex(type) || !hlo::is_elementwise(opcode)) return false;
  for (const cpu::Accuracy& row : cpu::kAccuracy) {
    if (row.opcode == opcode) return (type == ElementType::kF64 ? row.f64_ulp : row.f32_ulp) <= 0.5;
  }
  return true;
}

/// Ops that don't amplify small differences of their operands.
bool takes_inexact(Opcode opcode) {
  if (opcode == Opcode::kSort || opcode == Opcode::kTopK || opcode == Opcode::kBitcast) return false;
  return only_moves(opcode) || is_one_of(opcode, {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kMaximum,
                                                  Opcode::kMinimum, Opcode::kNegate, Opcode::kAbs, Opcode::kTanh,
                                                  Opcode::kLogistic, Opcode::kDot, Opcode::kSelect});
}

/// Ops that need the operands of their samples: bits of NaN, sizes, well-conditioned matrices, states.
bool needs_its_operands(Opcode opcode) {
  const std::string_view name = hlo::opcode_name(opcode);
  const bool linalg = name == "cholesky" || name == "triangular-solve" || name == "custom-call" ||
                      name.starts_with("hilo.") || name.starts_with("batch-norm");
  return linalg || is_one_of(opcode, {Opcode::kBitcastConvert, Opcode::kSort, Opcode::kTopK, Opcode::kSetDimensionSize,
                                      Opcode::kBitcast, Opcode::kWhile, Opcode::kCompare, Opcode::kRaggedDot,
                                      Opcode::kRngBitGenerator, Opcode::kStochasticConvert});
}

struct Value {
  InstructionId id;
  bool exact;
};

class Generator {
 public:
  Generator(std::mt19937& random, Coverage& coverage, std::string name, int depth, Audience audience)
      : random_(random), coverage_(coverage), b_(std::move(name)), depth_(depth), audience_(audience) {}

  RandomProgram make(int instructions) {
    for (int k = 0; k < instructions; ++k) {
      if (below(8) == 0) grow_control_flow();
      else grow();
    }
    return finished();
  }

  /// The program of one sample.
  RandomProgram make_of(const Sample& sample, const Cell& cell) {
    std::vector<InstructionId> operands;
    const auto argument = [&](const Literal& value) {
      arguments_.push_back(value);
      return b_.parameter(value.shape());
    };
    for (const Literal& operand : sample.operands) {
      if (!operand.is_tuple()) {
        operands.push_back(argument(operand));
        continue;
      }
      std::vector<InstructionId> elements;
      for (const Literal& element : operand.elements()) elements.push_back(argument(element));
      operands.push_back(b_.tuple(elements));
    }
    const bool exact = is_exact(cell.opcode, cell.type) && results_are_exact(sample, cell.opcode);
    keep(must(append_on(b_, sample, std::move(operands))), exact);
    return finished();
  }

  RandomProgram finished() {
    std::vector<InstructionId> results;
    for (const Value& v : values_) results.push_back(v.id);
    const InstructionId root = b_.tuple(results);
    RandomProgram program;
    program.module.name = "random";
    program.module.entry = must(std::move(b_).build(root));
    program.arguments = std::move(arguments_);
    return program;
  }

  /// A body over these shapes with a result of the first shape; all ops are exact. `packed`: one tuple parameter.
  ComputationPtr body(std::span<const Shape> shapes, bool packed, int instructions) {
    take_parameters(shapes, packed);
    for (int k = 0; k < instructions; ++k) {
      if (depth_ < kDeepest && below(6) == 0) grow_control_flow();
      else grow();
    }
    const InstructionId root = latest_of(shapes[0]);
    return must(std::move(b_).build(root));
  }

  /// The body of a loop over (counter, values...): increments the counter and replaces the values.
  ComputationPtr loop_body(std::span<const Shape> shapes, int instructions) {
    take_parameters(shapes, true);
    const InstructionId counter = values_[0].id;
    values_.erase(values_.begin());
    for (int k = 0; k < instructions; ++k) grow();
    const InstructionId one = b_.constant(Literal::scalar<int32_t>(1));
    std::vector<InstructionId> next = {must(b_.add(Opcode::kAdd, {counter, one}))};
    for (const Shape& shape : shapes.subspan(1)) next.push_back(latest_of(shape));
    const InstructionId root = b_.tuple(next);
    return must(std::move(b_).build(root));
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<unsigned>(n)); }
  Shape shape(InstructionId id) const { return b_.shape(id); }

  void take_parameters(std::span<const Shape> shapes, bool packed) {
    const InstructionId all = packed ? b_.parameter(Shape::tuple(shapes)) : 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const InstructionId one =
          packed ? must(b_.get_tuple_element(all, static_cast<int64_t>(i))) : b_.parameter(shapes[i]);
      values_.push_back({one, true});
    }
  }

  InstructionId latest_of(const Shape& wanted) const {
    for (size_t k = values_.size(); k-- > 0;) {
      if (shape(values_[k].id) == wanted) return values_[k].id;
    }
    return values_[0].id;
  }

  /// A new value: an argument or, in bodies and sometimes elsewhere, a constant.
  InstructionId fresh(const Literal& value) {
    if (value.is_tuple() && (depth_ > 0 || audience_ == Audience::kOthers)) {
      std::vector<InstructionId> elements;
      for (const Literal& element : value.elements()) elements.push_back(fresh(element));
      return b_.tuple(elements);
    }
    const bool written =
        !value.is_tuple() && below(4) == 0 && (audience_ != Audience::kOthers || value.shape().element_count() > 0);
    if (depth_ > 0 || written) return b_.constant(value);
    arguments_.push_back(value);
    return b_.parameter(value.shape());
  }

  /// An earlier value of this shape, or null.
  const Value* earlier(const Shape& wanted, bool inexact_too) {
    std::vector<const Value*> fitting;
    for (const Value& v : values_) {
      if (shape(v.id) == wanted && (v.exact || inexact_too)) fitting.push_back(&v);
    }
    return fitting.empty() ? nullptr : fitting[static_cast<size_t>(below(static_cast<int64_t>(fitting.size())))];
  }

  /// Appends one op: one of the least used, or any exact op in bodies.
  void grow() {
    if (grow(coverage_.rarest(random_))) return;
    constexpr int kTries = 4;
    for (int k = 0; k < kTries && !grow(coverage_.any(random_)); ++k) {}
  }

  InstructionId fresh_parameter(const Sample& sample) {
    arguments_.push_back(sample.operands[0]);
    return b_.parameter(sample.operands[0].shape());
  }

  bool grow(const Cell& cell) {
    const bool edges = audience_ != Audience::kOthers && hlo::is_elementwise(cell.opcode) &&
                       is_exact(cell.opcode, cell.type) && below(3) == 0;
    static_assert(std::size(kSizes) == std::size(kSizesOfMeshes));
    const int64_t drawn = below(std::size(kSizes));
    const int64_t size = audience_ == Audience::kMeshes ? kSizesOfMeshes[drawn] : kSizes[drawn];
    const std::vector<Sample> samples =
        samples_of(cell.opcode, cell.type, size, edges ? Values::kEdges : Values::kSmooth);
    if (samples.empty()) return false;
    if (cell.opcode == Opcode::kParameter) {
      if (depth_ > 0) return false;
      coverage_.count(cell);
      values_.push_back({fresh_parameter(samples[0]), true});
      return true;
    }
    const Sample& sample = samples[static_cast<size_t>(below(static_cast<int64_t>(samples.size())))];
    bool exact = is_exact(cell.opcode, cell.type) && results_are_exact(sample, cell.opcode);
    if (depth_ > 0 && !exact) return false;
    if (depth_ > 0 && !can_be_constants(sample)) return false;
    if (audience_ == Audience::kOthers && reduces_nothing(sample)) return false;
    coverage_.count(cell);
    std::vector<InstructionId> operands;
    for (const Literal& operand : sample.operands) {
      const bool own =
          needs_its_operands(cell.opcode) ||
          (audience_ == Audience::kOthers && is_one_of(cell.opcode, {Opcode::kReduce, Opcode::kReduceWindow}));
      const Value* const found = own || below(4) == 0 ? nullptr : earlier(operand.shape(), takes_inexact(cell.opcode));
      exact = exact && (found == nullptr || found->exact);
      operands.push_back(found != nullptr ? found->id : fresh(operand));
    }
    keep(must(append_on(b_, sample, std::move(operands))), exact);
    return true;
  }

  /// XLA doesn't parse hilo's constants of arrays without elements, and bodies use constants.
  bool can_be_constants(const Sample& sample) const {
    if (audience_ != Audience::kOthers) return true;
    return std::ranges::none_of(leaves_of(sample.operands),
                                [](const Literal& x) { return x.shape().element_count() == 0; });
  }

  /// XLA omits the initial value along dimensions of size 1 and may add it several times along windows. For XLA, sums
  /// therefore use the initial values of their samples.
  static bool reduces_nothing(const Sample& sample) {
    return sample.opcode == Opcode::kReduce &&
           sample.operands[0].shape().element_count() == leaves_of(sample.expected)[0].shape().element_count();
  }

  /// An inexact float result makes derived integers and predicates inexact too, so this checks every float operand.
  static bool results_are_exact(const Sample& sample, Opcode opcode) {
    for (const Literal& leaf : leaves_of(sample.operands)) {
      if (!is_exact(opcode, leaf.shape().element_type())) return false;
    }
    for (const Literal& leaf : leaves_of(sample.expected)) {
      if (!is_exact(opcode, leaf.shape().element_type())) return false;
    }
    return true;
  }

  /// Names the results of the op and stores its arrays for later ops.
  void keep(InstructionId id, bool exact) {
    if (shape(id).is_tuple()) {
      for (int64_t k = 0; k < shape(id).tuple_size(); ++k) keep(must(b_.get_tuple_element(id, k)), exact);
      return;
    }
    if (!shape(id).is_array() || shape(id).element_count() > kMaxElements) return;
    // A copy has the name, because the builder names the ops of samples.
    const std::string name = fmt::format("{}{}", exact ? kExactName : "rough", b_.size());
    values_.push_back({must(b_.add(Opcode::kCopy, {id}, nullptr, std::nullopt, depth_ == 0 ? name : "")), exact});
  }

  /// One to three exact values, existing or new.
  std::vector<Value> some_values() {
    std::vector<Value> chosen;
    for (const Value& v : values_) {
      if (v.exact && below(3) == 0 && chosen.size() < 3) chosen.push_back(v);
    }
    while (chosen.empty()) {
      const Cell cell{Opcode::kCopy, below(2) == 0 ? ElementType::kF32 : ElementType::kS32};
      chosen.push_back({fresh(samples_of(cell.opcode, cell.type, 3, Values::kSmooth)[0].operands[0]), true});
    }
    return chosen;
  }

  void grow_control_flow() {
    if (depth_ >= kDeepest) return;
    const std::vector<Value> chosen = some_values();
    std::vector<InstructionId> ids;
    std::vector<Shape> shapes;
    for (const Value& v : chosen) {
      ids.push_back(v.id);
      shapes.push_back(shape(v.id));
    }
    switch (below(3)) {
      case 0: return grow_call(ids, shapes);
      case 1: return grow_conditional(ids, shapes);
      default: return grow_while(ids, shapes);
    }
  }

  Generator inner(std::string name) { return Generator(random_, coverage_, std::move(name), depth_ + 1, audience_); }
  int few() { return 1 + static_cast<int>(below(4)); }

  void grow_call(const std::vector<InstructionId>& ids, std::span<const Shape> shapes) {
    auto call = std::make_shared<hlo::CallAttributes>();
    call->to_apply = inner("called").body(shapes, false, few());
    keep(must(b_.add(Opcode::kCall, ids, call)), true);
  }

  void grow_conditional(const std::vector<InstructionId>& ids, std::span<const Shape> shapes) {
    auto conditional = std::make_shared<hlo::ConditionalAttributes>();
    const int64_t branches = 1 + below(3);
    for (int64_t k = 0; k < branches; ++k) conditional->branches.push_back(inner("branch").body(shapes, true, few()));
    std::vector<InstructionId> operands(static_cast<size_t>(branches) + 1, b_.tuple(ids));
    operands[0] = fresh(Literal::scalar<int32_t>(static_cast<int32_t>(below(5)) - 1));
    keep(must(b_.add(Opcode::kConditional, operands, conditional)), true);
  }

  void grow_while(std::vector<InstructionId> ids, std::span<const Shape> shapes) {
    std::vector<Shape> carried = {Shape::scalar(ElementType::kS32)};
    carried.insert(carried.end(), shapes.begin(), shapes.end());
    Builder condition("condition");
    const InstructionId counter = must(condition.get_tuple_element(condition.parameter(Shape::tuple(carried)), 0));
    const InstructionId end = condition.constant(Literal::scalar<int32_t>(static_cast<int32_t>(below(4))));
    auto less = std::make_shared<hlo::CompareAttributes>();
    less->direction = hlo::ComparisonDirection::kLt;
    const InstructionId going = must(condition.add(Opcode::kCompare, {counter, end}, less));
    auto loop = std::make_shared<hlo::WhileAttributes>();
    loop->condition = must(std::move(condition).build(going));
    loop->body = inner("loop").loop_body(carried, few());
    ids.insert(ids.begin(), fresh(Literal::scalar<int32_t>(0)));
    keep(must(b_.add(Opcode::kWhile, {b_.tuple(ids)}, loop)), true);
  }

  template <typename T>
  static T must(StatusOr<T> value) {
    if (!value.ok()) throw std::logic_error(value.status().to_string());
    return *std::move(value);
  }

  std::mt19937& random_;
  Coverage& coverage_;
  Builder b_;
  int depth_;
  Audience audience_;
  std::vector<Value> values_;
  std::vector<Literal> arguments_;
};

}  // namespace

Coverage::Coverage(const std::function<bool(const Cell&)>& keep) {
  for (const Cell& cell : cells()) {
    if (runs_alone(cell.opcode) && (!keep || keep(cell))) counts_[key(cell)] = 0;
  }
}

Cell Coverage::rarest(std::mt19937& random) const {
  std::vector<std::pair<int, int>> rare;
  const int64_t fewest = least();
  for (const auto& [pair, count] : counts_) {
    if (count == fewest) rare.push_back(pair);
  }
  const auto& [opcode, type] = rare[random() % rare.size()];
  return {static_cast<Opcode>(opcode), static_cast<ElementType>(type)};
}

Cell Coverage::any(std::mt19937& random) const {
  const auto it = std::next(counts_.begin(), static_cast<std::ptrdiff_t>(random() % counts_.size()));
  return {static_cast<Opcode>(it->first.first), static_cast<ElementType>(it->first.second)};
}

int64_t Coverage::least() const {
  int64_t fewest = INT64_MAX;
  for (const auto& [pair, count] : counts_) fewest = std::min(fewest, count);
  return fewest;
}

std::string Coverage::to_string() const {
  std::string text;
  for (const auto& [pair, count] : counts_)
    text += fmt::format("{} {} {}\n", hlo::opcode_name(static_cast<Opcode>(pair.first)),
                        element_type_name(static_cast<ElementType>(pair.second)), count);
  return text;
}

RandomProgram random_program(unsigned seed, int instructions, Coverage& coverage, Audience audience) {
  std::mt19937 random(seed);
  return Generator(random, coverage, "main", 0, audience).make(instructions);
}

RandomProgram program_of(const Sample& sample, const Cell& cell) {
  std::mt19937 random(0);
  Coverage none([](const Cell&) { return false; });
  return Generator(random, none, "main", 0, Audience::kOthers).make_of(sample, cell);
}

hlo::CompareOptions by_names() {
  hlo::CompareOptions options;
  options.exact = [](const hlo::Instruction& i) { return i.name.starts_with(kExactName); };
  return options;
}

StatusOr<std::vector<Literal>> run_evaluator(const hlo::Module& module, const std::vector<Literal>& arguments) {
  std::vector<Literal> parameters;
  size_t next = 0;
  for (const Shape& shape : module.entry->parameter_shapes()) parameters.push_back(packed(shape, arguments, next));
  HILO_ASSIGN_OR_RETURN(const Literal value, hlo::evaluate(module, std::span<const Literal>(parameters)));
  return leaves_of(value);
}

Engine evaluator_with(Opcode right, Opcode wrong) {
  return [=](const hlo::Module& module, const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
    hlo::Module planted = module;
    const auto plant = [&](const ComputationPtr& computation) -> StatusOr<ComputationPtr> {
      hlo::ComputationDraft draft(computation->name());
      for (const hlo::Instruction& i : computation->instructions()) {
        if (i.opcode == right && i.shape.element_type() == ElementType::kF32)
          draft.append(wrong, i.shape, i.operands, i.attributes, i.name);
        else draft.append_copy(i, i.operands);
      }
      return std::move(draft).finish(computation->root_id());
    };
    HILO_RETURN_IF_ERROR(hlo::rewrite_computations(planted, plant).status());
    return run_evaluator(planted, arguments);
  };
}

}  // namespace hilo::tests
