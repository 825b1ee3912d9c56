// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_narrow.cc -- convolutions with few output features: gradients of images,
// filters.

#include "hilo/backend/cpu/library/convolution/convolution_pack.h"
#include "hilo/backend/cpu/library/convolution/convolution_step.h"
#include "hilo/backend/cpu/library/rounding.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

constexpr size_t kNarrowRank = 4;  // the batch slides, too, under a window of one
using Index = std::array<int64_t, kNarrowRank>;

constexpr int64_t kNarrowBoxBytes = 512 << 10;  // of the input at once
constexpr int64_t kNarrowLongestRow = 1024;     // positions of a row per task
constexpr int64_t kMinPositions = 8;            // positions per row for which lanes pay off

/// The packed box has one plane per input feature, so that positions of a row are adjacent.
template <typename T>
class NarrowStep final : public ConvolutionStep {
 public:
  NarrowStep(const ConvolutionProblem& problem, const ConvolutionTypes& types, const TileKernels<T>& kernels)
      : p_(problem), types_(types), kernels_(kernels) {
    dims_[0].size = dims_[0].count = p_.batch.extent;
    dims_[0].lhs_stride = p_.batch.lhs_stride;
    dims_[0].out_stride = p_.batch.out_stride;
    std::copy(p_.dims.begin(), p_.dims.end(), dims_.begin() + 1);
    for (size_t d = 0; d < kNarrowRank; ++d) lattice_[d] = lattice_of(dims_[d]);
    choose_block();
    list_taps();
  }

  bool suits() const { return lattice_[3].step == 1 && dims_[3].count >= kMinPositions; }

  Status run(const ConvolutionBuffers& buffers) const override {
    const int64_t weights = depth() * p_.outputs.extent;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(p_.groups.extent * weights * sizeof(T)));
    T* packed = reinterpret_cast<T*>(memory.data());
    visit_float(types_.rhs, [&]<typename From>() {
      const From* rhs = static_cast<const From*>(buffers.rhs) + p_.rhs_offset;
      for (int64_t g = 0; g < p_.groups.extent; ++g) pack_weights(rhs + g * p_.groups.rhs_stride, packed + g * weights);
    });
    Status status = ok_status();
    visit_float(types_.out, [&]<typename Out>() {
      Out* out = static_cast<Out*>(buffers.out) + p_.out_offset;
      const int64_t tasks = p_.groups.extent * blocks_, count = box_count_ + levels() * tile_count_;
      status = for_tasks_with_scratch<T>(buffers.executor, tasks, count, [&](int64_t task, T* scratch) {
        const int64_t g = task / blocks_;
        run_block(g, task % blocks_, buffers.lhs, packed + g * weights, scratch, out);
      });
    });
    return status;
  }

 private:
  int64_t depth() const { return std::ssize(offsets_); }
  int64_t sums() const { return (depth() + kTermsInOrder - 1) / kTermsInOrder; }
  int64_t levels() const { return sum_levels(sums(), kSumsInOrder); }

  int64_t box_extent(size_t d, int64_t positions) const {
    return (positions - 1) * lattice_[d].step + (dims_[d].taps - 1) * lattice_[d].tap_step + 1;
  }

  int64_t parts(size_t d) const { return (dims_[d].count + block_[d] - 1) / block_[d]; }

  /// Selects rows of one image while their box stays in the cache. All blocks have about the same size.
  void choose_block() {
    block_ = {1, 1, 1, std::min(dims_[3].count, kNarrowLongestRow)};
    const auto bytes = [&] {
      return box_extent(1, 1) * box_extent(2, block_[2]) * box_extent(3, block_[3]) * p_.inputs.extent *
             static_cast<int64_t>(sizeof(T));
    };
    while (block_[2] < dims_[2].count) {
      ++block_[2];
      if (bytes() <= kNarrowBoxBytes) continue;
      --block_[2];
      break;
    }
    for (size_t d : {size_t{2}, size_t{3}}) block_[d] = (dims_[d].count + parts(d) - 1) / parts(d);
    blocks_ = 1;
    for (size_t d = 0; d < kNarrowRank; ++d) blocks_ *= parts(d);
    int64_t stride = 1;
    for (size_t d = kNarrowRank; d-- > 0;) {
      box_stride_[d] = stride;
      stride *= box_extent(d, block_[d]);
    }
    plane_ = stride;
    // The last vector of a row reads past its end, even of the last row.
    box_count_ = plane_ * p_.inputs.extent + kernels_.lanes;
    tile_count_ = p_.outputs.extent * round_up(block_[3], kernels_.lanes);
  }

  template <typename F>
  void for_terms(const F& f) const {
    Index u{};
    for (int64_t i = 0; i < p_.inputs.extent; ++i)
      for (u[1] = 0; u[1] < dims_[1].taps; ++u[1])
        for (u[2] = 0; u[2] < dims_[2].taps; ++u[2])
          for (u[3] = 0; u[3] < dims_[3].taps; ++u[3]) f(i, u);
  }

  void list_taps() {
    for_terms([&](int64_t i, const Index& u) {
      int64_t offset = i * plane_;
      for (size_t d = 1; d < kNarrowRank; ++d) offset += u[d] * lattice_[d].tap_step * box_stride_[d];
      offsets_.push_back(offset);
    });
  }

  template <typename From>
  void pack_weights(const From* rhs, T* to) const {
    for_terms([&](int64_t i, const Index& u) {
      const From* from = rhs + i * p_.inputs.rhs_stride;
      for (size_t d = 1; d < kNarrowRank; ++d) from += u[d] * dims_[d].rhs_stride;
      for (int64_t o = 0; o < p_.outputs.extent; ++o) *to++ = static_cast<T>(from[o * p_.outputs.rhs_stride]);
    });
  }

  /// Packs one row of the box in all planes.
  template <typename From>
  void pack_planes(const BoxDimension& d, const From* from, T* to) const {
    const int64_t begin = d.begin(), end = d.end(), step = d.stride * d.pitch;
    for (int64_t i = 0; i < p_.inputs.extent; ++i) {
      std::fill(to + i * plane_, to + i * plane_ + begin, T(0));
      std::fill(to + i * plane_ + end, to + i * plane_ + d.extent, T(0));
    }
    if (begin == end) return;
    from += d.first * d.stride + begin * step;
    const auto convert = [](From x) { return static_cast<T>(x); };
    if (p_.inputs.lhs_stride == 1) {
      return transpose_to(from, step, to + begin, plane_, end - begin, p_.inputs.extent, convert);
    }
    for (int64_t i = 0; i < p_.inputs.extent; ++i) {
      const From* source = from + i * p_.inputs.lhs_stride;
      if constexpr (std::is_same_v<From, T>) {
        if (step == 1) {
          std::copy_n(source, end - begin, to + i * plane_ + begin);
          continue;
        }
      }
      for (int64_t p = 0; p < end - begin; ++p) to[i * plane_ + begin + p] = convert(source[p * step]);
    }
  }

  template <typename From>
  void pack_input(const Index& start, const Index& count, const From* lhs, T* box) const {
    BoxDimension dims[kNarrowRank];
    for (size_t d = 0; d < kNarrowRank; ++d) {
      dims[d] = {dims_[d].size,     dims_[d].lhs_stride,     dims_[d].origin + start[d] * dims_[d].step,
                 lattice_[d].pitch, box_extent(d, count[d]), box_stride_[d]};
    }
    lhs += dims[0].first * dims[0].stride;
    for (int64_t e1 = 0; e1 < dims[1].extent; ++e1) {
      for (int64_t e2 = 0; e2 < dims[2].extent; ++e2) {
        BoxDimension row = dims[3];
        const bool inside = e1 >= dims[1].begin() && e1 < dims[1].end() && e2 >= dims[2].begin() && e2 < dims[2].end();
        if (!inside) row.size = 0;
        const int64_t at = inside ? (dims[1].first + e1 * dims[1].pitch) * dims[1].stride +
                                        (dims[2].first + e2 * dims[2].pitch) * dims[2].stride
                                  : 0;
        pack_planes(row, lhs + at, box + e1 * box_stride_[1] + e2 * box_stride_[2]);
      }
    }
  }

  template <typename Out>
  void run_block(int64_t g, int64_t number, const void* lhs, const T* weights, T* scratch, Out* out) const {
    Index start{}, count{};
    for (size_t d = kNarrowRank; d-- > 0;) {
      start[d] = number % parts(d) * block_[d];
      count[d] = std::min(block_[d], dims_[d].count - start[d]);
      out += start[d] * dims_[d].out_stride;
      number /= parts(d);
    }
    out += g * p_.groups.out_stride;
    T* box = scratch + levels() * tile_count_;
    visit_float(types_.lhs, [&]<typename From>() {
      pack_input(start, count, static_cast<const From*>(lhs) + g * p_.groups.lhs_stride, box);
    });
    std::fill_n(box + plane_ * p_.inputs.extent, kernels_.lanes, T(0));
    NarrowTile<T> t{};
    t.columns = round_up(count[3], kernels_.lanes);
    const StopFlag stop;
    for (int64_t row = 0; row < count[2] && !stop.raised(); ++row) {
      t.b = box + row * lattice_[2].step * box_stride_[2];
      sum_row(t, weights, scratch);
      store_tile(scratch, t.columns, out + row * dims_[2].out_stride, p_.outputs.out_stride, dims_[3].out_stride,
                 p_.outputs.extent, count[3]);
    }
  }

  void sum_row(NarrowTile<T> t, const T* weights, T* scratch) const {
    const auto sums_at = [&](int64_t level) { return scratch + level * tile_count_; };
    const auto add = [&](int64_t n, int64_t level, bool adds) {
      const int64_t first = n * kTermsInOrder;
      t.a = weights + first * p_.outputs.extent;
      t.offsets = offsets_.data() + first;
      t.depth = std::min(kTermsInOrder, depth() - first);
      t.c = sums_at(level);
      t.accumulate = adds;
      kernels_.narrow[p_.outputs.extent - 1](t);
    };
    const auto join = [&](int64_t level) { add_sums(sums_at(level), sums_at(level + 1), tile_count_); };
    sum_in_pairs(0, sums(), kSumsInOrder, 0, add, join);
  }

  ConvolutionProblem p_;
  ConvolutionTypes types_;
  const TileKernels<T>& kernels_;
  std::array<ConvolutionDimension, kNarrowRank> dims_;
  std::array<ConvolutionLattice, kNarrowRank> lattice_{};
  Index block_{}, box_stride_{};
  int64_t blocks_ = 1, plane_ = 0, box_count_ = 0, tile_count_ = 0;
  std::vector<int64_t> offsets_;
};

}  // namespace

template <typename T>
std::unique_ptr<ConvolutionStep> make_narrow_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                  const TileKernels<T>& kernels) {
  if (problem.outputs.extent > kNarrowRows) return nullptr;
  auto step = std::make_unique<NarrowStep<T>>(problem, types, kernels);
  return step->suits() ? std::move(step) : nullptr;
}

template std::unique_ptr<ConvolutionStep> make_narrow_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                           const TileKernels<float>&);
template std::unique_ptr<ConvolutionStep> make_narrow_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                           const TileKernels<double>&);

}  // namespace hilo::cpu
