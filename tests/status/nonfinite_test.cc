// SPDX-License-Identifier: Apache-2.0
// NaN and infinities at each position of each operand, for ops that libraries and hilo's own loops compute. Each test
// is a cell of docs/internal/status.md.
#include <algorithm>
#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/number.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

bool is_decomposition(Opcode opcode) { return opcode >= hlo::kExtLu && opcode <= hlo::kExtHessenberg; }

bool is_computed_by_a_kernel(Opcode opcode) {
  using enum Opcode;
  constexpr Opcode kOthers[] = {kCholesky,     kConvolution,      kDot,  kFft,  kReduce,
                                kReduceWindow, kSelectAndScatter, kSort, kTopK, kTriangularSolve};
  return is_decomposition(opcode) || std::ranges::find(kOthers, opcode) != std::end(kOthers);
}

/// Ops whose results depend on every element that is read, so NaN propagates unless it has no effect.
bool keeps_nan(Opcode opcode) {
  return is_decomposition(opcode) || opcode == Opcode::kCholesky || opcode == Opcode::kTriangularSolve ||
         opcode == Opcode::kDot || opcode == Opcode::kConvolution || opcode == Opcode::kFft;
}

bool has_infinities(ElementType type) {
  return is_complex(type) || (is_floating(type) && element_type_info(type).bits >= 16);
}

std::vector<Cell> nonfinite_cells() {
  std::vector<Cell> cells = run_cells();
  std::erase_if(cells, [](const Cell& c) { return !is_computed_by_a_kernel(c.opcode) || !has_infinities(c.type); });
  return cells;
}

bool is_finite(const Wide& x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }
bool is_nan(const Wide& x) { return std::isnan(x.real()) || std::isnan(x.imag()); }

/// Whether both are the same number or the same kind of nonfinite value. For complex numbers, the order of terms
/// determines which parts are nonfinite. In the sums of a transform it also determines whether the result is NaN or an
/// infinity.
bool agree(Opcode opcode, ElementType type, const Wide& got, const Wide& wanted) {
  if (is_finite(got) != is_finite(wanted)) return false;
  if (!is_finite(wanted)) {
    if (is_complex(type) || opcode == Opcode::kFft) return true;
    return is_nan(got) == is_nan(wanted) && (is_nan(got) || got.real() == wanted.real());
  }
  const int bits = element_type_info(type).bits;
  const long double tolerance = type == ElementType::kBf16                ? 5e-2L
                                : type == ElementType::kF16               ? 1e-2L
                                : bits / (is_complex(type) ? 2 : 1) == 32 ? 1e-4L
                                                                          : 1e-9L;
  return std::abs(got - wanted) <= tolerance * std::max(1.0L, std::abs(wanted));
}

std::string disagreement(Opcode opcode, const std::vector<Literal>& got, const std::vector<Literal>& wanted) {
  for (size_t k = 0; k < wanted.size(); ++k) {
    const ElementType type = wanted[k].shape().element_type();
    if (!is_floating(type) && !is_complex(type)) {
      if (!got[k].identical(wanted[k])) return "result " + std::to_string(k) + " is " + got[k].to_string(64);
      continue;
    }
    for (int64_t i = 0; i < wanted[k].shape().element_count(); ++i) {
      if (!agree(opcode, type, wide_at(got[k], i), wide_at(wanted[k], i)))
        return "element " + std::to_string(i) + " of result " + std::to_string(k) + ": got " + got[k].to_string(64) +
               "\nwanted " + wanted[k].to_string(64);
    }
  }
  return "";
}

bool shows_nan(const std::vector<Literal>& results) {
  return std::ranges::any_of(results, [](const Literal& r) {
    if (!is_floating(r.shape().element_type()) && !is_complex(r.shape().element_type())) return false;
    for (int64_t i = 0; i < r.shape().element_count(); ++i) {
      if (is_nan(wide_at(r, i))) return true;
    }
    return false;
  });
}

bool are_identical(const std::vector<Literal>& x, const std::vector<Literal>& y) {
  return std::ranges::equal(x, y, [](const Literal& a, const Literal& b) { return a.identical(b); });
}

/// Calls f(operands with one element replaced, its description). Covers all positions of small operands, else the first
/// and last ones and some between.
void with_each(const Sample& sample, const std::function<void(const std::vector<Literal>&, const std::string&)>& f) {
  constexpr int64_t kMaxPlaces = 16;
  constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
  for (size_t o = 0; o < sample.operands.size(); ++o) {
    const Shape& shape = sample.operands[o].shape();
    if (!has_infinities(shape.element_type())) continue;
    const int64_t count = shape.element_count(), places = std::min(count, kMaxPlaces);
    for (int64_t p = 0; p < places; ++p) {
      const int64_t place = places == 1 ? 0 : p * (count - 1) / (places - 1);
      for (const long double value : {std::numeric_limits<long double>::quiet_NaN(), kInfinity, -kInfinity}) {
        std::vector<Literal> operands = sample.operands;
        store_wide(operands[o], place, value);
        f(operands, std::to_string(static_cast<double>(value)) + " in place " + std::to_string(place) + " of operand " +
                        std::to_string(o));
      }
    }
  }
}

class NonfiniteCell : public CellTest {
 protected:
  /// Checks that the reference propagates NaN, and that the engine's executables agree with it.
  void compare(const Sample& sample) const {
    const hlo::ComputationPtr computation = built(sample);
    ASSERT_NE(computation, nullptr);
    const Opcode opcode = GetParam().opcode;
    const std::vector<Literal> finite = evaluated(*computation, sample.operands);
    std::vector<std::unique_ptr<Executable>> executables;
    cpu::on_every_isa([&](cpu::Isa) {
      auto executable = tests::cpu_client()->compile(module_of(computation), {}, nullptr);
      ASSERT_TRUE(executable.ok()) << executable.status().to_string();
      executables.push_back(std::move(*executable));
    });
    with_each(sample, [&](const std::vector<Literal>& operands, const std::string& what) {
      const std::vector<Literal> wanted = evaluated(*computation, operands);
      const bool is_lost = keeps_nan(opcode) && what.starts_with("nan") && !shows_nan(wanted);
      EXPECT_TRUE(!is_lost || are_identical(wanted, finite)) << what << " is lost";
      for (const std::unique_ptr<Executable>& executable : executables)
        EXPECT_EQ(disagreement(opcode, cpu::run(*executable, operands), wanted), "") << what;
    });
  }
};

TEST_P(NonfiniteCell, EngineAndReferenceAgreeAndNoNaNIsLost) {
  for (const int64_t n : {3, 17}) {
    for (const Sample& sample : samples(n)) compare(sample);
    if (HasFailure()) return;
  }
}

HILO_CELLS(NonfiniteCell, nonfinite_cells());

}  // namespace
}  // namespace hilo::tests
