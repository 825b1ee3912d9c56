// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_integer.cc -- convolutions of integers of 8 and 16 bits as products of
// integers. The elements that each window reads are gathered as a row.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "hilo/backend/cpu/library/convolution/convolution.h"
#include "hilo/backend/cpu/library/convolution/convolution_problem.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/products/integer_product.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

using hlo::ConvolutionAttributes;
using Strides = std::vector<int64_t>;

constexpr int64_t kIntegerBlockBytes = 256 << 10;  // bytes gathered at once: they stay in the L2 cache
constexpr int64_t kMinTerms = 16;                  // minimum number of products per sum that fills words of four bytes
constexpr int64_t kMinOutputs = 8;                 // lines of the kernel, about half a vector

std::optional<Packed> packed_type(ElementType type) {
  if (type == ElementType::kS8) return Packed::kS8;
  if (type == ElementType::kU8) return Packed::kU8;
  if (type == ElementType::kS16) return Packed::kS16;
  return std::nullopt;
}

int64_t integer_stride(const Shape& shape, int64_t dimension) { return strides_of(shape)[dimension]; }

/// Writes the sums of a block. `offsets`: of each row's first element; `stride`: between elements of a row.
template <typename To>
void store_sums(const IntegerBlock<int32_t>& block, std::span<const int64_t> offsets, int64_t stride, To* out) {
  for (int64_t i = 0; i < block.rows; ++i) {
    const int32_t* const from = block.sums + i * block.stride;
    To* const to = out + offsets[block.row + i] + block.column * stride;
    for (int64_t j = 0; j < block.columns; ++j) to[j * stride] = static_cast<To>(from[j]);
  }
}

class IntegerConvolutionHero final : public Hero {
 public:
  IntegerConvolutionHero(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs, const Shape& result,
                         Isa isa)
      : a_(a), lhs_(lhs), rhs_(rhs), result_(result), kernels_(integer_kernels(isa)) {
    for (size_t k = 0; k < a.window.size(); ++k) {
      taps_.push_back(a.window[k].size);
      counts_.push_back(result.dimension(a.dimensions.output_spatial[k]));
    }
    inputs_ = rhs.dimension(a.dimensions.kernel_input);
    terms_ = hlo::count_of(taps_) * inputs_;
    choose_blocks();
  }

  Status run(void* const* buffers, const CallContext&) const override {
    if (result_.element_count() == 0) return ok_status();
    const int64_t outputs = rhs_.dimension(a_.dimensions.kernel_output);
    HILO_ASSIGN_OR_RETURN(AlignedBuffer kernel, allocate_buffer(bytes_of(rhs_, outputs * terms_)));
    pack_kernel(static_cast<const std::byte*>(buffers[1]), kernel.data());
    const int64_t tasks = result_.dimension(a_.dimensions.output_batch) * blocks_;
    const double work = static_cast<double>(result_.element_count()) * static_cast<double>(terms_);
    std::atomic<bool> failed = false;
    const bool worth = worth_forking(work_ns(kCpuCosts.library.integer_convolution_term, work));
    each_in_parts(tasks, worth ? std::min<int64_t>(tasks, 64) : 1, [&](int64_t task) {
      if (!run_block(task / blocks_, task % blocks_ * block_, buffers, kernel.data()).ok()) failed = true;
    });
    return failed ? resource_exhausted("convolution: out of memory for a block of the input") : ok_status();
  }

 private:
  /// Selects the largest blocks, because the kernel is packed for each, but enough of them for all threads.
  void choose_blocks() {
    const int64_t row = std::max<int64_t>(hlo::count_of(std::span(counts_).subspan(1)) * terms_, 1);
    const int64_t batch = result_.dimension(a_.dimensions.output_batch);
    block_ = std::clamp<int64_t>(kIntegerBlockBytes / row, 1, std::max<int64_t>(counts_[0], 1));
    const auto blocks = [&] { return (counts_[0] + block_ - 1) / block_; };
    while (block_ > 1 && batch * blocks() < 2 * default_pool().threads()) block_ = (block_ + 1) / 2;
    blocks_ = blocks();
  }

  static size_t bytes_of(const Shape& shape, int64_t elements) {
    return static_cast<size_t>((elements * element_size_bytes(shape.element_type()) + 7) / 8 * 8);
  }

  /// Packs one line per output: taps, and the input features of each.
  void pack_kernel(const std::byte* from, std::byte* to) const {
    const auto size = element_size_bytes(rhs_.element_type());
    Strides extents = taps_, from_strides, to_strides = row_major_strides(taps_);
    for (size_t k = 0; k < taps_.size(); ++k) {
      const int64_t stride = integer_stride(rhs_, a_.dimensions.kernel_spatial[k]);
      const bool turned = a_.window[k].reversal;
      if (turned) from += (taps_[k] - 1) * stride * size;
      from_strides.push_back(turned ? -stride : stride);
      to_strides[k] *= inputs_;
    }
    extents.insert(extents.end(), {inputs_, rhs_.dimension(a_.dimensions.kernel_output)});
    from_strides.insert(from_strides.end(), {integer_stride(rhs_, a_.dimensions.kernel_input),
                                             integer_stride(rhs_, a_.dimensions.kernel_output)});
    to_strides.insert(to_strides.end(), {1, terms_});
    hlo::strided_copy(extents, static_cast<int>(size), to, to_strides, from, from_strides);
  }

  /// Computes positions of one image, from `begin` on in the first dimension.
  Status run_block(int64_t batch, int64_t begin, void* const* buffers, const void* kernel) const {
    Strides counts = counts_;
    counts[0] = std::min(block_, counts_[0] - begin);
    const int64_t lines = hlo::count_of(counts);
    HILO_ASSIGN_OR_RETURN(AlignedBuffer rows, allocate_buffer(bytes_of(lhs_, lines * terms_)));
    std::memset(rows.data(), 0, rows.size());
    Strides tap(taps_.size(), 0);
    std::byte* to = rows.data();
    do {
      gather(static_cast<const std::byte*>(buffers[0]), batch, begin, counts, tap, to);
      to += inputs_ * element_size_bytes(lhs_.element_type());
    } while (hlo::next_index(taps_, tap));
    const IntegerMatrix left{*packed_type(lhs_.element_type()), rows.data(), lines, terms_, 1};
    const IntegerMatrix right{*packed_type(rhs_.element_type()), kernel, rhs_.dimension(a_.dimensions.kernel_output),
                              terms_, 1};
    const std::vector<int64_t> offsets = offsets_of(batch, begin, counts);
    const int64_t stride = integer_stride(result_, a_.dimensions.output_feature);
    return visit_array_type(
        result_.element_type(),
        [&]<typename To>() -> Status {
          if constexpr (std::is_integral_v<To>) {
            auto* const out = static_cast<To*>(buffers[2]);
            return multiply_integers<int32_t>(kernels_, left, right, terms_, [&](const IntegerBlock<int32_t>& block) {
              store_sums(block, offsets, stride, out);
            });
          } else {
            return internal_error("convolution: element type");
          }
        },
        [] { return internal_error("convolution: element type"); });
  }

  /// Copies the elements that one tap reads, for each position where it reads an element.
  void gather(const std::byte* from, int64_t batch, int64_t begin, const Strides& counts, const Strides& tap,
              std::byte* to) const {
    const auto size = element_size_bytes(lhs_.element_type());
    Strides extents, from_strides, to_strides = row_major_strides(counts);
    from += batch * integer_stride(lhs_, a_.dimensions.input_batch) * size;
    for (size_t k = 0; k < counts.size(); ++k) {
      const hlo::WindowDimension& w = a_.window[k];
      const int64_t stride = integer_stride(lhs_, a_.dimensions.input_spatial[k]),
                    extent = lhs_.dimension(a_.dimensions.input_spatial[k]);
      const int64_t first = (k == 0 ? begin : 0) * w.stride + tap[k] * w.window_dilation - w.padding_low;
      const int64_t low = first >= 0 ? 0 : (-first + w.stride - 1) / w.stride;
      const int64_t high = extent <= first ? 0 : std::min(counts[k], (extent - first + w.stride - 1) / w.stride);
      if (low >= high) return;
      to_strides[k] *= terms_;
      from += (first + low * w.stride) * stride * size;
      to += low * to_strides[k] * size;
      extents.push_back(high - low);
      from_strides.push_back(w.stride * stride);
    }
    extents.push_back(inputs_);
    from_strides.push_back(integer_stride(lhs_, a_.dimensions.input_feature));
    to_strides.push_back(1);
    hlo::strided_copy(extents, static_cast<int>(size), to, to_strides, from, from_strides);
  }

  /// Returns the offset of each position in the result.
  std::vector<int64_t> offsets_of(int64_t batch, int64_t begin, const Strides& counts) const {
    Strides strides, index(counts.size(), 0);
    for (size_t k = 0; k < counts.size(); ++k)
      strides.push_back(integer_stride(result_, a_.dimensions.output_spatial[k]));
    const int64_t first = batch * integer_stride(result_, a_.dimensions.output_batch) + begin * strides[0];
    std::vector<int64_t> offsets;
    do offsets.push_back(first + hlo::offset_of(index, strides));
    while (hlo::next_index(counts, index));
    return offsets;
  }

  const ConvolutionAttributes a_;
  const Shape lhs_, rhs_, result_;
  const IntegerKernels& kernels_;
  std::vector<int64_t> taps_, counts_;
  int64_t inputs_ = 0, terms_ = 0;
  int64_t block_ = 1, blocks_ = 1;  ///< positions of the first dimension per block
};

}  // namespace

std::unique_ptr<Hero> make_integer_convolution(const ConvolutionAttributes& a, const Shape& lhs, const Shape& rhs,
                                               const Shape& result, Isa isa) {
  const ElementType type = result.element_type();
  const bool one_width = element_type_info(lhs.element_type()).bits == element_type_info(rhs.element_type()).bits;
  const bool narrow = is_integer(type) && element_type_info(type).bits >= 8 && element_type_info(type).bits <= 32;
  if (!packed_type(lhs.element_type()) || !packed_type(rhs.element_type()) || !one_width || !narrow) return nullptr;
  if (a.window.empty() || a.feature_group_count > 1 || a.batch_group_count > 1) return nullptr;
  const auto is_plain = [](const hlo::WindowDimension& w) { return w.base_dilation == 1 && convolution_phases(w, 1); };
  if (!std::ranges::all_of(a.window, is_plain)) return nullptr;
  const int64_t outputs = rhs.dimension(a.dimensions.kernel_output);
  if (outputs < kMinOutputs || rhs.element_count() / outputs < kMinTerms) return nullptr;
  return std::make_unique<IntegerConvolutionHero>(a, lhs, rhs, result, isa);
}

}  // namespace hilo::cpu
