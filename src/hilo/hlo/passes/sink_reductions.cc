// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/passes/loop_carry.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/rewrite_loops.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMinTrips = 4;  // before and after the loop the accumulators cost about two iterations

/// Reductions of a body whose results are added to one element of the carry, and whose operands have one shape. They
/// share an accumulator of that shape.
struct Sink {
  size_t element;  ///< of the carry
  Opcode op;       ///< that combines: add, maximum, ...
  struct Term {
    InstructionId reduce;
    std::vector<InstructionId> moves;  ///< what places the sums in the element, from the outermost op inwards
    bool subtracted;
  };
  std::vector<Term> terms;
};

/// Finds the reductions that may sink.
class SinkFinder {
 public:
  SinkFinder(const WhileAttributes& loop, int64_t byte_limit)
      : body_(*loop.body), bytes_left_(byte_limit), uses_(body_.size()), summed_only_(body_.size(), true) {
    reads_.resize(body_.root().operands.size());
    for (const Instruction& i : body_.instructions()) {
      for (InstructionId operand : i.operands) {
        ++uses_[operand];
        if (const auto element = carry_element_read(body_, body_.instruction(operand))) ++reads_[*element];
        const bool fuses = is_elementwise(i.opcode) || i.opcode == Opcode::kReduce || i.id == body_.root_id();
        if (!fuses) summed_only_[operand] = false;
      }
    }
    for (const Instruction& i : loop.condition->instructions()) {
      if (const auto element = carry_element_read(*loop.condition, i)) ++reads_[*element];
    }
  }

  std::vector<Sink> find() {
    for (size_t k = 0; k < reads_.size(); ++k) {
      if (reads_[k] == 1) find_in(k);
    }
    return std::move(sinks_);
  }

 private:
  const Instruction& instruction(InstructionId id) const { return body_.instruction(id); }

  /// Walks the sum, maximum, ... that the body returns as element k. Each value in it has one user.
  void find_in(size_t k) {
    const Instruction& next = instruction(body_.root().operands[k]);
    const Opcode op = next.opcode == Opcode::kSubtract ? Opcode::kAdd : next.opcode;
    const Opcode known[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd, Opcode::kOr};
    if (std::ranges::count(known, op) == 0) return;
    std::vector<Sink> found;
    bool accumulates = false;
    std::vector<std::pair<InstructionId, bool>> stack{{next.id, false}};
    while (!stack.empty()) {
      const auto [id, subtracted] = stack.back();
      stack.pop_back();
      const Instruction& i = instruction(id);
      if (carry_element_read(body_, i) == static_cast<int64_t>(k)) accumulates = !subtracted;
      if (uses_[id] != 1) continue;
      if (is_link(i, op)) {
        for (size_t n = i.operands.size(); n-- > 0;) stack.emplace_back(i.operands[n], subtracted != turns_sign(i, n));
      } else if (const Sink::Term term = term_of(i, op, subtracted); sinks(instruction(term.reduce), op)) {
        add_term(found, k, op, term);
      }
    }
    if (accumulates) take(found);
  }

  static bool is_link(const Instruction& i, Opcode op) {
    return i.opcode == op || (op == Opcode::kAdd && (i.opcode == Opcode::kSubtract || i.opcode == Opcode::kNegate));
  }
  static bool turns_sign(const Instruction& i, size_t operand) {
    return i.opcode == Opcode::kNegate || (i.opcode == Opcode::kSubtract && operand == 1);
  }

  /// Walks inwards over moves, each with one user.
  Sink::Term term_of(const Instruction& outermost, Opcode op, bool subtracted) const {
    Sink::Term term{outermost.id, {}, subtracted};
    while (moves(instruction(term.reduce), op) && uses_[instruction(term.reduce).operands[0]] == 1) {
      term.moves.push_back(term.reduce);
      term.reduce = instruction(term.reduce).operands[0];
    }
    return term;
  }

  /// Whether the op places the elements of its first operand, between zeros if they are to be added.
  bool moves(const Instruction& i, Opcode op) const {
    if (i.opcode == Opcode::kPad) return op == Opcode::kAdd && is_zero(instruction(i.operands[1]));
    return i.operands.size() == 1 && has_trait(i.opcode, kMovesData) && called_computations(i).empty();
  }

  static bool is_zero(const Instruction& i) {
    if (i.opcode != Opcode::kConstant) return false;
    const Literal& value = attributes_of<ConstantAttributes>(i).value;
    return value.identical(Literal(value.shape()));
  }

  /// Reductions of all elements stay: the loop that computes the elements reduces them by the way. Narrow floats
  /// stay, because a reduction adds them in f32.
  bool sinks(const Instruction& i, Opcode op) const {
    if (i.opcode != Opcode::kReduce || i.operands.size() != 2 || i.shape.element_count() == 1) return false;
    const Computation& reducer = *attributes_of<ReduceAttributes>(i).to_apply;
    const Instruction &x = instruction(i.operands[0]), &start = instruction(i.operands[1]);
    const ElementType type = i.shape.element_type();
    if (opcode_of(reducer.reducer_kind()) != op || x.shape.element_type() != type) return false;
    if (start.opcode != Opcode::kConstant || (is_floating(type) && element_type_info(type).bits < 32)) return false;
    const Literal& value = attributes_of<ConstantAttributes>(start).value;
    const std::optional<Literal> neutral = neutral_value(reducer.reducer_kind(), type);
    return ((op == Opcode::kAdd && is_zero(start)) || (neutral && value.identical(*neutral))) &&
           is_elementwise(x.opcode) && summed_only_[x.id] && runs_beside_a_carry(x.shape);
  }

  /// Whether the body computes a carry of that size element by element. That loop then also updates the accumulator.
  bool runs_beside_a_carry(const Shape& shape) const {
    return std::ranges::any_of(body_.root().operands, [&](InstructionId next) {
      const Instruction& i = instruction(next);
      return is_elementwise(i.opcode) && i.shape.is_array() &&
             std::ranges::equal(i.shape.dimensions(), shape.dimensions());
    });
  }

  /// Whether the terms can have one accumulator: they differ in the reduced values only.
  bool share(const Sink::Term& a, const Sink::Term& b) const {
    const auto same = [&](InstructionId m, InstructionId n) {
      const Instruction &p = instruction(m), &q = instruction(n);
      return p.opcode == q.opcode && p.shape == q.shape && attributes_equal(p.opcode, p.attributes, q.attributes);
    };
    if (!std::ranges::equal(a.moves, b.moves, same)) return false;
    const Instruction &x = instruction(a.reduce), &y = instruction(b.reduce);
    return instruction(x.operands[0]).shape == instruction(y.operands[0]).shape &&
           attributes_of<ReduceAttributes>(x).dimensions == attributes_of<ReduceAttributes>(y).dimensions;
  }

  void add_term(std::vector<Sink>& found, size_t k, Opcode op, const Sink::Term& term) const {
    const auto same = std::ranges::find_if(found, [&](const Sink& s) { return share(s.terms[0], term); });
    if (same != found.end()) same->terms.push_back(term);
    else found.push_back({k, op, {term}});
  }

  void take(std::vector<Sink>& found) {
    for (Sink& sink : found) {
      const int64_t bytes = instruction(instruction(sink.terms[0].reduce).operands[0]).shape.byte_size();
      if (bytes > bytes_left_) continue;
      bytes_left_ -= bytes;
      sinks_.push_back(std::move(sink));
    }
  }

  const Computation& body_;
  int64_t bytes_left_;
  std::vector<int> uses_;          ///< by instruction
  std::vector<bool> summed_only_;  ///< by instruction: all users are elementwise, reductions or the carry
  std::vector<int> reads_;         ///< by element of the carry
  std::vector<Sink> sinks_;
};

const Instruction& operand_of(const Computation& body, const Sink& sink) {
  return body.instruction(body.instruction(sink.terms[0].reduce).operands[0]);
}

const Literal& start_of(const Computation& body, const Sink& sink) {
  return attributes_of<ConstantAttributes>(body.instruction(body.instruction(sink.terms[0].reduce).operands[1])).value;
}

/// Copies a sum of the body without the operands that have sunk. Returns false if none has.
bool copy_remaining_sum(RewriteBuilder& b, const Instruction& i, std::vector<bool>& sunk) {
  const auto left = [&](size_t n) { return !sunk[i.operands[n]]; };
  if (i.opcode == Opcode::kTuple || std::ranges::none_of(i.operands, [&](InstructionId o) { return sunk[o]; }))
    return false;
  if (i.operands.size() == 2 && left(0)) b.replace(i.id, b.mapped(i.operands[0]));
  else if (i.operands.size() == 2 && left(1))
    b.replace(i.id, i.opcode == Opcode::kSubtract ? b.add(Opcode::kNegate, {b.mapped(i.operands[1])})
                                                  : b.mapped(i.operands[1]));
  else sunk[i.id] = true;
  return true;
}

/// Adds instruction `x` to the accumulators that collect it.
void accumulate(RewriteBuilder& b, const Instruction& x, std::span<const Sink> sinks,
                std::vector<InstructionId>& sums) {
  for (size_t s = 0; s < sinks.size(); ++s) {
    for (const Sink::Term& term : sinks[s].terms) {
      const Instruction& reduce = b.source().instruction(term.reduce);
      if (reduce.operands[0] != x.id) continue;
      b.at(reduce);
      sums[s] = b.add(term.subtracted ? Opcode::kSubtract : sinks[s].op, {sums[s], b.mapped(x.id)});
    }
  }
}

/// Returns the body over the larger carry. It adds to the accumulators instead of reducing, and does so where the value
/// is computed: regions form from neighbours.
StatusOr<ComputationPtr> accumulating_body(const ComputationPtr& source, const Shape& carry,
                                           std::span<const Sink> sinks) {
  RewriteBuilder b(source, {.share = false});
  std::vector<bool> sunk(source->size()), collected(source->size());
  b.at(source->parameter(0));
  const InstructionId parameter = b.add(Opcode::kParameter, {}, std::make_shared<ParameterAttributes>(), carry);
  std::vector<InstructionId> sums;
  for (const Sink& sink : sinks) {
    sums.push_back(
        b.get_tuple_element(parameter, source->parameter(0).shape.tuple_size() + static_cast<int64_t>(sums.size())));
    for (const Sink::Term& term : sink.terms) {
      sunk[term.reduce] = true;
      for (InstructionId move : term.moves) sunk[move] = true;
      collected[source->instruction(term.reduce).operands[0]] = true;
    }
  }
  for (const Instruction& i : source->instructions()) {
    if (i.opcode == Opcode::kParameter || i.id == source->root_id() || sunk[i.id]) continue;
    b.at(i);
    if (const auto element = carry_element_read(*source, i)) b.replace(i.id, b.get_tuple_element(parameter, *element));
    else if (!copy_remaining_sum(b, i, sunk)) b.copy(i);
    if (collected[i.id]) accumulate(b, i, sinks, sums);
  }
  std::vector<InstructionId> elements = b.mapped(source->root().operands);
  elements.insert(elements.end(), sums.begin(), sums.end());
  b.at(source->root());
  return b.finish(b.tuple(elements));
}

/// Adds what the accumulators have collected to the elements of the loop's result.
void reduce_after(RewriteBuilder& b, const Computation& body, std::span<const Sink> sinks, InstructionId result,
                  std::vector<InstructionId>& elements) {
  const auto count = std::ssize(elements);
  for (size_t s = 0; s < sinks.size(); ++s) {
    const Sink& sink = sinks[s];
    const Instruction& reduce = body.instruction(sink.terms[0].reduce);
    const InstructionId sums = b.get_tuple_element(result, count + static_cast<int64_t>(s));
    InstructionId term = b.add(Opcode::kReduce, {sums, b.constant(start_of(body, sink))}, reduce.attributes);
    for (InstructionId id : std::views::reverse(sink.terms[0].moves)) {
      const Instruction& move = body.instruction(id);
      std::vector<InstructionId> operands{term};
      if (move.opcode == Opcode::kPad)
        operands.push_back(b.constant(Literal(body.instruction(move.operands[1]).shape)));
      term = b.add(move.opcode, operands, move.attributes, move.shape);
    }
    elements[sink.element] = b.add(sink.op, {elements[sink.element], term});
  }
}

StatusOr<bool> sink_from(RewriteBuilder& b, const Instruction& loop, int64_t byte_limit) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  const Computation& body = *attributes.body;
  if (!loop.shape.is_tuple() || body.root().opcode != Opcode::kTuple || !has_opcode(body, Opcode::kReduce))
    return false;
  if (!reads_carry_by_element(body) || !reads_carry_by_element(*attributes.condition)) return false;
  if (trip_count(loop, b.source()).value_or(0) < kMinTrips) return false;
  const std::vector<Sink> sinks = SinkFinder(attributes, byte_limit).find();
  if (sinks.empty()) return false;
  b.at(loop);
  const InstructionId init = b.mapped(loop.operands[0]);
  std::vector<Shape> shapes(loop.shape.tuple_elements().begin(), loop.shape.tuple_elements().end());
  std::vector<InstructionId> initial, elements;
  for (int64_t k = 0; k < loop.shape.tuple_size(); ++k) initial.push_back(b.get_tuple_element(init, k));
  for (const Sink& sink : sinks) {
    shapes.push_back(operand_of(body, sink).shape);
    initial.push_back(b.splat(shapes.back(), start_of(body, sink)));
  }
  const Shape carry = Shape::tuple(shapes);
  auto larger = std::make_shared<WhileAttributes>(attributes);
  HILO_ASSIGN_OR_RETURN(larger->condition, condition_over(attributes.condition, carry));
  HILO_ASSIGN_OR_RETURN(larger->body, accumulating_body(attributes.body, carry, sinks));
  const InstructionId result = b.add(Opcode::kWhile, {b.tuple(initial)}, std::move(larger));
  for (int64_t k = 0; k < loop.shape.tuple_size(); ++k) elements.push_back(b.get_tuple_element(result, k));
  reduce_after(b, body, sinks, result, elements);
  b.replace(loop.id, b.tuple(elements));
  return true;
}

}  // namespace

StatusOr<bool> sink_reductions(Module& module, int64_t byte_limit) {
  return rewrite_computations(module, [&](const ComputationPtr& c) {
    return rewrite_loops(c, [&](RewriteBuilder& b, const Instruction& loop) { return sink_from(b, loop, byte_limit); });
  });
}
StatusOr<bool> sink_reductions(Module& module) { return sink_reductions(module, kSinkBytes); }

}  // namespace hilo::hlo
