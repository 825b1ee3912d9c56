// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/straight_plan.h"

#include <algorithm>
#include <cmath>

#include "hilo/base/sizes.h"
#include "hilo/engine/register_loop.h"
#include "hilo/engine/result_moves.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::engine {
namespace {

constexpr double kGain = 2;                 // by which a straight line must be faster: its code takes longer to compile
constexpr double kCompilation = 20'000;     // nanoseconds of compiling an operation
constexpr double kFunction = 25;            // operations that a transcendental function consists of
constexpr double kMove = 2;                 // operations of the code that moves an element between lane and memory
constexpr double kMaxCompilation = 200e6;   // nanoseconds of compiling a line
constexpr double kCalls = 20'000;           // after which a line must have saved the time of its compilation
constexpr double kJump = 15;                // nanoseconds of a cache line that isn't near the one before
constexpr double kRegisterOperation = 0.3;  // nanoseconds of an operation of a loop in registers, without a batch

/// Estimates the time of a plan's steps on one thread, in nanoseconds. Loops with an unknown trip count count once.
class PlanClock {
 public:
  explicit PlanClock(const PlanState& state) : state_(state), computations_(hlo::computations_of(state.module)) {}

  /// `begin`: the time to begin a kernel.
  double of(const StepList& steps, double begin) const {
    double nanoseconds = 0;
    for (const Step& step : steps) nanoseconds += of(step, begin);
    return nanoseconds;
  }

 private:
  double of(const Step& step, double begin) const {
    const Costs& costs = state_.target.costs();
    const Plan& plan = state_.plan;
    switch (step.kind) {
      case StepKind::kKernel: return begin + plan.work[step.work].nanoseconds;
      case StepKind::kCopy: return costs.dispatch + costs.cached * static_cast<double>(step.bytes) / 4;
      case StepKind::kAlias: return 0;
      case StepKind::kLibrary: return of_call(plan.library_calls[step.index], plan.work[step.work]);
      case StepKind::kWhile: {
        const WhileLoop& loop = plan.loops[step.index];
        return trips(plan.work[step.work]) * (of(loop.condition, costs.inlined) + of(loop.body, costs.inlined));
      }
      case StepKind::kConditional: {
        double longest = 0;
        for (const StepList& list : plan.branches[step.index].lists) longest = std::max(longest, of(list, begin));
        return costs.dispatch + longest;
      }
      case StepKind::kWholeLoop: return 0;  // make_whole_loops() comes later
    }
    return 0;
  }

  double of_call(const LibraryCall& call, const PlannedWork& work) const {
    const Costs& costs = state_.target.costs();
    if (call.symbol != kRegisterLoop) return costs.dispatch + costs.product_call;
    const hlo::Instruction& loop = instruction_of(work);
    const auto& a = hlo::attributes_of<hlo::WhileAttributes>(loop);
    const auto form = register_loop_form(*a.condition, *a.body);
    const double operations = form ? static_cast<double>(std::max<int64_t>(form->work.operations, 1)) : 1;
    const double each = call.batch == 1 ? kRegisterOperation : costs.ops.cheap * static_cast<double>(call.batch);
    return costs.dispatch + trips(work) * operations * each;
  }

  const hlo::Instruction& instruction_of(const PlannedWork& work) const {
    const InstructionPlace& place = work.instructions[0];
    return computations_[place.computation]->instruction(place.id);
  }

  double trips(const PlannedWork& work) const {
    const hlo::Computation& computation = *computations_[work.instructions[0].computation];
    return static_cast<double>(hlo::trip_count(instruction_of(work), computation).value_or(1));
  }

  const PlanState& state_;
  std::vector<hlo::ComputationPtr> computations_;
};

/// Returns the time for the lines of leaves that are larger than a core's cache: the elements of one index are far
/// apart.
double jumps_of(std::span<const LaneLeaf> leaves, const Costs& costs) {
  constexpr double kLine = 64;
  double nanoseconds = 0;
  for (const LaneLeaf& leaf : leaves) {
    const int64_t bytes = leaf.whole.byte_size();
    if (leaf.batch_dimension.value_or(0) > 0 && bytes > costs.core_cache_bytes)
      nanoseconds += kJump * static_cast<double>(bytes) / kLine;
  }
  return nanoseconds;
}

double vectors_of(const StraightLine& line, const StraightLineOptions& options) {
  return std::ceil(static_cast<double>(line.batch) / static_cast<double>(lane_count(line, options.vector_bytes)));
}

/// Returns the time of an operation of a line: on one element, or on a vector of them, which is that in a region.
double nanoseconds_of(const hlo::Instruction& i, int64_t lanes, const Costs& costs) {
  const OpCosts& own = costs.straight;
  const hlo::CostClass cost = i.def().cost;
  const double one = own.cheap + (cost == hlo::CostClass::kTranscendental ? own.transcendental
                                  : cost == hlo::CostClass::kExpensive    ? own.expensive
                                                                          : 0);
  if (lanes == 1) return one;
  return std::max(one, op_cost(costs, cost, i.shape.element_type()) * static_cast<double>(lanes));
}

/// Returns the number of elements of a vector's lanes that aren't next to each other in memory.
int64_t single_moves(const StraightLine& line, const StraightLineOptions& options) {
  const auto strided = [](const ElementPlace& place) { return std::abs(place.lane_stride) > 1; };
  return (std::ranges::count_if(line.parameters, strided) + std::ranges::count_if(line.results, strided)) *
         lane_count(line, options.vector_bytes);
}

/// Returns the time of compiling the line.
double compilation_of(const StraightLine& line, const StraightLineOptions& options) {
  const auto is_function = [](const hlo::Instruction& i) { return i.def().cost == hlo::CostClass::kTranscendental; };
  const auto functions = std::ranges::count_if(line.computation->instructions(), is_function);
  return kCompilation * (static_cast<double>(line.computation->size()) + kFunction * static_cast<double>(functions) +
                         kMove * static_cast<double>(single_moves(line, options)));
}

/// Returns the line if it has at most as many operations as can be faster than that time.
std::optional<StraightLine> faster_line(const LaneProgram& program, StraightLineOptions options, const Costs& costs,
                                        double nanoseconds) {
  const double lanes = std::min(options.vector_bytes / 4.0, static_cast<double>(program.batch));
  const double vectors = std::ceil(static_cast<double>(program.batch) / lanes);
  const double most = std::min(nanoseconds / (costs.straight.cheap * vectors), nanoseconds * kCalls / kCompilation);
  options.max_operations = static_cast<uint32_t>(std::min<double>(most, options.max_operations));
  std::optional<StraightLine> line = straight_line(program, options);
  if (!line) return std::nullopt;
  const double own = straight_nanoseconds(*line, options, costs) + jumps_of(program.parameters, costs) +
                     jumps_of(program.results, costs);
  const double compilation = compilation_of(*line, options);
  const bool pays = (nanoseconds - own) * kCalls > compilation && compilation <= kMaxCompilation;
  return kGain * own < nanoseconds && pays ? line : std::nullopt;
}

std::vector<Shape> wholes(std::span<const LaneLeaf> leaves) {
  std::vector<Shape> shapes;
  for (const LaneLeaf& leaf : leaves) shapes.push_back(leaf.whole.with_default_layout());
  return shapes;
}

/// The instructions of the computation that compute something.
std::vector<const hlo::Instruction*> computing(const hlo::Computation& computation) {
  std::vector<const hlo::Instruction*> found;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (i.opcode != hlo::Opcode::kTuple && !i.operands.empty()) found.push_back(&i);
  }
  return found;
}

double nanoseconds_of(std::span<const StraightPart> parts, const StraightLineOptions& options, const Costs& costs) {
  double nanoseconds = 0;
  for (const StraightPart& part : parts) nanoseconds += straight_nanoseconds(part.line, options, costs);
  return nanoseconds;
}

/// Returns the computation's line with the batch in the lanes. If its results divide the batch, a second line does
/// that.
std::vector<StraightPart> lines_in_lanes(const hlo::ComputationPtr& computation, const StraightLineOptions& options,
                                         const Costs& costs, double nanoseconds) {
  std::optional<LaneProgram> program = lane_program(computation);
  std::optional<StraightPart> last;
  if (!program) {
    const std::optional<ResultMoves> parts = result_moves(*computation);
    if (parts) program = lane_program(parts->values);
    if (!program) return {};
    const LaneProgram moves = whole_program(parts->moves);
    std::optional<StraightLine> line = straight_line(moves, options);
    if (!line) return {};
    nanoseconds -= straight_nanoseconds(*line, options, costs);
    last = {std::move(*line), wholes(moves.parameters), wholes(moves.results), {}};
    for (hlo::InstructionId id : parts->moved) last->instructions.push_back(&computation->instruction(id));
  }
  std::optional<StraightLine> line = faster_line(*program, options, costs, nanoseconds);
  if (!line) return {};
  std::vector<StraightPart> lines = {
      {std::move(*line), wholes(program->parameters), wholes(program->results), computing(*computation)}};
  if (last) lines.push_back(std::move(*last));
  return lines;
}

/// Describes the part as a unit.
PlannedWork straight_work(const PlanState& state, const StraightPart& part) {
  PlannedWork work{.kind = "straight-line", .form = part.line.batch > 1 ? "lanes" : ""};
  const StraightLineOptions options = state.target.straight_line_options().value_or(StraightLineOptions());
  work.nanoseconds = straight_nanoseconds(part.line, options, state.target.costs());
  for (const hlo::Instruction* i : part.instructions) work.instructions.push_back(state.places(*i));
  for (const auto* leaves : {&part.operands, &part.results}) {
    for (const Shape& leaf : *leaves) work.bytes += static_cast<double>(leaf.byte_size());
  }
  return work;
}

}  // namespace

double straight_nanoseconds(const StraightLine& line, const StraightLineOptions& options, const Costs& costs) {
  const std::vector<bool> in_lanes = depends_on_batch(line);
  const int64_t count = lane_count(line, options.vector_bytes);
  double uniform = 0, lanes = 0;
  lanes += costs.straight.cheap * static_cast<double>(single_moves(line, options));
  for (const hlo::Instruction& i : line.computation->instructions()) {
    if (i.opcode == hlo::Opcode::kTuple || i.opcode == hlo::Opcode::kConstant) continue;
    if (in_lanes[i.id]) lanes += nanoseconds_of(i, count, costs);
    else uniform += nanoseconds_of(i, 1, costs);
  }
  return costs.dispatch + uniform + lanes * vectors_of(line, options);
}

std::vector<StraightPart> choose_straight_line(const PlanState& state, const hlo::ComputationPtr& computation,
                                               const StepList& steps) {
  const std::optional<StraightLineOptions> options = state.target.straight_line_options();
  if (!options || computation->has_effect()) return {};
  const bool is_entry = computation == state.module.entry;
  const auto is_plain = [](const Shape& leaf) { return leaf.is_array() && leaf.has_default_layout(); };
  if (!std::ranges::all_of((is_entry ? entry_result_shape(state.module) : computation->root().shape).leaves(),
                           is_plain))
    return {};
  if (steps.empty() || (steps.size() == 1 && steps[0].kind == StepKind::kKernel)) return {};
  const Costs& costs = state.target.costs();
  const double nanoseconds = PlanClock(state).of(steps, is_entry ? costs.dispatch : costs.inlined);
  std::vector<StraightPart> lanes = lines_in_lanes(computation, *options, costs, nanoseconds);
  const double least = lanes.empty() ? nanoseconds : nanoseconds_of(lanes, *options, costs);
  const LaneProgram program = whole_program(computation);
  std::optional<StraightLine> whole = faster_line(program, *options, costs, least);
  if (!whole) return lanes;
  return {{std::move(*whole), wholes(program.parameters), wholes(program.results), computing(*computation)}};
}

StatusOr<StraightSteps> straight_steps(PlanState& state, std::span<const StraightPart> parts,
                                       std::span<const SlotId> parameters, std::span<const SlotId> targets) {
  StraightSteps straight;
  std::vector<SlotId> operands(parameters.begin(), parameters.end());
  for (const StraightPart& part : parts) {
    HILO_ASSIGN_OR_RETURN(const CodeFunction code, state.target.straight_line(part.line));
    LibraryCall call{
        std::string(kStraightLine), nullptr, part.operands, part.results, {add_function(state.plan, code)}};
    call.batch = part.line.batch;
    call.has_guard = part.line.has_guard;
    std::vector<SlotId> results(targets.begin(), targets.end());
    if (&part != &parts.back()) {
      results.clear();
      for (const Shape& shape : part.results) results.push_back(new_arena_slot(state, shape.byte_size()));
    }
    std::vector<SlotId> slots = operands;
    slots.insert(slots.end(), results.begin(), results.end());
    if (part.line.has_guard) {
      straight.guard = new_arena_slot(state, 1);
      slots.push_back(straight.guard);
      call.results.push_back(Shape::scalar(ElementType::kPred));
    }
    straight.steps.push_back(library_step(state, std::move(call), slots, straight_work(state, part)));
    operands = std::move(results);
  }
  return straight;
}

}  // namespace hilo::engine
