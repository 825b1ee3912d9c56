// SPDX-License-Identifier: Apache-2.0
// Every opcode on every element type: shape rule, verifier, text, reference evaluator, engine. Each test is a cell of
// docs/internal/status.md.
#include <algorithm>

#include "hilo/backend/cpu/emit/accuracy.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/fake_client.h"
#include "tests/support/replicas.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

using hlo::Computation;
using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

constexpr int64_t kSizes[] = {0, 1, 3, 17};

/// Whether any shape that the program specifies is valid.
bool has_any_shape(Opcode opcode) { return opcode == Opcode::kParameter || opcode == Opcode::kCustomCall; }

/// A shape that the result can't have: another rank or, if any scalar is valid, another type.
Shape wrong_shape(const Sample& sample) {
  const bool any_rank =
      (sample.opcode == Opcode::kBroadcast || sample.opcode == Opcode::kRng) && sample.operands[0].shape().rank() == 0;
  return sample.expected.shape().map_leaves([&](const Shape& leaf) {
    if (leaf.is_token()) return Shape::scalar(ElementType::kF32);
    if (any_rank)
      return leaf.with_element_type(leaf.element_type() == ElementType::kU2 ? ElementType::kU4 : ElementType::kU2);
    return leaf.rank() == 0 ? Shape::array(leaf.element_type(), {2}) : Shape::scalar(leaf.element_type());
  });
}

/// A copy of `computation` with its root changed, built without checks.
StatusOr<ComputationPtr> with_root(const Computation& computation,
                                   const std::function<void(hlo::ComputationDraft&, const Instruction&)>& append_root) {
  hlo::ComputationDraft draft("planted");
  for (const Instruction& i : computation.instructions()) {
    if (i.id == computation.root_id()) append_root(draft, i);
    else draft.append_copy(i, i.operands);
  }
  return std::move(draft).finish(computation.root_id());
}

class ShapeCell : public CellTest {};
class VerifyCell : public CellTest {};
class TextCell : public CellTest {};
class EvalCell : public CellTest {};
class EngineCell : public CellTest {};

// ---- shape ----------------------------------------------------------------------------------------------------------

std::vector<Shape> operand_shapes(const Computation& computation) {
  std::vector<Shape> shapes;
  for (InstructionId id : computation.root().operands) shapes.push_back(computation.instruction(id).shape);
  return shapes;
}

TEST_P(ShapeCell, FollowsFromOperandsAndWrongOnesAreRefused) {
  for (const Sample& sample : samples(5)) {
    const ComputationPtr computation = built(sample);
    ASSERT_NE(computation, nullptr);
    const Shape wanted = sample.expected.shape();
    const std::vector<Shape> operands = operand_shapes(*computation);
    const hlo::OpDef& def = hlo::op_def(sample.opcode);
    const auto rule = [&](std::span<const Shape> shapes, const std::optional<Shape>& declared) {
      return hlo::check_instruction(def, shapes, computation->root().attributes.get(), declared);
    };
    const StatusOr<Shape> inferred = rule(operands, sample.declared);
    ASSERT_TRUE(inferred.ok()) << inferred.status().to_string();
    EXPECT_EQ(*inferred, wanted);
    if (!has_any_shape(sample.opcode)) {
      const StatusOr<Shape> wrong = rule(operands, wrong_shape(sample));
      EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument) << wrong_shape(sample).to_string();
    }
    if (def.arity < 0) continue;
    std::vector<Shape> too_many = operands;
    too_many.push_back(Shape::scalar(ElementType::kF32));
    EXPECT_EQ(rule(too_many, sample.declared).status().code(), StatusCode::kInvalidArgument) << "one operand too many";
  }
}

// ---- verify ---------------------------------------------------------------------------------------------------------

TEST_P(VerifyCell, AcceptsTheSampleAndRefusesPlantedViolations) {
  for (const Sample& sample : samples(5)) {
    const ComputationPtr computation = built(sample);
    ASSERT_NE(computation, nullptr);
    const Status status = hlo::verify(module_of(computation));
    EXPECT_TRUE(status.ok()) << status.to_string();
    const auto refuses = [&](const std::function<void(hlo::ComputationDraft&, const Instruction&)>& root) {
      const StatusOr<ComputationPtr> planted = with_root(*computation, root);
      ASSERT_TRUE(planted.ok()) << planted.status().to_string();
      EXPECT_EQ(hlo::verify(module_of(*planted)).code(), StatusCode::kInvalidArgument);
    };
    if (!has_any_shape(sample.opcode)) {
      refuses([&](hlo::ComputationDraft& draft, const Instruction& i) {
        draft.append(i.opcode, wrong_shape(sample), i.operands, i.attributes);
      });
    }
    if (!hlo::op_def(sample.opcode).attributes.fields.empty() && sample.opcode != Opcode::kParameter) {
      refuses([](hlo::ComputationDraft& draft, const Instruction& i) { draft.append(i.opcode, i.shape, i.operands); });
    }
    if (sample.opcode == Opcode::kParameter) {
      hlo::ComputationDraft draft("planted");
      const InstructionId first = draft.append_copy(computation->root(), {});
      const InstructionId second[] = {first};
      auto number = std::make_shared<hlo::ParameterAttributes>();
      number->number = 1;
      const InstructionId root = draft.append(Opcode::kParameter, sample.expected.shape(), second, number);
      const StatusOr<ComputationPtr> planted = std::move(draft).finish(root);
      ASSERT_TRUE(planted.ok()) << planted.status().to_string();
      EXPECT_EQ(hlo::verify(module_of(*planted)).code(), StatusCode::kInvalidArgument) << "a parameter with an operand";
    }
  }
}

// ---- text -----------------------------------------------------------------------------------------------------------

TEST_P(TextCell, ReadsBackAsTheSameProgram) {
  for (const Sample& sample : samples(3, Values::kEdges)) {
    const ComputationPtr computation = built(sample);
    ASSERT_NE(computation, nullptr);
    const std::string text = hlo::print_module(module_of(computation));
    const StatusOr<hlo::Module> read = hlo::parse_module(text);
    ASSERT_TRUE(read.ok()) << read.status().to_string() << "\n" << text;
    EXPECT_EQ(read->entry->fingerprint(), computation->fingerprint()) << text;
    EXPECT_EQ(hlo::print_module(*read), text);
  }
}

// ---- eval -----------------------------------------------------------------------------------------------------------

/// The error of one replica's results, or "".
std::string judged(const Sample& sample, std::span<const Literal> got, const Literal& expected) {
  if (sample.check) return sample.check(got);
  const std::vector<Literal> wanted = leaves_of(expected);
  if (got.size() != wanted.size()) return "got " + std::to_string(got.size()) + " results";
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string text = difference(got[i], wanted[i], sample.ulps);
    if (!text.empty()) return "result " + std::to_string(i) + ", " + text;
  }
  return "";
}

std::string judged_among_peers(const Sample& sample, const ComputationPtr& computation) {
  OfReplicas arguments = {leaves_of(sample.operands)};
  for (const Sample::Peer& peer : sample.peers) arguments.push_back(leaves_of(peer.operands));
  const OfReplicas got = run_on_replicas(*tests::reference_client(), module_of(computation), arguments);
  if (got.size() != arguments.size()) return "no results";
  std::string text = judged(sample, got[0], sample.expected);
  for (size_t r = 1; text.empty() && r < got.size(); ++r) {
    text = judged(sample, got[r], sample.peers[r - 1].expected);
    if (!text.empty()) text = "replica " + std::to_string(r) + ": " + text;
  }
  return text;
}

TEST_P(EvalCell, GivesWhatScalarFunctionsAndPlainLoopsGive) {
  const auto check = [&](int64_t n) {
    for (const Sample& sample : samples(n, Values::kEdges)) {
      const ComputationPtr computation = built(sample);
      ASSERT_NE(computation, nullptr);
      const std::string text = sample.peers.empty()
                                   ? judged(sample, evaluated(*computation, sample.operands), sample.expected)
                                   : judged_among_peers(sample, computation);
      EXPECT_EQ(text, "") << hlo::print_computation(*computation);
      if (!text.empty()) return;
    }
  };
  for (int64_t n : kSizes) check(n);
  check(hlo::is_elementwise(GetParam().opcode) ? -1 : 5);
}

// ---- engine ---------------------------------------------------------------------------------------------------------

/// For formulas with several functions, which the engine rounds differently.
double special_function_ulps(Opcode opcode) {
  constexpr std::pair<Opcode, double> kUlps[] = {
      {hlo::kExtErfInv, 16},   {hlo::kExtXlaErfInv, 16}, {hlo::kExtErfc, 16},        {hlo::kExtLgamma, 64},
      {hlo::kExtDigamma, 32},  {hlo::kExtPolygamma, 64}, {hlo::kExtZeta, 32},        {hlo::kExtBesselI0e, 8},
      {hlo::kExtBesselI1e, 8}, {Opcode::kRng, 16},       {hlo::kExtLogisticSlope, 8}};
  for (const auto& [special, ulps] : kUlps) {
    if (special == opcode) return ulps;
  }
  return 0;
}

/// The allowed difference between engine and reference in ulp. The reference itself has a rounding error.
double engine_ulps(const Cell& cell) {
  if (const double ulps = special_function_ulps(cell.opcode); ulps > 0)
    return element_type_info(cell.type).bits < 32 ? 1 : ulps;
  if (cell.opcode == Opcode::kFft) return 8;                                                  // one rounding per level
  if (cell.opcode == Opcode::kCholesky || cell.opcode == Opcode::kTriangularSolve) return 1;  // a zero may be -0
  if (cell.opcode == hlo::kExtCumlogsumexp) return 40;  // up to 17 steps of exp and log1p
  // The engine has its own formulas for quotients, magnitudes and exponentials. It computes c64 in f64, with the same
  // bits as the reference.
  constexpr Opcode kOwnFormulas[] = {Opcode::kAbs, Opcode::kDivide, Opcode::kExp, Opcode::kSign};
  if (cell.type == ElementType::kC128 && std::ranges::find(kOwnFormulas, cell.opcode) != std::end(kOwnFormulas))
    return 4;
  for (const cpu::Accuracy& row : cpu::kAccuracy) {
    if (row.opcode != cell.opcode || !is_floating(cell.type)) continue;
    const double ulps = cell.type == ElementType::kF64 ? row.f64_ulp : row.f32_ulp;
    if (ulps <= 0.5) return 0;
    return element_type_info(cell.type).bits < 32 ? 1 : ulps + 2;
  }
  return 0;
}

/// The allowed difference of factors of small matrices, which the engine writes out
/// (hlo/passes/lower_small_linalg.cc), in epsilons of the largest element; 0 for other ops. They have as many roundings
/// as the library's, in another order and without fused multiply-add. Smaller elements are differences of larger ones.
double factor_epsilons(Opcode opcode) {
  if (opcode == hlo::kExtLu || opcode == hlo::kExtHouseholderProduct) return 1;
  return opcode == hlo::kExtGeqrf ? 2 : opcode == hlo::kExtQr ? 4 : 0;
}
constexpr int64_t kLargestWrittenOut = 8;

long double largest(const Literal& x) {
  long double most = 0;
  for (int64_t i = 0; i < x.shape().element_count(); ++i) most = std::max(most, std::abs(wide_at(x, i)));
  return most;
}

std::string difference_of_factors(const Literal& got, const Literal& wanted, double epsilons) {
  const double epsilon = epsilon_of(wanted.shape().element_type());
  if (epsilon == 0) return difference(got, wanted);  // pivots
  const long double allowed = epsilons * epsilon * largest(wanted);
  for (int64_t i = 0; i < wanted.shape().element_count(); ++i) {
    const long double off = std::abs(wide_at(got, i) - wide_at(wanted, i));
    if (!(off <= allowed)) return "got " + got.to_string(64) + "\nwanted " + wanted.to_string(64);
  }
  return "";
}

std::string engine_difference(const Cell& cell, const Literal& got, const Literal& wanted) {
  const std::span<const int64_t> sizes = wanted.shape().dimensions();
  const double epsilons = factor_epsilons(cell.opcode);
  if (epsilons > 0 && std::ranges::all_of(sizes, [](int64_t n) { return n <= kLargestWrittenOut; }))
    return difference_of_factors(got, wanted, epsilons);
  return difference(got, wanted, engine_ulps(cell));
}

/// All samples of all sizes in one program, because compilation dominates the time of engine tests. Lists are by
/// replica.
struct Together {
  hlo::Module module;
  OfReplicas arguments, wanted;
};

/// Adds the leaves of a sample's operands to the arguments of each replica.
void add_arguments(const Sample& sample, OfReplicas& arguments) {
  arguments.resize(1 + sample.peers.size());
  const auto add = [](const std::vector<Literal>& operands, std::vector<Literal>& to) {
    for (const Literal& leaf : leaves_of(operands)) to.push_back(leaf);
  };
  add(sample.operands, arguments[0]);
  for (size_t r = 0; r < sample.peers.size(); ++r) add(sample.peers[r].operands, arguments[r + 1]);
}

Together put_together(const Cell& cell) {
  Together all;
  hlo::Builder builder("main");
  std::vector<InstructionId> results;
  std::vector<Literal> operands;
  const auto add = [&](int64_t n) {
    for (const Sample& sample : samples_of(cell.opcode, cell.type, n, Values::kEdges)) {
      const StatusOr<InstructionId> id = append(builder, sample);
      ASSERT_TRUE(id.ok()) << id.status().to_string();
      results.push_back(*id);
      operands.insert(operands.end(), sample.operands.begin(), sample.operands.end());
      add_arguments(sample, all.arguments);
    }
  };
  for (int64_t n : kSizes) add(n);
  add(hlo::is_elementwise(cell.opcode) ? -1 : 5);
  const InstructionId root = builder.tuple(results);
  StatusOr<ComputationPtr> entry = std::move(builder).build(root);
  EXPECT_TRUE(entry.ok()) << entry.status().to_string();
  if (!entry.ok()) return all;
  all.module = module_of(*entry);
  all.wanted = all.arguments.size() == 1 ? OfReplicas{evaluated(**entry, operands)}
                                         : run_on_replicas(*tests::reference_client(), all.module, all.arguments);
  return all;
}

/// One-byte types that are widened for computation. Instruction sets differ only in width, so each cell runs on one of
/// them, in rotation.
bool runs_on_one_isa(const Cell& cell) {
  const int bits = element_type_info(cell.type).bits;
  return cell.type != ElementType::kPred && (bits < 8 || (bits == 8 && is_floating(cell.type)));
}

/// LAPACK functions that the evaluator calls too. Their bits depend on the vector width.
bool has_bits_of_the_width(const Cell& cell) { return cell.opcode == hlo::kExtLu; }

TEST_P(EngineCell, GivesWhatTheReferenceGivesAtEveryWidth) {
  const Together all = put_together(GetParam());
  ASSERT_NE(all.module.entry, nullptr);
  const std::vector<cpu::Isa> isas = cpu::supported_isas();
  const cpu::Isa turn = isas[static_cast<size_t>(GetParam().opcode) % isas.size()];
  const auto check = [](const Together& wanted, Client& client, std::string_view where) {
    const OfReplicas got = run_on_replicas(client, wanted.module, wanted.arguments);
    ASSERT_EQ(got.size(), wanted.wanted.size());
    for (size_t r = 0; r < got.size(); ++r) {
      ASSERT_EQ(got[r].size(), wanted.wanted[r].size());
      for (size_t k = 0; k < got[r].size(); ++k) {
        EXPECT_EQ(engine_difference(GetParam(), got[r][k], wanted.wanted[r][k]), "")
            << "replica " << r << ", result " << k << " on " << where;
      }
    }
  };
  cpu::on_every_isa([&](cpu::Isa isa) {
    if (runs_on_one_isa(GetParam()) && isa != turn) return;
    check(has_bits_of_the_width(GetParam()) ? put_together(GetParam()) : all, *tests::cpu_client(), cpu::isa_name(isa));
  });
  check(all, *tests::fake_client(), "a device whose memory no pointer reaches");
}

HILO_CELLS(ShapeCell, cells());
HILO_CELLS(VerifyCell, cells());
HILO_CELLS(TextCell, cells());
HILO_CELLS(EvalCell, run_cells());
HILO_CELLS(EngineCell, run_cells());

// ---- rejected and not run -------------------------------------------------------------------------------------------

class RefusedCell : public CellTest {};

TEST_P(RefusedCell, IsAnErrorThatNamesTheType) {
  for (const Sample& sample : samples(3)) {
    const Status status = computation_of(sample).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.to_string();
    EXPECT_NE(status.message().find(element_type_name(GetParam().type)), std::string::npos) << status.to_string();
  }
}

HILO_CELLS(RefusedCell, refused_cells());

/// Ops that no engine runs.
class UnrunCell : public CellTest {};

TEST_P(UnrunCell, IsRefusedByNameByTheReferenceAndTheEngine) {
  for (const Sample& sample : samples(3)) {
    const ComputationPtr computation = built(sample);
    ASSERT_NE(computation, nullptr);
    const Status evaluation = hlo::evaluate(*computation, std::span<const Literal>(sample.operands)).status();
    const Status compilation = tests::cpu_client()->compile(module_of(computation), {}, nullptr).status();
    for (const Status& status : {evaluation, compilation}) {
      EXPECT_TRUE(status.code() == StatusCode::kUnimplemented || status.code() == StatusCode::kInvalidArgument)
          << status.to_string();
      // A send-done follows a send.
      const std::string_view name = hlo::opcode_name(computation->root().opcode);
      EXPECT_NE(status.message().find(name.substr(0, name.find("-done"))), std::string::npos) << status.to_string();
    }
  }
}

HILO_CELLS(UnrunCell, unrun_cells());

class LaterOpcode : public testing::TestWithParam<Opcode> {};

TEST_P(LaterOpcode, ReadsPrintsAndIsRefusedByTheEngine) {
  const std::string name(hlo::opcode_name(GetParam()));
  const std::string text =
      "HloModule later\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %later = "
      "f32[4]{0} " +
      name + "(%x)\n}\n";
  const StatusOr<hlo::Module> read = hlo::parse_module(text);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  const std::string printed = hlo::print_module(*read);
  EXPECT_NE(printed.find(" " + name + "("), std::string::npos) << printed;
  const StatusOr<hlo::Module> again = hlo::parse_module(printed);
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(again->entry->fingerprint(), read->entry->fingerprint());
  const auto executable = tests::cpu_client()->compile(*read, {}, nullptr);
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented) << executable.status().to_string();
  EXPECT_NE(executable.status().message().find(name), std::string::npos) << executable.status().to_string();
}

INSTANTIATE_TEST_SUITE_P(Later, LaterOpcode, testing::ValuesIn(later_opcodes()),
                         [](const testing::TestParamInfo<Opcode>& info) {
                           return cell_name({info.param, ElementType::kF32});
                         });

TEST(Cells, AreThereForEveryOpcodeOfThisVersion) {
  std::vector<bool> sampled(hlo::kOpcodeCount);
  for (const Cell& cell : cells()) sampled[static_cast<size_t>(cell.opcode)] = true;
  for (Opcode later : later_opcodes()) sampled[static_cast<size_t>(later)] = true;
  for (int k = 0; k < hlo::kOpcodeCount; ++k)
    EXPECT_TRUE(sampled[static_cast<size_t>(k)]) << hlo::opcode_name(static_cast<Opcode>(k));
}

}  // namespace
}  // namespace hilo::tests
