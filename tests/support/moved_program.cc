// SPDX-License-Identifier: Apache-2.0
#include "tests/support/moved_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/bisect/agreement.h"
#include "hilo/types/twins.h"
#include "tests/support/moved_data.h"
#include "tests/support/moved_draw.h"

namespace hilo::tests {

using hlo::Builder;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::shared_attributes;

namespace {

constexpr int64_t kSizes[] = {1,  2,  3,   5,   7,   8,   15,  16,  17,  31,   32,   33,   63,
                              64, 65, 127, 128, 129, 255, 256, 257, 700, 1000, 1443, 4097, 65537};
constexpr int64_t kMaxResults = 4;

template <typename T>
T must(StatusOr<T> value) {
  if (!value.ok()) throw std::logic_error(value.status().to_string());
  return *std::move(value);
}

const std::vector<ElementType>& drawn_types() {
  using enum ElementType;
  static const std::vector<ElementType> types = {
      kF32,        kF32,        kF32,       kF32,      kF64,    kF64,    kF16,
      kF16,        kBf16,       kBf16,      kPred,     kPred,   kS8,     kS8,
      kU8,         kU8,         kU8,        kS16,      kU16,    kS32,    kS32,
      kU32,        kS64,        kU64,       kC64,      kC128,   kS4,     kU4,
      kS2,         kU2,         kF8E5M2,    kF8E4M3Fn, kF8E4M3, kF8E3M4, kF8E4M3B11Fnuz,
      kF8E5M2Fnuz, kF8E4M3Fnuz, kF8E8M0Fnu, kF4E2M1Fn};
  return types;
}

}  // namespace

MovedDraw::MovedDraw(std::mt19937& random, bool turns) : random_(random) {
  if (!turns) return;
  arguments_.push_back({Shape::scalar(ElementType::kS32), true, 0});
  turn_ = b_.parameter(Shape::scalar(ElementType::kS32));
}

void MovedDraw::choose_type() {
  type_ = one_of(drawn_types());
  const int64_t kind = below(100);
  if (type_ == ElementType::kPred) palette_ = Palette::kIntegers;
  else if (is_integer(type_)) palette_ = kind < 60 ? Palette::kFull : Palette::kIntegers;
  else if (kind < 40) palette_ = Palette::kIntegers;
  else if (kind < 55) palette_ = Palette::kUnits;
  else if (kind < 62 && !is_complex(type_) && type_ != ElementType::kF8E8M0Fnu) palette_ = Palette::kDenormals;
  else if (kind < 80 && is_floating(type_) && element_type_info(type_).bits > 8) palette_ = Palette::kRough;
  else palette_ = type_ == ElementType::kF8E8M0Fnu ? Palette::kIntegers : Palette::kSpecials;
}

MovedValue MovedDraw::source() {
  static const std::vector<int64_t> mosts = {1000, 3000, 3000, 6000, 6000, 12000, 12000, 140000};
  most_ = chance(80) ? one_of(mosts) : 3000;
  std::vector<int64_t> sizes(static_cast<size_t>(1 + below(4)));
  for (int64_t room = most_ / 2; int64_t& size : sizes) {
    size = any_size(room);
    room = std::max<int64_t>(room / size, 1);
  }
  std::ranges::shuffle(sizes, random_);
  return {data(Shape::array(type_, sizes)), data_bound(type_), true};
}

std::vector<MovedResult> MovedDraw::draw() {
  choose_type();
  MovedValue x = source();
  const bool maps = palette_ != Palette::kRough;
  if (maps && chance(50)) x = map(x);
  for (int64_t k = 1 + below(3); k > 0; --k) {
    x = move(x);
    if (maps && chance(20)) x = map(x);
  }
  if (maps && chance(40)) x = map(x);
  std::vector<MovedResult> results;
  if (chance(92) || !maps) results = reduce(x);
  else results.push_back({x, {}});
  if (maps && chance(25)) {  // once more
    const std::vector<MovedResult> more = reduce(move(results[0].value));
    results.insert(results.end(), more.begin(), more.end());
  }
  if (chance(20)) results.push_back({x, {}});
  for (MovedResult& result : results) {
    if (maps && chance(40)) result.value = map(result.value);
  }
  if (results.size() > kMaxResults) results.resize(kMaxResults);
  return results;
}

int64_t MovedDraw::any_size(int64_t most) {
  const auto end = std::ranges::upper_bound(kSizes, most);
  return kSizes[below(std::max<int64_t>(end - std::begin(kSizes), 1))];
}

std::vector<int64_t> MovedDraw::sizes(Id id) const {
  const Shape s = shape(id);
  return {s.dimensions().begin(), s.dimensions().end()};
}

MovedDraw::Id MovedDraw::add(Opcode opcode, std::initializer_list<Id> operands, hlo::AttributesPtr attributes,
                             const std::optional<Shape>& declared) {
  return must(b_.add(opcode, operands, std::move(attributes), declared));
}

MovedDraw::Id MovedDraw::data(const Shape& shape) {
  arguments_.push_back({shape});
  return b_.parameter(shape);
}

MovedDraw::Id MovedDraw::scalar(ElementType type, double value) {
  return b_.constant(filled_array(Shape::scalar(type), value));
}

MovedDraw::Id MovedDraw::full(const Shape& shape, Id scalar) {
  return add(Opcode::kBroadcast, {scalar}, shared_attributes(hlo::BroadcastAttributes{}), shape);
}

double MovedDraw::data_bound(ElementType type) const { return bound_of(palette_, type); }

double MovedDraw::exact_limit(ElementType type) {
  return type == ElementType::kF64 || type == ElementType::kC128 ? 0x1p52 : 0x1p23;
}

namespace {

/// The chain as a separate program.
hlo::ComputationPtr alone(MovedDraw& draw, const std::vector<MovedResult>& results) {
  std::vector<InstructionId> ids;
  for (const MovedResult& result : results) ids.push_back(result.value.id);
  const InstructionId root = ids.size() == 1 ? ids[0] : draw.builder().tuple(ids);
  return must(std::move(draw.builder()).build(root));
}

/// Copies a computation's instructions into another. Returns its results.
std::vector<InstructionId> inlined(Builder& b, const hlo::Computation& chain,
                                   std::span<const InstructionId> arguments) {
  std::vector<InstructionId> moved(chain.size());
  for (const hlo::Instruction& i : chain.instructions()) {
    if (i.opcode == Opcode::kParameter) {
      moved[i.id] = arguments[static_cast<size_t>(hlo::attributes_of<hlo::ParameterAttributes>(i).number)];
      continue;
    }
    std::vector<InstructionId> operands;
    for (InstructionId operand : i.operands) operands.push_back(moved[operand]);
    if (i.opcode == Opcode::kTuple) moved[i.id] = b.tuple(operands);
    else if (i.opcode == Opcode::kConstant)
      moved[i.id] = b.constant(hlo::attributes_of<hlo::ConstantAttributes>(i).value);
    else moved[i.id] = must(b.add(i.opcode, operands, i.attributes, i.shape));
  }
  const hlo::Instruction& root = chain.root();
  if (root.opcode != Opcode::kTuple) return {moved[root.id]};
  std::vector<InstructionId> results;
  for (InstructionId operand : root.operands) results.push_back(moved[operand]);
  return results;
}

/// Generates the loop around a chain whose first parameter is the iteration number.
class LoopAround {
 public:
  LoopAround(std::mt19937& random, const hlo::Computation& chain) : random_(random), chain_(chain) {
    carried_ = chain.parameter_shapes();
    arguments_ = carried_.size();
    for (const Shape& leaf :
         chain.result_shape().is_tuple() ? chain.result_shape().leaves() : std::vector{chain.result_shape()})
      carried_.push_back(leaf);
  }

  hlo::ComputationPtr entry() {
    Builder b("main");
    std::vector<InstructionId> initial = {b.constant(Literal::scalar<int32_t>(0))};
    for (size_t k = 1; k < carried_.size(); ++k) initial.push_back(b.parameter(carried_[k]));
    hlo::WhileAttributes loop;
    loop.condition = condition();
    loop.body = body();
    const InstructionId start = b.tuple(initial);
    const InstructionId last = must(b.add(Opcode::kWhile, {start}, shared_attributes(std::move(loop))));
    std::vector<InstructionId> results;
    for (size_t k = arguments_; k < carried_.size(); ++k)
      results.push_back(must(b.get_tuple_element(last, static_cast<int64_t>(k))));
    const InstructionId root = b.tuple(results);
    return must(std::move(b).build(root));
  }

  std::span<const Shape> accumulators() const { return std::span(carried_).subspan(arguments_); }

 private:
  bool chance(int64_t percent) { return random_() % 100 < static_cast<uint64_t>(percent); }

  hlo::ComputationPtr condition() {
    Builder b("condition");
    const InstructionId turn = must(b.get_tuple_element(b.parameter(Shape::tuple(carried_)), 0));
    const InstructionId end = b.constant(Literal::scalar<int32_t>(1 + static_cast<int32_t>(random_() % 4)));
    hlo::CompareAttributes less;
    less.direction = hlo::ComparisonDirection::kLt;
    const InstructionId goes_on = must(b.add(Opcode::kCompare, {turn, end}, shared_attributes(less)));
    return must(std::move(b).build(goes_on));
  }

  hlo::ComputationPtr body() {
    Builder b("body");
    const InstructionId all = b.parameter(Shape::tuple(carried_));
    std::vector<InstructionId> now;
    for (size_t k = 0; k < carried_.size(); ++k) now.push_back(must(b.get_tuple_element(all, static_cast<int64_t>(k))));
    const std::vector<InstructionId> results = inlined(b, chain_, std::span(now).first(arguments_));
    std::vector<InstructionId> next = {must(b.add(Opcode::kAdd, {now[0], b.constant(Literal::scalar<int32_t>(1))}))};
    for (size_t k = 1; k < arguments_; ++k) next.push_back(chance(20) ? reversed(b, now[k]) : now[k]);
    for (size_t k = 0; k < results.size(); ++k) next.push_back(joined(b, now[arguments_ + k], results[k]));
    const InstructionId root = b.tuple(next);
    return must(std::move(b).build(root));
  }

  static InstructionId reversed(Builder& b, InstructionId x) {
    if (b.shape(x).rank() == 0) return x;
    hlo::ReverseAttributes attributes;
    attributes.dimensions = {0};
    return must(b.add(Opcode::kReverse, {x}, shared_attributes(std::move(attributes))));
  }

  /// Combines an accumulator with an iteration's result. Sums of floats would round.
  InstructionId joined(Builder& b, InstructionId accumulator, InstructionId result) {
    const ElementType type = b.shape(result).element_type();
    if (chance(30) || is_complex(type) || type == ElementType::kF8E8M0Fnu) return result;
    if (is_floating(type)) return must(b.add(Opcode::kMaximum, {accumulator, result}));
    return must(b.add(type == ElementType::kPred || chance(30) ? Opcode::kXor : Opcode::kAdd, {accumulator, result}));
  }

  std::mt19937& random_;
  const hlo::Computation& chain_;
  std::vector<Shape> carried_;  ///< iteration number, arguments, accumulators
  size_t arguments_ = 0;        ///< includes the iteration number
};

}  // namespace

MovedProgram moved_program(unsigned seed, const MovedOptions& options) {
  std::mt19937 random(seed);
  const bool loops = random() % 4 == 0 && options.loops;
  MovedDraw draw(random, loops);
  const std::vector<MovedResult> results = draw.draw();
  MovedProgram made;
  for (const MovedResult& result : results) made.rules.push_back(result.rule);
  for (ResultRule& rule : made.rules) rule.zeros_have_signs = draw.zeros_have_signs();
  made.exact = draw.palette() != Palette::kRough && draw.zeros_have_signs();
  made.program.module.name = fmt::format("moved_{}", seed);
  std::vector<MovedArgument> arguments = draw.arguments();
  const hlo::ComputationPtr chain = alone(draw, results);
  if (loops) {
    LoopAround loop(random, *chain);
    made.program.module.entry = loop.entry();
    arguments.erase(arguments.begin());
    for (const Shape& shape : loop.accumulators()) arguments.push_back({shape});
  } else {
    made.program.module.entry = chain;
  }
  for (const MovedArgument& argument : arguments) {
    made.program.arguments.push_back(argument.is_index ? drawn_indices(random, argument.shape, argument.limit)
                                                       : drawn_data(random, argument.shape, draw.palette()));
  }
  return made;
}

namespace {

/// The allowed error relative to sums of magnitudes. It covers the first additions in order, the others in pairs,
/// earlier functions and the final rounding.
double relative_bound(ElementType type, int64_t summed) {
  const int digits = type == ElementType::kF64   ? 52
                     : type == ElementType::kF32 ? 23
                     : type == ElementType::kF16 ? 10
                                                 : 7;
  return std::ldexp(64 + 4 * std::log2(static_cast<double>(summed)), -digits);
}

std::string rough_difference(const Literal& got, const Literal& wanted, const Literal& magnitudes, int64_t summed) {
  if (!got.shape().compatible(wanted.shape()))
    return fmt::format("got {}, wanted {}", got.shape().to_string(), wanted.shape().to_string());
  const double bound = relative_bound(wanted.shape().element_type(), summed);
  for (int64_t i = 0; i < wanted.shape().element_count(); ++i) {
    const double x = element_as_double(got, i), y = element_as_double(wanted, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double gap = bound * std::abs(element_as_double(magnitudes, i)) + 1e-37;
    if (!(std::abs(x - y) <= gap)) return fmt::format("element {}: got {}, wanted {} +- {}", i, x, y, gap);
  }
  return "";
}

}  // namespace

std::string difference(const MovedProgram& program, std::span<const Literal> got, std::span<const Literal> wanted) {
  if (got.size() != wanted.size() || got.size() != program.rules.size())
    return fmt::format("got {} results, wanted {}", got.size(), wanted.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const ResultRule& rule = program.rules[k];
    const std::string text =
        rule.summed == 0 ? hlo::parting(got[k], wanted[k], 0, rule.zeros_have_signs)
                         : rough_difference(got[k], wanted[k], wanted[rule.magnitudes.value_or(k)], rule.summed);
    if (!text.empty()) return fmt::format("result {}: {}", k, text);
  }
  return "";
}

hlo::CompareOptions compare_options(const MovedProgram& program) {
  hlo::CompareOptions options;
  options.exact = [exact = program.exact](const hlo::Instruction&) { return exact; };
  return options;
}

std::string shown(const RandomProgram& program) {
  std::string text = hlo::print_module(program.module);
  for (size_t i = 0; i < program.arguments.size(); ++i)
    text += fmt::format("argument {} = {}\n", i, program.arguments[i].to_string(16));
  return text;
}

}  // namespace hilo::tests
