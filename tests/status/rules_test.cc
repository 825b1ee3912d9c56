// SPDX-License-Identifier: Apache-2.0
// Every opcode on every element type with such rules: compares jvp with finite differences, vjp with jvp, vmap with a
// loop. The reference evaluator runs the rules. Each test is a cell of docs/internal/status.md.
#include <cmath>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/transpose.h"
#include "tests/support/clients.h"
#include "tests/support/replicas.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

using hlo::ComputationPtr;

constexpr int64_t kExtent = 3;
constexpr int64_t kExtents[] = {kExtent, 0};
using Mask = std::vector<bool>;

class JvpCell : public CellTest {};
class TransposeCell : public CellTest {};
class BatchCell : public CellTest {};

/// Masks of each marked operand alone, then of all marked operands.
std::vector<Mask> alone_and_together(const Mask& marked) {
  std::vector<Mask> masks;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) continue;
    Mask one(marked.size());
    one[i] = true;
    masks.push_back(one);
  }
  if (masks.size() > 1) masks.push_back(marked);
  return masks;
}

std::string describe(const Mask& mask) {
  std::string text = "operands";
  for (size_t i = 0; i < mask.size(); ++i) text += mask[i] ? " " + std::to_string(i) : "";
  return text;
}

Mask differentiable(const Sample& sample) {
  Mask mask;
  for (const Literal& x : sample.operands) mask.push_back(has_tangent(x.shape().element_type()));
  if (sample.opcode == hlo::kExtPolygamma || sample.opcode == hlo::kExtZeta) mask[0] = false;  // rejected, as in JAX
  return mask;
}

/// A direction of nonzero multiples of 1/8.
Literal direction(const Shape& shape, int64_t seed) {
  Literal v(shape);
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const int64_t k = (i * 5 + seed * 3) % 7 - 3;
    const long double real = static_cast<long double>(k == 0 ? 4 : k) / 8;
    store_wide(v, i, is_complex(shape.element_type()) ? Wide(real, real / 2 - 0.25L) : Wide(real));
  }
  return v;
}

/// Directions of one replica's operands.
std::vector<Literal> directions(std::span<const Literal> operands, size_t replica) {
  std::vector<Literal> all;
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(direction(operands[i].shape(), static_cast<int64_t>(i + 4 * replica)));
  return all;
}

/// The arguments of each replica of the sample's program. For a single replica, its operands.
OfReplicas held(const Sample& sample) {
  OfReplicas all = {sample.operands};
  for (const Sample::Peer& peer : sample.peers) all.push_back(peer.operands);
  return all;
}

/// The results on each replica, by the reference evaluator.
OfReplicas everywhere(const ComputationPtr& computation, const OfReplicas& arguments) {
  if (arguments.size() == 1) return {evaluated(*computation, arguments[0])};
  return run_on_replicas(*tests::reference_client(), module_of(computation), arguments);
}

/// operands + h * direction, where the mask is true.
std::vector<Literal> moved(std::span<const Literal> operands, std::span<const Literal> v, const Mask& mask,
                           long double h) {
  std::vector<Literal> out(operands.begin(), operands.end());
  for (size_t i = 0; i < out.size(); ++i) {
    for (int64_t k = 0; mask[i] && k < out[i].shape().element_count(); ++k)
      store_wide(out[i], k, wide_at(operands[i], k) + h * wide_at(v[i], k));
  }
  return out;
}

bool near(const Wide& got, const Wide& wanted, double tolerance) {
  return std::abs(got - wanted) <= tolerance * std::max(1.0L, std::abs(wanted));
}

/// Compares elementwise, relative to the expected value or 1.
void expect_near(const Literal& got, std::span<const Wide> wanted, double tolerance, const std::string& where) {
  ASSERT_EQ(got.shape().element_count(), static_cast<int64_t>(wanted.size())) << where;
  for (int64_t k = 0; k < got.shape().element_count(); ++k) {
    const Wide want = wanted[static_cast<size_t>(k)];
    ASSERT_TRUE(near(wide_at(got, k), want, tolerance)) << where << ", element " << k << " of " << got.to_string(20)
                                                        << ", wanted " << want.real() << " + " << want.imag() << "i";
  }
}

/// The program to differentiate: the instruction, or a program around it with unique results.
ComputationPtr differentiated(const Sample& sample) { return sample.smooth ? sample.smooth(sample) : built(sample); }

/// Derivatives by central differences of every result with a tangent, by replica. For nextafter JAX's derivative is
/// used, which is 0.
std::vector<std::vector<Wide>> finite_differences(const Sample& sample, const Mask& mask) {
  const ComputationPtr c = differentiated(sample);
  const auto values = [&](long double h) {
    OfReplicas at = held(sample);
    for (size_t r = 0; r < at.size(); ++r) at[r] = moved(at[r], directions(at[r], r), mask, h);
    return everywhere(c, at);
  };
  const OfReplicas all_above = values(sample.step), all_below = values(-sample.step);
  std::vector<std::vector<Wide>> slopes;
  for (size_t replica = 0; replica < all_above.size(); ++replica) {
    const std::vector<Literal>&above = all_above[replica], &below = all_below[replica];
    for (size_t r = 0; r < above.size(); ++r) {
      if (!has_tangent(above[r].shape().element_type())) continue;
      slopes.emplace_back();
      for (int64_t k = 0; k < above[r].shape().element_count(); ++k)
        slopes.back().push_back(sample.opcode == hlo::kExtNextafter ? Wide(0)
                                                                    : (wide_at(above[r], k) - wide_at(below[r], k)) /
                                                                          static_cast<long double>(2 * sample.step));
    }
  }
  return slopes;
}

/// The marked elements of `literals`.
std::vector<Literal> marked(const std::vector<Literal>& literals, const Mask& mask) {
  std::vector<Literal> some;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) some.push_back(literals[i]);
  }
  return some;
}

void append(std::vector<Literal>& to, const std::vector<Literal>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The tangents of the results that have one, by the jvp rule and by replica. Zeros if the rule returns zero.
std::vector<Literal> pushed(const Sample& sample, const Mask& mask) {
  const ComputationPtr c = differentiated(sample);
  const JvpComputation jvp = jvp_computation(c, mask, Mask(c->result_shape().leaves().size(), false));
  const OfReplicas at = held(sample);
  OfReplicas arguments = at;
  for (size_t r = 0; r < at.size(); ++r) append(arguments[r], marked(directions(at[r], r), mask));
  const OfReplicas all_both = everywhere(jvp.computation, arguments), all_plain = everywhere(c, at);
  std::vector<Literal> tangents;
  for (size_t replica = 0; replica < all_plain.size(); ++replica) {
    const std::vector<Literal>&both = all_both[replica], &plain = all_plain[replica];
    size_t next = plain.size();
    for (size_t r = 0; r < plain.size() && next <= both.size(); ++r) {
      EXPECT_EQ(difference(both[r], plain[r]), "") << "the value beside the tangent";
      const bool nonzero = jvp.nonzero_results[r];
      if (has_tangent(plain[r].shape().element_type()))
        tangents.push_back(nonzero ? both[next] : Literal(plain[r].shape()));
      else EXPECT_FALSE(nonzero) << "result " << r << " has no tangent";
      next += nonzero ? 1 : 0;
    }
  }
  return tangents;
}

/// The sample for finite differences: the same instruction in f64 or c128. If that doesn't exist (a dot with a wider
/// result type), the sample itself with a larger step.
struct Yardstick {
  Sample sample;
  double tolerance;
};
Yardstick yardstick_of(const Cell& cell, const Sample& sample, size_t index, int64_t n) {
  const ElementType wide = is_complex(cell.type) ? ElementType::kC128 : ElementType::kF64;
  const std::vector<Sample> wides = samples_of(cell.opcode, wide, n, Values::kSmooth);
  if (index < wides.size() && computation_of(wides[index]).ok()) return {wides[index], 1e-6};
  Yardstick own{sample, 5e-3};
  own.sample.step = 0.125;
  return own;
}

/// A derivative must be an error that names the op, not a gradient of zero.
void check_has_no_jvp(const Sample& sample) {
  try {
    const ComputationPtr c = built(sample);
    jvp_computation(c, differentiable(sample), Mask(c->result_shape().leaves().size(), false));
    ADD_FAILURE() << hlo::opcode_name(sample.opcode) << " has a derivative";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kUnimplemented) << error.what();
    const std::string_view name = hlo::opcode_name(sample.opcode);
    EXPECT_NE(std::string_view(error.what()).find(name.substr(name.find('.') + 1)), std::string_view::npos)
        << error.what();
  }
}

void check_jvp(const Cell& cell, int64_t n) {
  const std::vector<Sample> all = samples_of(cell.opcode, cell.type, n, Values::kSmooth);
  for (size_t s = 0; s < all.size(); ++s) {
    if (!all[s].has_jvp) {
      check_has_no_jvp(all[s]);
      continue;
    }
    const Yardstick yardstick = yardstick_of(cell, all[s], s, n);
    const double tolerance = std::max(yardstick.tolerance, all[s].slope_ulps * epsilon_of(cell.type));
    for (const Mask& mask : alone_and_together(differentiable(all[s]))) {
      const std::vector<Literal> got = pushed(all[s], mask);
      const std::vector<std::vector<Wide>> wanted = finite_differences(yardstick.sample, mask);
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t r = 0; r < got.size(); ++r)
        expect_near(got[r], wanted[r], tolerance, "sample " + std::to_string(s) + ", " + describe(mask));
    }
  }
}

TEST_P(JvpCell, IsTheFiniteDifference) {
  for (int64_t n : kExtents) check_jvp(GetParam(), n);
}

class UnderivableCell : public CellTest {};

TEST_P(UnderivableCell, IsAnErrorAsInJax) {
  for (const Sample& sample : samples(kExtent)) check_has_no_jvp(sample);
}

/// <w, J v> and <J^T w, v> without conjugation, as cotangents are defined; the real part.
long double inner(std::span<const Literal> a, std::span<const Literal> b, long double& size) {
  long double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (int64_t k = 0; k < a[i].shape().element_count(); ++k) {
      const long double term = (wide_at(a[i], k) * wide_at(b[i], k)).real();
      sum += term;
      size += std::fabs(term);
    }
  }
  return sum;
}

void check_transpose(const Sample& sample, const Mask& mask, double tolerance) {
  const ComputationPtr c = built(sample);
  const SplitComputation linear = linearize_computation(c, mask, Mask(c->result_shape().leaves().size(), false));
  const OfReplicas at = held(sample), known = everywhere(linear.known, at);
  OfReplicas residuals, v, arguments;
  for (size_t r = 0; r < at.size(); ++r) {
    residuals.emplace_back(known[r].end() - static_cast<int64_t>(linear.residual_count), known[r].end());
    v.push_back(marked(directions(at[r], r), mask));
    arguments.push_back(v[r]);
    append(arguments[r], residuals[r]);
  }
  const OfReplicas pushed_forward = everywhere(linear.unknown, arguments);
  ASSERT_EQ(pushed_forward.size(), at.size());
  const size_t results = pushed_forward[0].size();
  if (results == 0) {  // ops that only select: small steps don't change the result
    for (const std::vector<Wide>& slopes : finite_differences(sample, mask))
      for (const Wide& slope : slopes) ASSERT_EQ(slope, Wide(0)) << "no result depends on " << describe(mask);
    return;
  }

  Mask is_linear(arguments[0].size(), false);
  std::fill_n(is_linear.begin(), v[0].size(), true);
  const ComputationPtr transposed = transpose_computation(linear.unknown, is_linear, Mask(results, true));
  OfReplicas cotangents, known_and_cotangents = residuals;
  for (size_t r = 0; r < at.size(); ++r) {
    cotangents.push_back(directions(pushed_forward[r], r + 2));
    append(known_and_cotangents[r], cotangents[r]);
  }
  const OfReplicas pulled_back = everywhere(transposed, known_and_cotangents);
  ASSERT_EQ(pulled_back.size(), at.size());
  long double size = 0, forward = 0, reverse = 0;  // over all replicas
  for (size_t r = 0; r < at.size(); ++r) {
    ASSERT_EQ(pulled_back[r].size(), v[r].size());
    for (size_t i = 0; i < v[r].size(); ++i) ASSERT_EQ(pulled_back[r][i].shape(), v[r][i].shape()) << describe(mask);
    forward += inner(cotangents[r], pushed_forward[r], size);
    reverse += inner(pulled_back[r], v[r], size);
  }
  EXPECT_NEAR(static_cast<double>(forward), static_cast<double>(reverse), tolerance * static_cast<double>(size))
      << describe(mask);
}

TEST_P(TransposeCell, IsTheTransposeOfJvp) {
  for (int64_t n : kExtents) {
    for (const Sample& sample : samples(n)) {
      for (const Mask& mask : alone_and_together(differentiable(sample)))
        check_transpose(sample, mask, 4 * epsilon_of(GetParam().type));
    }
  }
}

// ---- batch ----------------------------------------------------------------------------------------------------------

/// Example `b` of an operand: its elements rotated or, if there is a single one, another value. Example 0 is the
/// operand.
Literal example(const Literal& operand, int64_t b) {
  const int64_t count = operand.shape().element_count();
  const ElementType type = operand.shape().element_type();
  Literal out(operand.shape());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = (i + b) % count;
    if (is_integer(type) || type == ElementType::kPred) {
      const Whole value = whole_at(operand, from);
      store_whole(out, i, count > 1 ? value : type == ElementType::kPred ? (value + b) % 2 : value + b);
    } else {
      store_wide(out, i, wide_at(operand, from) + Wide(count > 1 ? 0 : static_cast<long double>(b) / 4));
    }
  }
  return out;
}

/// `count` examples, stacked along `axis`.
Literal stacked(const Literal& operand, int64_t axis, int64_t count) {
  std::vector<int64_t> dimensions(operand.shape().dimensions().begin(), operand.shape().dimensions().end());
  dimensions.insert(dimensions.begin() + axis, count);
  Literal out(Shape::array(operand.shape().element_type(), dimensions));
  std::vector<Literal> examples;
  for (int64_t b = 0; b < count; ++b) examples.push_back(example(operand, b));
  const auto size = static_cast<size_t>(element_size_bytes(operand.shape().element_type()));
  for_each_index(dimensions, [&](std::span<const int64_t> index, int64_t flat) {
    std::vector<int64_t> place(index.begin(), index.end());
    place.erase(place.begin() + axis);
    const Literal& from = examples[static_cast<size_t>(index[static_cast<size_t>(axis)])];
    const auto at = flat_index(operand.shape().dimensions(), place);
    std::copy_n(from.bytes().begin() + at * static_cast<int64_t>(size), size,
                out.mutable_bytes().begin() + flat * static_cast<int64_t>(size));
  });
  return out;
}

void check_batch(const Sample& sample, const Mask& mask, bool last_axis, int64_t count) {
  const ComputationPtr c = built(sample);
  const OfReplicas at = held(sample);
  OfReplicas arguments(at.size());
  std::vector<BatchDim> dims;
  std::vector<Aval> avals;
  for (size_t i = 0; i < mask.size(); ++i) {
    const int64_t axis = last_axis ? sample.operands[i].shape().rank() : 0;
    for (size_t r = 0; r < at.size(); ++r) arguments[r].push_back(mask[i] ? stacked(at[r][i], axis, count) : at[r][i]);
    dims.push_back(mask[i] ? BatchDim(axis) : std::nullopt);
    avals.push_back({arguments[0].back().shape(), false});
  }
  const StagedFunction mapped = stage(
      [&](std::span<const Array> x) {
        return vmap_flat([&](std::span<const Array> y) { return run_computation(*c, y); }, x, dims,
                         [](size_t results) { return std::vector<BatchDim>(results, 0); });
      },
      avals, "vmap", "mapped");
  const OfReplicas together = everywhere(mapped.computation, arguments);
  ASSERT_EQ(together.size(), at.size());
  for (const Literal& result : together[0]) ASSERT_EQ(result.shape().dimension(0), count) << describe(mask);
  for (int64_t b = 0; b < count; ++b) {
    OfReplicas one = at;
    for (std::vector<Literal>& operands : one) {
      for (size_t i = 0; i < mask.size(); ++i) operands[i] = mask[i] ? example(operands[i], b) : operands[i];
    }
    const OfReplicas wanted = everywhere(c, one);
    for (size_t replica = 0; replica < wanted.size(); ++replica) {
      ASSERT_EQ(together[replica].size(), wanted[replica].size());
      for (size_t r = 0; r < wanted[replica].size(); ++r) {
        const Literal& right = wanted[replica][r];
        const auto bytes = static_cast<size_t>(right.shape().byte_size());
        ASSERT_EQ(together[replica][r].bytes().size(), bytes * static_cast<size_t>(count)) << describe(mask);
        const Literal got = Literal::from_bytes(
            right.shape(), together[replica][r].bytes().subspan(static_cast<size_t>(b) * bytes, bytes));
        EXPECT_EQ(difference(got, right), "") << describe(mask) << ", example " << b << ", result " << r;
      }
    }
  }
}

/// JAX's rule of rng-bit-generator, which is not a loop: the first state generates the bits of all examples, and only
/// it advances.
void check_first_state_draws(const Sample& sample, int64_t count) {
  const Literal states = stacked(sample.operands[0], 0, count);
  const StagedFunction mapped = stage(
      [&, c = built(sample)](std::span<const Array> x) {
        return vmap_flat([&](std::span<const Array> y) { return run_computation(*c, y); }, x, std::vector<BatchDim>{0},
                         [](size_t results) { return std::vector<BatchDim>(results, 0); });
      },
      std::vector<Aval>{{states.shape(), false}}, "vmap", "mapped");
  const std::vector<Literal> together = evaluated(*mapped.computation, std::vector<Literal>{states});
  Sample all = sample;
  std::vector<int64_t> sizes(sample.declared->tuple_element(1).dimensions().begin(),
                             sample.declared->tuple_element(1).dimensions().end());
  sizes.insert(sizes.begin(), count);
  all.declared = Shape::tuple({sample.operands[0].shape(), sample.declared->tuple_element(1).with_dimensions(sizes)});
  const std::vector<Literal> wanted = evaluated(*built(all), all.operands);
  EXPECT_EQ(difference(together[1], wanted[1]), "");
  for (int64_t b = 0; b < count; ++b) {
    const auto bytes = static_cast<size_t>(sample.operands[0].shape().byte_size());
    const Literal got = Literal::from_bytes(sample.operands[0].shape(),
                                            together[0].bytes().subspan(static_cast<size_t>(b) * bytes, bytes));
    EXPECT_EQ(difference(got, b == 0 ? wanted[0] : example(sample.operands[0], b)), "") << "state " << b;
  }
}

/// All operands, except the size of set-dimension-size, which is the same for all examples, like shapes.
Mask operands_with_examples(const Sample& sample) {
  Mask mask(sample.operands.size(), true);
  if (sample.opcode == hlo::Opcode::kSetDimensionSize) mask[1] = false;
  return mask;
}

TEST_P(BatchCell, IsALoop) {
  if (GetParam().opcode == hlo::Opcode::kRngBitGenerator) {
    for (const Sample& sample : samples(kExtent)) check_first_state_draws(sample, 3);
    return;
  }
  for (const Sample& sample : samples(kExtent)) {
    for (const Mask& mask : alone_and_together(operands_with_examples(sample))) {
      check_batch(sample, mask, false, 3);
      check_batch(sample, mask, true, 3);
      check_batch(sample, mask, false, 0);
    }
  }
}

// ---- the tests detect errors ----------------------------------------------------------------------------------------

Sample smooth(hlo::Opcode opcode) { return samples_of(opcode, ElementType::kF64, kExtent, Values::kSmooth)[0]; }

TEST(RuleNets, CatchTheDerivativeOfAnotherOp) {
  const Sample sine = smooth(hlo::Opcode::kSin), cosine = smooth(hlo::Opcode::kCos);
  const std::vector<Wide> slope = finite_differences(cosine, {true})[0];
  const Literal tangent = pushed(sine, {true})[0];
  EXPECT_FALSE(near(wide_at(tangent, 0), slope[0], 1e-6));
  EXPECT_TRUE(near(wide_at(tangent, 0), finite_differences(sine, {true})[0][0], 1e-6));
}

TEST(RuleNets, CatchATransposeThatMovesElements) {
  const Literal v = direction(Shape::array(ElementType::kF64, {kExtent}), 1), w = example(v, 1);
  ASSERT_NE(difference(v, w), "");
  const Literal ct = direction(v.shape(), 4);
  long double size = 0;
  EXPECT_NE(inner(std::vector{ct}, std::vector{v}, size), inner(std::vector{ct}, std::vector{w}, size));
}

TEST(LayerNets, SeeOneBitAndOneUnit) {
  const Literal one = Literal::array<float>({2}, {1, 1}),
                next = Literal::array<float>({2}, {1, std::nextafter(1.0f, 2.0f)});
  EXPECT_NE(difference(next, one), "");
  EXPECT_EQ(difference(next, one, 1), "");
  EXPECT_NE(difference(Literal::array<float>({2}, {1, std::nextafter(next.data<float>()[1], 2.0f)}), one, 1), "");
  EXPECT_NE(difference(Literal::array<float>({1}, {-0.0f}), Literal::array<float>({1}, {0.0f})), "");
}

HILO_CELLS(JvpCell, jvp_cells());
HILO_CELLS(UnderivableCell, underivable_cells());
HILO_CELLS(TransposeCell, transpose_cells());
HILO_CELLS(BatchCell, batch_cells());

}  // namespace
}  // namespace hilo::tests
