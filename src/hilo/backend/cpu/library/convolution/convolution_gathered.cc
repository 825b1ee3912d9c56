// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_gathered.cc -- convolutions along more dimensions than the kernels
// support, or along dimensions that would need very many problems.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "hilo/backend/cpu/library/convolution/convolution.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::cpu {
namespace {

using hlo::ConvolutionAttributes;
using Strides = std::vector<int64_t>;

int64_t at(const Strides& strides, int64_t dimension) { return strides[dimension]; }

/// A tap of the gathered dimensions: its position in the kernel, and the position that it reads in the input; nullopt
/// on padding.
struct Tap {
  int64_t rhs = 0;
  std::optional<int64_t> lhs = 0;
};

/// Whether the tap reads an element or padding. Between elements of a dilated input there is nothing to multiply;
/// padding is multiplied.
bool is_on_lattice(const hlo::WindowDimension& w, int64_t position, int64_t tap) {
  if (w.reversal) tap = w.size - 1 - tap;
  const __int128 place =
      static_cast<__int128>(position) * w.stride + static_cast<__int128>(tap) * w.window_dilation - w.padding_low;
  return place % w.base_dilation == 0;
}

class GatheredConvolutionHero final : public Hero {
 public:
  GatheredConvolutionHero(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& result,
                          std::span<const size_t> spatial, Isa isa)
      : a_(a), lhs_(lhs), rhs_(rhs), result_(result), spatial_(spatial.begin(), spatial.end()) {
    for (size_t k = 0; k < a.window.size(); ++k) {
      if (std::ranges::find(spatial, k) == spatial.end()) gathered_.push_back(k);
    }
    for (const size_t k : gathered_) counts_.push_back(result.dimension(a.dimensions.output_spatial[k]));
    for (const int64_t taps : tap_counts()) {
      if (taps != 0) inner_[taps] = make_inner(taps, isa);
    }
  }

  /// Whether the kernels support the rest of the window.
  bool is_complete() const {
    return std::ranges::all_of(inner_, [](const auto& of_taps) { return of_taps.second != nullptr; });
  }

  Status run(void* const* buffers, const CallContext& context) const override {
    if (result_.element_count() == 0) return ok_status();
    const auto* const lhs = static_cast<const std::byte*>(buffers[0]);
    const auto* const rhs = static_cast<const std::byte*>(buffers[1]);
    auto* const result = static_cast<std::byte*>(buffers[2]);
    const int64_t most = inner_.empty() ? 0 : inner_.rbegin()->first;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer in, buffer_of(input_shape(most)));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer kernel, buffer_of(kernel_shape(most)));
    HILO_ASSIGN_OR_RETURN(AlignedBuffer out, buffer_of(output_shape()));
    void* const parts[] = {in.data(), kernel.data(), out.data()};
    std::vector<int64_t> position(counts_.size(), 0), packed;
    const StopFlag stop;
    do {
      const std::vector<Tap> taps = taps_at(position);
      std::vector<int64_t> needed;
      for (const Tap& tap : taps) needed.push_back(tap.rhs);
      if (taps.empty()) std::memset(out.data(), 0, out.size());
      else {
        if (needed != packed) gather_kernel(taps, rhs, kernel.data());
        gather_input(taps, lhs, in.data());
        HILO_RETURN_IF_ERROR(inner_.at(std::ssize(taps))->run(parts, context));
        packed = std::move(needed);
      }
      scatter_output(position, out.data(), result);
    } while (!stop.raised() && hlo::next_index(counts_, position));
    return ok_status();
  }

 private:
  static StatusOr<AlignedBuffer> buffer_of(const Shape& shape) {
    return allocate_buffer((shape.byte_size() + 7) / 8 * 8);
  }

  /// Returns the possible numbers of taps of a position. In each dimension a position reads every n-th tap, starting at
  /// one of the first n, or no tap.
  std::set<int64_t> tap_counts() const {
    std::set<int64_t> all = {1};
    for (const size_t k : gathered_) {
      const hlo::WindowDimension& w = a_.window[k];
      const int64_t n = w.base_dilation / std::gcd(w.window_dilation, w.base_dilation);
      std::set<int64_t> more;
      for (const int64_t before : all) {
        for (const int64_t count : {int64_t{0}, w.size / n, (w.size - 1) / n + 1}) more.insert(before * count);
      }
      all = std::move(more);
    }
    return all;
  }

  // ---- the convolution along the spatial dimensions: b01..f_01..io->b01..f

  Shape input_shape(int64_t taps) const {
    std::vector<int64_t> sizes = {lhs_.dimension(a_.dimensions.input_batch)};
    for (const size_t k : spatial_) sizes.push_back(lhs_.dimension(a_.dimensions.input_spatial[k]));
    sizes.push_back(lhs_.dimension(a_.dimensions.input_feature) * taps);
    return Shape::array(lhs_.element_type(), sizes);
  }
  Shape kernel_shape(int64_t taps) const {
    std::vector<int64_t> sizes;
    for (const size_t k : spatial_) sizes.push_back(rhs_.dimension(a_.dimensions.kernel_spatial[k]));
    sizes.push_back(rhs_.dimension(a_.dimensions.kernel_input) * taps);
    sizes.push_back(rhs_.dimension(a_.dimensions.kernel_output));
    return Shape::array(rhs_.element_type(), sizes);
  }
  Shape output_shape() const {
    std::vector<int64_t> sizes = {result_.dimension(a_.dimensions.output_batch)};
    for (const size_t k : spatial_) sizes.push_back(result_.dimension(a_.dimensions.output_spatial[k]));
    sizes.push_back(result_.dimension(a_.dimensions.output_feature));
    return Shape::array(result_.element_type(), sizes);
  }

  std::unique_ptr<Hero> make_inner(int64_t taps, Isa isa) const {
    ConvolutionAttributes inner = a_;
    inner.window.clear();
    const int64_t spatial = spatial_.size();
    hlo::ConvolutionDimensions& d = inner.dimensions;
    d = {0, spatial + 1, spatial, spatial + 1, 0, spatial + 1, {}, {}, {}};
    for (size_t k = 0; k < spatial_.size(); ++k) {
      inner.window.push_back(a_.window[spatial_[k]]);
      d.input_spatial.push_back(static_cast<int64_t>(k) + 1);
      d.kernel_spatial.push_back(k);
      d.output_spatial.push_back(static_cast<int64_t>(k) + 1);
    }
    return make_convolution(inner, input_shape(taps), kernel_shape(taps), output_shape(), isa);
  }

  // ---- positions in memory

  std::vector<Tap> taps_at(std::span<const int64_t> position) const {
    const Strides lhs = strides_of(lhs_), rhs = strides_of(rhs_);
    std::vector<Tap> taps = {Tap{}};
    for (size_t g = 0; g < gathered_.size(); ++g) {
      const size_t k = gathered_[g];
      const hlo::WindowDimension& w = a_.window[k];
      const int64_t in = a_.dimensions.input_spatial[k], kernel = a_.dimensions.kernel_spatial[k];
      std::vector<Tap> longer;
      for (const Tap& tap : taps) {
        for (int64_t t = 0; t < w.size; ++t) {
          if (!is_on_lattice(w, position[g], t)) continue;
          const std::optional<int64_t> source = hlo::window_source(w, lhs_.dimension(in), position[g], t);
          Tap next{tap.rhs + t * at(rhs, kernel), std::nullopt};
          if (source && tap.lhs) next.lhs = *tap.lhs + *source * at(lhs, in);
          longer.push_back(next);
        }
      }
      taps = std::move(longer);
    }
    return taps;
  }

  /// Gathers the features of a group: those of the first tap, then those of the next.
  void gather_input(std::span<const Tap> taps, const std::byte* from, std::byte* to) const {
    const int64_t count = std::ssize(taps), groups = a_.feature_group_count;
    const int64_t features = lhs_.dimension(a_.dimensions.input_feature) / groups;
    const int size = static_cast<int>(element_size_bytes(lhs_.element_type()));
    const Strides strides = strides_of(lhs_), dense = strides_of(input_shape(count));
    Strides extents = {lhs_.dimension(a_.dimensions.input_batch)},
            from_strides = {at(strides, a_.dimensions.input_batch)};
    for (const size_t k : spatial_) {
      extents.push_back(lhs_.dimension(a_.dimensions.input_spatial[k]));
      from_strides.push_back(at(strides, a_.dimensions.input_spatial[k]));
    }
    Strides to_strides(dense.begin(), dense.end() - 1);
    const int64_t feature = at(strides, a_.dimensions.input_feature);
    extents.insert(extents.end(), {groups, features});
    from_strides.insert(from_strides.end(), {features * feature, feature});
    to_strides.insert(to_strides.end(), {count * features, 1});
    const Strides nowhere(extents.size(), 0);
    constexpr std::array<std::byte, 16> kZero = {};
    for (int64_t t = 0; t < count; ++t) {
      const std::optional<int64_t>& lhs = taps[t].lhs;
      hlo::strided_copy(extents, size, to + t * features * size, to_strides, lhs ? from + *lhs * size : kZero.data(),
                        lhs ? from_strides : nowhere);
    }
  }

  void gather_kernel(std::span<const Tap> taps, const std::byte* from, std::byte* to) const {
    const int64_t inputs = rhs_.dimension(a_.dimensions.kernel_input),
                  outputs = rhs_.dimension(a_.dimensions.kernel_output);
    const int size = static_cast<int>(element_size_bytes(rhs_.element_type()));
    const Strides strides = strides_of(rhs_), to_strides = strides_of(kernel_shape(std::ssize(taps)));
    Strides extents, from_strides;
    for (const size_t k : spatial_) {
      extents.push_back(rhs_.dimension(a_.dimensions.kernel_spatial[k]));
      from_strides.push_back(at(strides, a_.dimensions.kernel_spatial[k]));
    }
    extents.insert(extents.end(), {inputs, outputs});
    from_strides.insert(from_strides.end(),
                        {at(strides, a_.dimensions.kernel_input), at(strides, a_.dimensions.kernel_output)});
    for (size_t t = 0; t < taps.size(); ++t)
      hlo::strided_copy(extents, size, to + static_cast<int64_t>(t) * inputs * outputs * size, to_strides,
                        from + taps[t].rhs * size, from_strides);
  }

  void scatter_output(std::span<const int64_t> position, const std::byte* from, std::byte* to) const {
    const int size = static_cast<int>(element_size_bytes(result_.element_type()));
    const Strides strides = strides_of(result_);
    const Shape inner = output_shape();
    Strides to_strides = {at(strides, a_.dimensions.output_batch)};
    for (const size_t k : spatial_) to_strides.push_back(at(strides, a_.dimensions.output_spatial[k]));
    to_strides.push_back(at(strides, a_.dimensions.output_feature));
    int64_t offset = 0;
    for (size_t g = 0; g < gathered_.size(); ++g)
      offset += position[g] * at(strides, a_.dimensions.output_spatial[gathered_[g]]);
    hlo::strided_copy(inner.dimensions(), size, to + offset * size, to_strides, from, strides_of(inner));
  }

  const ConvolutionAttributes a_;
  const Shape lhs_, rhs_, result_;
  std::vector<size_t> spatial_, gathered_;          ///< dimensions of the window
  std::vector<int64_t> counts_;                     ///< positions in the gathered dimensions
  std::map<int64_t, std::unique_ptr<Hero>> inner_;  ///< by the number of taps
};

}  // namespace

std::unique_ptr<Hero> make_gathered_convolution(const ConvolutionAttributes& attributes, const Shape& lhs,
                                                const Shape& rhs, const Shape& result, std::span<const size_t> spatial,
                                                Isa isa) {
  auto hero = std::make_unique<GatheredConvolutionHero>(attributes, lhs, rhs, result, spatial, isa);
  return hero->is_complete() ? std::move(hero) : nullptr;
}

}  // namespace hilo::cpu
