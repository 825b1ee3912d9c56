// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo {
namespace {

using hlo::attributes_of;
using hlo::Opcode;

constexpr std::string_view kNames[kWorkKinds] = {"arithmetic", "functions",      "products", "sorting",
                                                 "Fourier",    "factorizations", "places",   "scans"};

double count_of(const Shape& shape) { return static_cast<double>(shape.element_count()); }

/// The type of the real numbers that elements of `type` are computed in.
ElementType computed_type(ElementType type) {
  if (type == ElementType::kF64 || type == ElementType::kC128) return ElementType::kF64;
  if (!is_signed_integer(type) && !is_unsigned_integer(type)) return ElementType::kF32;
  return element_size_bytes(type) == 8 ? ElementType::kS64 : ElementType::kS32;
}

double flops_of(const MachineFigures& figures, ElementType type) {
  return element_size_bytes(computed_type(type)) == 8 ? figures.flops_f64 : figures.flops_f32;
}

/// Real operations of a complex one, at least.
double parts_of(ElementType type) { return is_complex(type) ? 2 : 1; }

Work elementwise_work(const hlo::Instruction& i, const hlo::Computation& owner, const MachineFigures& figures) {
  Work work;
  if (hlo::has_trait(i.opcode, hlo::kMovesData) || i.def().cost == hlo::CostClass::kFree) return work;
  const ElementType type = owner.instruction(i.operands[0]).shape.element_type();
  const double count = count_of(i.shape) * parts_of(type);
  const std::optional<double> rate = figures.function_rate(i.opcode, computed_type(type));
  if (rate) work[WorkKind::kFunctions] = count / *rate;
  else work[WorkKind::kArithmetic] = count / flops_of(figures, type);
  return work;
}

double product_rate(const MachineFigures& figures, ElementType left, ElementType right) {
  const auto widest =
      std::max(left, right, [](ElementType a, ElementType b) { return element_size_bytes(a) < element_size_bytes(b); });
  switch (widest) {
    case ElementType::kF64:
    case ElementType::kS64:
    case ElementType::kU64: return figures.product_f64;
    case ElementType::kC64: return figures.product_f32 / 4;
    case ElementType::kC128: return figures.product_f64 / 4;
    case ElementType::kBf16: return figures.product_bf16;
    case ElementType::kS8:
    case ElementType::kU8: return figures.product_s8;
    default: return figures.product_f32;
  }
}

double fourier_work(const hlo::Instruction& i, const hlo::Computation& owner, const MachineFigures& figures) {
  const auto& a = attributes_of<hlo::FftAttributes>(i);
  const Shape& operand = owner.instruction(i.operands[0]).shape;
  const double length = std::reduce(a.fft_length.begin(), a.fft_length.end(), 1.0, std::multiplies<>());
  const double points = std::max(count_of(operand), count_of(i.shape));
  const bool is_real = a.fft_type == hlo::FftType::kRfft || a.fft_type == hlo::FftType::kIrfft;
  const bool is_wide = computed_type(operand.element_type()) == ElementType::kF64;
  return points * std::log2(std::max(length, 2.0)) / (is_real ? 2 : 1) /
         (is_wide ? figures.fourier_c128 : figures.fourier_c64);
}

/// Additions and multiplications of LAPACK's routines on a matrix, in units of `pivots`, to the leading term. Routines
/// that iterate take at least their reduction to a condensed form.
/// Source    LAPACK Working Note 41, appendix C; G. Golub, C. Van Loan, "Matrix Computations", 7.4, 8.3 and 8.6
struct Routine {
  std::string_view name;  ///< without the letter of the type
  double pivots;
};
constexpr Routine kRoutines[] = {{"potrf", 0.5}, {"getrf", 1}, {"geqrf", 2}, {"orgqr", 2}, {"ungqr", 2},
                                 {"syevd", 2},   {"heevd", 2}, {"sytrd", 2}, {"hetrd", 2}, {"gesdd", 4},
                                 {"gehrd", 5},   {"geev", 5},  {"gees", 5}};

/// Returns the operations of Gaussian elimination of all matrices of the shape: n^2 (m - n / 3) for m >= n.
double pivots_of(const Shape& shape) {
  const auto m = static_cast<double>(shape.dimension(shape.rank() - 2));
  const auto n = static_cast<double>(shape.dimension(shape.rank() - 1));
  if (m * n == 0) return 0;
  const double shorter = std::min(m, n), longer = std::max(m, n);
  return count_of(shape) / (m * n) * shorter * shorter * (longer - shorter / 3);
}

double routine_flops(const hlo::Instruction& call, const hlo::Computation& owner) {
  const std::string target = hlo::custom_call_target(attributes_of<hlo::CustomCallAttributes>(call));
  if (call.operands.empty()) return 0;
  const Shape& matrix = owner.instruction(call.operands[0]).shape;
  if (!matrix.is_array() || matrix.rank() < 2) return 0;
  for (const Routine& routine : kRoutines) {
    if (target.starts_with("lapack_") && target.find(routine.name) != std::string::npos)
      return routine.pivots * pivots_of(matrix);
  }
  return 0;
}

double triangular_flops(const hlo::Instruction& solve, const hlo::Computation& owner) {
  const Shape& matrix = owner.instruction(solve.operands[0]).shape;
  return count_of(solve.shape) * static_cast<double>(matrix.dimension(matrix.rank() - 1));
}

double gathered_rows(const hlo::Instruction& gather) {
  double row = 1;
  for (const int64_t size : attributes_of<hlo::GatherAttributes>(gather).slice_sizes) row *= static_cast<double>(size);
  return row == 0 ? 0 : count_of(gather.shape) / row;
}

double scattered_rows(const hlo::Instruction& scatter, const hlo::Computation& owner) {
  const Shape& updates = owner.instruction(scatter.operands.back()).shape;
  double row = 1;
  for (const int64_t d : attributes_of<hlo::ScatterAttributes>(scatter).update_window_dims)
    row *= static_cast<double>(updates.dimension(d));
  return row == 0 ? 0 : count_of(updates) / row;
}

bool is_cumulative(const hlo::Instruction& i, const hlo::Computation& owner) {
  return i.opcode == Opcode::kReduceWindow && hlo::cumulative_of(attributes_of<hlo::ReduceWindowAttributes>(i).window,
                                                                 owner.instruction(i.operands[0]).shape.dimensions())
                                                  .has_value();
}

}  // namespace

std::string_view work_name(WorkKind kind) { return kNames[ordinal(kind)]; }

double Work::sum() const { return std::reduce(nanoseconds.begin(), nanoseconds.end()); }

WorkKind Work::largest() const {
  return static_cast<WorkKind>(std::ranges::max_element(nanoseconds) - nanoseconds.begin());
}

Work& Work::operator+=(const Work& other) {
  for (size_t k = 0; k < kWorkKinds; ++k) nanoseconds[k] += other.nanoseconds[k];
  exact = exact && other.exact;
  return *this;
}

Work Work::times(double count) const {
  Work work = *this;
  for (double& kind : work.nanoseconds) kind *= count;
  return work;
}

WorkAnalysis::WorkAnalysis(hlo::ComputationPtr entry, const MachineFigures& figures)
    : entry_(std::move(entry)), figures_(figures) {
  for (const hlo::ComputationPtr& computation : hlo::computations_of(entry_)) {  // callees come first
    Work total;
    for (const hlo::Instruction& i : computation->instructions()) total += of(i, *computation);
    of_computations_[computation.get()] = total;
  }
}

Work WorkAnalysis::of(const hlo::Instruction& i, const hlo::Computation& owner) const {
  if (i.opcode == Opcode::kConditional) {
    const auto branches = hlo::called_computations(i);
    const auto time = [&](const hlo::ComputationPtr& branch) { return of_computations_.at(branch.get()).sum(); };
    Work work = of_computations_.at(std::ranges::min_element(branches, {}, time)->get());
    work.exact = work.exact && branches.size() < 2;
    return work;
  }
  Work work = own(i, owner);
  if (i.opcode == Opcode::kSort || is_cumulative(i, owner)) return work;  // the figures have the bodies
  for (const auto& [computation, times] : hlo::repetitions(i, owner))
    work += of_computations_.at(computation).times(times);
  if (i.opcode == Opcode::kWhile) work.exact = work.exact && hlo::trip_count(i, owner).has_value();
  return work;
}

Work WorkAnalysis::own(const hlo::Instruction& i, const hlo::Computation& owner) const {
  if (hlo::is_elementwise(i.opcode)) return elementwise_work(i, owner, figures_);
  Work work;
  const auto type = [&](size_t k) { return owner.instruction(i.operands[k]).shape.element_type(); };
  switch (i.opcode) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      work[WorkKind::kProducts] = hlo::product_flops(i, owner) / product_rate(figures_, type(0), type(1));
      break;
    case Opcode::kFft: work[WorkKind::kFourier] = fourier_work(i, owner, figures_); break;
    case Opcode::kSort:
      work[WorkKind::kSorting] = hlo::repetitions(i, owner)[0].times /
                                 (element_size_bytes(type(0)) == 8 ? figures_.sorted_f64 : figures_.sorted_f32);
      break;
    case Opcode::kReduceWindow:
      if (is_cumulative(i, owner))
        work[WorkKind::kScans] = count_of(owner.instruction(i.operands[0]).shape) / figures_.scanned;
      break;
    case Opcode::kGather: work[WorkKind::kPlaces] = gathered_rows(i) / figures_.gathered; break;
    case Opcode::kScatter: work[WorkKind::kPlaces] = scattered_rows(i, owner) / figures_.scattered; break;
    case Opcode::kCholesky:
      work[WorkKind::kFactorizations] = pivots_of(i.shape) / 2 / flops_of(figures_, type(0));
      break;
    case Opcode::kTriangularSolve:
      work[WorkKind::kFactorizations] = triangular_flops(i, owner) / flops_of(figures_, type(0));
      break;
    case Opcode::kCustomCall:
      if (const double flops = routine_flops(i, owner); flops > 0)
        work[WorkKind::kFactorizations] = flops * parts_of(type(0)) / flops_of(figures_, type(0));
      break;
    default: break;
  }
  return work;
}

}  // namespace hilo
