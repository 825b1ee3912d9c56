// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/convolution/convolution_problem.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace hilo::cpu {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;
constexpr int64_t kMaxProblems = 1024;

int64_t stride_of(const Shape& shape, int64_t dimension) { return strides_of(shape)[dimension]; }

/// The positions of a dimension with one remainder, and the taps that read elements of the dilated input there.
struct Phase {
  ConvolutionDimension dimension;
  int64_t rhs_offset = 0, out_offset = 0;
};

Phase phase_of(const hlo::WindowDimension& w, const ConvolutionDimension& whole, int64_t remainder) {
  const int64_t dilation = w.base_dilation;
  const int64_t period = dilation / std::gcd(w.stride, dilation),
                tap_period = dilation / std::gcd(w.window_dilation, dilation);
  const auto place = [&](int64_t tap) { return remainder * w.stride + tap * w.window_dilation - w.padding_low; };
  int64_t first = 0;
  while (first < std::min(tap_period, w.size) && place(first) % dilation != 0) ++first;
  const bool none = first == std::min(tap_period, w.size);
  Phase phase{.dimension = whole};
  ConvolutionDimension& d = phase.dimension;
  d.count = (whole.count - remainder + period - 1) / period;
  d.taps = none ? 0 : (w.size - 1 - first) / tap_period + 1;
  d.origin = none ? 0 : place(first) / dilation;
  d.step = period * w.stride / dilation;
  d.tap_step = tap_period * w.window_dilation / dilation;
  d.out_stride = whole.out_stride * period;
  phase.out_offset = whole.out_stride * remainder;
  phase.rhs_offset = whole.rhs_stride * (w.reversal ? w.size - 1 - first : first);
  d.rhs_stride = whole.rhs_stride * (w.reversal ? -tap_period : tap_period);
  return phase;
}

int64_t phase_count(const hlo::WindowDimension& w, const ConvolutionDimension& whole) {
  return std::min(w.base_dilation / std::gcd(w.stride, w.base_dilation), whole.count);
}

std::vector<Phase> phases_of(const hlo::WindowDimension& w, const ConvolutionDimension& whole) {
  std::vector<Phase> phases;
  for (int64_t r = 0; r < phase_count(w, whole); ++r) phases.push_back(phase_of(w, whole, r));
  return phases;
}

bool is_near(const hlo::WindowDimension& w) {
  for (int64_t distance : {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation, w.window_dilation}) {
    if (distance > kFar || distance < -kFar) return false;
  }
  return w.size < kFar / w.window_dilation;
}

ConvolutionProblem roles_of(const hlo::ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& out) {
  const hlo::ConvolutionDimensions& d = a.dimensions;
  const bool by_batch = a.batch_group_count > 1;
  ConvolutionProblem p;
  p.groups.extent = std::max(a.feature_group_count, a.batch_group_count);
  p.batch = {out.dimension(d.output_batch), stride_of(lhs, d.input_batch), 0, stride_of(out, d.output_batch)};
  p.inputs = {rhs.dimension(d.kernel_input), stride_of(lhs, d.input_feature), stride_of(rhs, d.kernel_input), 0};
  p.outputs = {rhs.dimension(d.kernel_output) / p.groups.extent, 0, stride_of(rhs, d.kernel_output),
               stride_of(out, d.output_feature)};
  p.groups.lhs_stride = by_batch ? p.batch.extent * p.batch.lhs_stride : p.inputs.extent * p.inputs.lhs_stride;
  p.groups.rhs_stride = p.outputs.extent * p.outputs.rhs_stride;
  p.groups.out_stride = p.outputs.extent * p.outputs.out_stride;
  return p;
}

}  // namespace

ConvolutionLattice lattice_of(const ConvolutionDimension& x) {
  const int64_t pitch = x.taps == 1 ? x.step : x.count == 1 ? x.tap_step : std::gcd(x.step, x.tap_step);
  return {pitch, x.count == 1 ? 0 : x.step / pitch, x.taps == 1 ? 0 : x.tap_step / pitch};
}

std::optional<int64_t> convolution_phases(const hlo::WindowDimension& w, int64_t count) {
  if (!is_near(w)) return std::nullopt;
  return std::max<int64_t>(std::min(w.base_dilation / std::gcd(w.stride, w.base_dilation), count), 1);
}

std::optional<ConvolutionProblem> swapped(const ConvolutionProblem& p) {
  const auto turned = [](const ConvolutionRole& role) {
    return ConvolutionRole{role.extent, role.rhs_stride, role.lhs_stride, role.out_stride};
  };
  ConvolutionProblem q;
  q.groups = turned(p.groups);
  q.batch = turned(p.outputs);
  q.inputs = turned(p.inputs);
  q.outputs = turned(p.batch);
  q.out_offset = p.out_offset;
  for (size_t k = 0; k < p.dims.size(); ++k) {
    const ConvolutionDimension& d = p.dims[k];
    if ((d.taps > 1 && d.tap_step != 1) || d.rhs_stride < 0) return std::nullopt;
    // Tap u = i - origin - y * step reads element i. From the last position on, y only adds to it.
    const int64_t last = d.count - 1;
    q.dims[k] = {d.taps,       d.count,      d.size,       -d.origin - last * d.step, d.step, 1,
                 d.rhs_stride, d.lhs_stride, -d.out_stride};
    q.out_offset += last * d.out_stride;
  }
  return q;
}

std::optional<std::vector<ConvolutionProblem>> convolution_problems(const hlo::ConvolutionAttributes& a,
                                                                    const Shape& lhs, const Shape& rhs,
                                                                    const Shape& out) {
  const hlo::ConvolutionDimensions& d = a.dimensions;
  if (a.window.size() > 3 || !std::ranges::all_of(a.window, is_near)) return std::nullopt;
  std::vector<ConvolutionProblem> problems = {roles_of(a, lhs, rhs, out)};
  for (size_t k = 0; k < a.window.size(); ++k) {
    ConvolutionDimension whole;
    whole.size = lhs.dimension(d.input_spatial[k]);
    whole.count = out.dimension(d.output_spatial[k]);
    whole.lhs_stride = stride_of(lhs, d.input_spatial[k]);
    whole.rhs_stride = stride_of(rhs, d.kernel_spatial[k]);
    whole.out_stride = stride_of(out, d.output_spatial[k]);
    if (phase_count(a.window[k], whole) > kMaxProblems / std::max<int64_t>(1, std::ssize(problems)))
      return std::nullopt;
    std::vector<ConvolutionProblem> split;
    for (const Phase& phase : phases_of(a.window[k], whole)) {
      for (ConvolutionProblem p : problems) {
        p.dims[3 - a.window.size() + k] = phase.dimension;
        p.rhs_offset += phase.rhs_offset;
        p.out_offset += phase.out_offset;
        split.push_back(p);
      }
    }
    problems = std::move(split);
  }
  return problems;
}

}  // namespace hilo::cpu
