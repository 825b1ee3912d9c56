// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_gradient.cc -- convolutions with many taps and few positions, such as
// gradients of kernels. There the batch of the convolution is the kernel's input features, and its input features are
// the batch.

#include "hilo/backend/cpu/library/convolution/convolution_pack.h"
#include "hilo/backend/cpu/library/convolution/convolution_step.h"
#include "hilo/backend/cpu/library/rounding.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

constexpr size_t kGradientRank =
    4;  // the first dimension is that of input features: each of them is one tap of its window
using Index = std::array<int64_t, kGradientRank>;

constexpr int64_t kBlockBytes = 384 << 10;       // of each operand
constexpr int64_t kBatchAtOnce = 112;            // rows of the result per task
constexpr int64_t kGradientChannelsAtOnce = 64;  // groups per task if groups are lanes
constexpr int64_t kMaxParts = 8;                 // of the sum
constexpr int64_t kPartialBytes = 32 << 20;      // of all partial results

int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

template <typename T>
class GradientStep final : public ConvolutionStep {
 public:
  GradientStep(const ConvolutionProblem& problem, const ConvolutionTypes& types, const TileKernels<T>& kernels)
      : p_(problem), types_(types), kernels_(kernels), by_channel_(is_by_channel(problem, kernels.lanes)) {
    choose_dimensions();
    choose_channels();
    choose_block();
    choose_box();
    choose_parts();
  }

  Status run(const ConvolutionBuffers& buffers) const override {
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(parts_ * task_count() * sums_ * sizeof(T)));
    T* sums = reinterpret_cast<T*>(memory.data());
    const int64_t count = box_count_ + weight_count_ + (levels_ - 1) * sums_;
    HILO_RETURN_IF_ERROR(
        for_tasks_with_scratch<T>(buffers.executor, parts_ * task_count(), count, [&](int64_t task, T* scratch) {
          sum_part(task / task_count(), task % task_count(), buffers, scratch, sums + task * sums_);
        }));
    visit_float(types_.out, [&]<typename Out>() {
      Out* out = static_cast<Out*>(buffers.out) + p_.out_offset;
      for_tasks(buffers.executor, task_count() * p_.positions(),
                [&](int64_t task) { finish(task / p_.positions(), task % p_.positions(), sums, out); });
    });
    return ok_status();
  }

 private:
  // ---- decisions by shape

  void choose_dimensions() {
    ConvolutionDimension& inputs = dims_[0];
    inputs.size = inputs.taps = p_.inputs.extent;
    inputs.lhs_stride = p_.inputs.lhs_stride;
    inputs.rhs_stride = p_.inputs.rhs_stride;
    std::copy(p_.dims.begin(), p_.dims.end(), dims_.begin() + 1);
    for (size_t d = 0; d < kGradientRank; ++d) lattice_[d] = lattice_of(dims_[d]);
  }

  /// Rows are the batch of one group. If groups are lanes, a task computes several groups and all of their batch.
  void choose_channels() {
    if (by_channel_) {
      channels_ = std::min(kGradientChannelsAtOnce, p_.groups.extent);
      lane_width_ = round_up(channels_, kernels_.lanes);
      group_tasks_ = parts_of(p_.groups.extent, channels_);
      batch_ = p_.batch.extent;
      columns_ = p_.outputs.extent * lane_width_;
      position_width_ = batch_ * lane_width_;
    } else {
      group_tasks_ = p_.groups.extent;
      batch_ = std::min(kBatchAtOnce, p_.batch.extent);
      columns_ = round_up(p_.outputs.extent, kernels_.lanes);
      position_width_ = batch_;
    }
    batch_parts_ = parts_of(p_.batch.extent, batch_);
    sums_ = p_.positions() * batch_ * columns_;
  }

  int64_t box_extent(size_t d, int64_t taps) const {
    return (dims_[d].count - 1) * lattice_[d].step + (taps - 1) * lattice_[d].tap_step + 1;
  }

  /// Selects the taps of one block: rows of the innermost dimension, and more of the outer ones while the operands stay
  /// in the cache.
  void choose_block() {
    block_ = {1, 1, 1, dims_[3].taps};
    const auto fits = [&] {
      int64_t terms = 1, box = position_width_ * sizeof(T);
      for (size_t d = 0; d < kGradientRank; ++d) {
        terms *= block_[d];
        box *= box_extent(d, block_[d]);
      }
      const int64_t weights = terms * columns_ * sizeof(T);
      return terms <= kTermsInOrder && box <= kBlockBytes && weights <= kBlockBytes;
    };
    while (block_[3] > 1 && !fits()) block_[3] = (block_[3] + 1) / 2;
    for (size_t d = kGradientRank - 1; d-- > 0;) {
      while (block_[d] < dims_[d].taps) {
        ++block_[d];
        if (fits()) continue;
        --block_[d];
        break;
      }
      if (block_[d] < dims_[d].taps) break;
    }
    blocks_ = 1;
    for (size_t d = 0; d < kGradientRank; ++d) blocks_ *= parts_of(dims_[d].taps, block_[d]);
  }

  void choose_box() {
    int64_t stride = position_width_;
    for (size_t d = kGradientRank; d-- > 0;) {
      box_stride_[d] = stride;
      stride *= box_extent(d, block_[d]);
    }
    box_count_ = stride;
    weight_count_ = block_[0] * block_[1] * block_[2] * block_[3] * columns_;
    // Positions adjacent to the batch are more rows of the same product.
    rows_together_ = !by_channel_ && batch_parts_ == 1 && lattice_[3].step == 1;
  }

  void choose_parts() {
    const int64_t bytes = task_count() * sums_ * sizeof(T);
    parts_ = std::min({kMaxParts, blocks_, std::max<int64_t>(1, kPartialBytes / std::max<int64_t>(1, bytes)),
                       std::max<int64_t>(1, 2 * kMaxParts / task_count())});
    levels_ = sum_levels(parts_of(blocks_, parts_), kSumsInOrder);
  }

  int64_t task_count() const { return group_tasks_ * batch_parts_; }

  // ---- a part of the sum

  struct Block {
    Index start, count;
  };

  Block block_at(int64_t number) const {
    Block b{};
    for (size_t d = kGradientRank; d-- > 0;) {
      const int64_t parts = parts_of(dims_[d].taps, block_[d]);
      b.start[d] = number % parts * block_[d];
      b.count[d] = std::min(block_[d], dims_[d].taps - b.start[d]);
      number /= parts;
    }
    return b;
  }

  /// The first group and the number of groups, the first row of the batch and the number of rows.
  struct Share {
    int64_t group, groups, batch, rows;
  };

  Share share_at(int64_t task) const {
    const int64_t g = task / batch_parts_ * channels_, b = task % batch_parts_ * batch_;
    return {g, std::min(channels_, p_.groups.extent - g), b, std::min(batch_, p_.batch.extent - b)};
  }

  void sum_part(int64_t part, int64_t task, const ConvolutionBuffers& buffers, T* scratch, T* sums) const {
    const Share share = share_at(task);
    T *weights = scratch, *box = scratch + weight_count_, *further = box + box_count_;
    const auto sums_at = [&](int64_t level) { return level == 0 ? sums : further + (level - 1) * sums_; };
    const StopFlag stop;
    const auto add_block = [&](int64_t n, int64_t level, bool adds) {
      if (stop.raised()) return;
      const Block b = block_at(n);
      visit_float(types_.lhs,
                  [&]<typename From>() { pack_input(b, share, static_cast<const From*>(buffers.lhs), box); });
      visit_float(types_.rhs, [&]<typename From>() {
        pack_weights(b, share, static_cast<const From*>(buffers.rhs) + p_.rhs_offset, weights);
      });
      if (by_channel_) add_channels(b, box, weights, sums_at(level), adds);
      else add_products(b, share, box, weights, sums_at(level), adds);
    };
    const auto join = [&](int64_t level) { add_sums(sums_at(level), sums_at(level + 1), sums_); };
    sum_in_pairs(blocks_ * part / parts_, blocks_ * (part + 1) / parts_, kSumsInOrder, 0, add_block, join);
  }

  template <typename From>
  void pack_input(const Block& b, const Share& share, const From* lhs, T* box) const {
    BoxDimension box_dims[kGradientRank];
    for (size_t d = 0; d < kGradientRank; ++d) {
      box_dims[d] = {dims_[d].size,     dims_[d].lhs_stride,       dims_[d].origin + b.start[d] * dims_[d].tap_step,
                     lattice_[d].pitch, box_extent(d, b.count[d]), box_stride_[d]};
    }
    lhs += share.group * p_.groups.lhs_stride + share.batch * p_.batch.lhs_stride;
    if (!by_channel_) {
      return pack_box<kGradientRank>(box_dims, BoxColumns{share.rows, p_.batch.lhs_stride, position_width_}, lhs, box);
    }
    for (int64_t i = 0; i < p_.batch.extent; ++i) {
      pack_box<kGradientRank>(box_dims, BoxColumns{share.groups, p_.groups.lhs_stride, lane_width_},
                              lhs + i * p_.batch.lhs_stride, box + i * lane_width_);
    }
  }

  /// Visits the first tap of each row of the block's taps.
  template <typename F>
  void for_runs(const Block& b, const F& f) const {
    Index u{};
    for (u[0] = 0; u[0] < b.count[0]; ++u[0])
      for (u[1] = 0; u[1] < b.count[1]; ++u[1])
        for (u[2] = 0; u[2] < b.count[2]; ++u[2]) f(u);
  }

  int64_t panel_width() const { return kTileVectors * kernels_.lanes; }

  /// Packs panels of output features with a row for each tap; or for each output feature of its group a row of lanes
  /// per tap.
  template <typename From>
  void pack_weights(const Block& b, const Share& share, const From* rhs, T* to) const {
    rhs += share.group * p_.groups.rhs_stride;
    for (size_t d = 0; d < kGradientRank; ++d) rhs += b.start[d] * dims_[d].rhs_stride;
    const auto pack = [&](const From* panel, int64_t columns, int64_t stride, int64_t width) {
      for_runs(b, [&](const Index& u) {
        const From* row = panel;
        for (size_t d = 0; d < kGradientRank; ++d) row += u[d] * dims_[d].rhs_stride;
        const int64_t taps = b.count[3], step = dims_[3].rhs_stride;
        if (step == 1 && columns > 1) {
          transpose_to(row, stride, to, width, columns, taps, [](From x) { return static_cast<T>(x); });
        } else {
          for (int64_t k = 0; k < taps; ++k) copy_elements(row + k * step, stride, columns, to + k * width);
        }
        for (int64_t k = 0; k < taps; ++k) std::fill(to + k * width + columns, to + (k + 1) * width, T(0));
        to += taps * width;
      });
    };
    if (by_channel_) {
      for (int64_t o = 0; o < p_.outputs.extent; ++o)
        pack(rhs + o * p_.outputs.rhs_stride, share.groups, p_.groups.rhs_stride, lane_width_);
      return;
    }
    for (int64_t n = 0; n < p_.outputs.extent; n += panel_width()) {
      const int64_t columns = std::min(panel_width(), p_.outputs.extent - n);
      pack(rhs + n * p_.outputs.rhs_stride, columns, p_.outputs.rhs_stride,
           columns > kernels_.lanes ? panel_width() : kernels_.lanes);
    }
  }

  /// Returns the position of a tap in the box.
  int64_t offset_of(const Index& u) const {
    int64_t offset = 0;
    for (size_t d = 0; d < kGradientRank; ++d) offset += u[d] * lattice_[d].tap_step * box_stride_[d];
    return offset;
  }

  template <typename F>
  void for_positions(int64_t innermost, const F& f) const {
    for (int64_t x1 = 0; x1 < dims_[1].count; ++x1)
      for (int64_t x2 = 0; x2 < dims_[2].count; ++x2)
        for (int64_t x3 = 0; x3 < innermost; ++x3) {
          const int64_t number = (x1 * dims_[2].count + x2) * dims_[3].count + x3;
          f(x1 * lattice_[1].step * box_stride_[1] + x2 * lattice_[2].step * box_stride_[2] +
                x3 * lattice_[3].step * box_stride_[3],
            number);
        }
  }

  /// Adds input * weights over the block's taps to sums[position][row][column].
  void add_products(const Block& b, const Share& share, const T* box, const T* weights, T* sums,
                    bool accumulate) const {
    std::vector<int64_t> runs;
    for_runs(b, [&](const Index& u) { runs.push_back(offset_of(u)); });
    ConvolutionTile<T> t{};
    t.a_row = 1;
    t.a_step = lattice_[3].tap_step * box_stride_[3];
    t.runs = runs.data();
    t.run_count = std::ssize(runs);
    t.run_length = b.count[3];
    t.c_row = columns_;
    t.accumulate = accumulate;
    const int64_t terms = t.run_count * t.run_length;
    const int64_t rows = rows_together_ ? dims_[3].count * batch_ : share.rows;
    for (int64_t n = 0; n < columns_; n += panel_width()) {
      const int vectors = columns_ - n > kernels_.lanes ? 2 : 1;
      t.b = weights + n * terms;
      for_positions(rows_together_ ? 1 : dims_[3].count, [&](int64_t in, int64_t number) {
        T* to = sums + number * batch_ * columns_ + n;
        for (int64_t row = 0; row < rows; row += 2 * kernels_.positions) {
          // Splits the rows into two ranges. They share one row if the count is odd.
          const int64_t count = std::min(2 * kernels_.positions, rows - row), length = (count + 1) / 2;
          for (int64_t h = 0; h < 2; ++h) {
            const int64_t first = row + (h == 0 ? 0 : count - length);
            t.a[h] = box + in + first;
            t.c[h] = to + first * columns_;
          }
          kernels_.tile[vectors - 1][length - 1](t);
        }
      });
    }
  }

  void add_channels(const Block& b, const T* box, const T* weights, T* sums, bool accumulate) const {
    std::vector<int64_t> offsets;
    for_runs(b, [&](Index u) {
      for (; u[3] < b.count[3]; ++u[3]) offsets.push_back(offset_of(u));
    });
    ChannelTile<T> t{};
    t.a_row = lattice_[3].step * box_stride_[3];
    t.offsets = offsets.data();
    t.taps = std::ssize(offsets);
    t.c_row = batch_ * columns_;
    t.positions = dims_[3].count;
    t.channels = lane_width_;
    t.accumulate = accumulate;
    for_positions(1, [&](int64_t in, int64_t number) {
      for (int64_t i = 0; i < batch_; ++i) {
        for (int64_t o = 0; o < p_.outputs.extent; ++o) {
          t.a = box + in + i * lane_width_;
          t.b = weights + o * t.taps * lane_width_;
          t.c = sums + (number * batch_ + i) * columns_ + o * lane_width_;
          kernels_.channels(t);
        }
      }
    });
  }

  // ---- the end

  /// Adds the parts of one position in order and stores the sum. Overwrites the first part.
  template <typename Out>
  void finish(int64_t task, int64_t position, T* sums, Out* out) const {
    const Share share = share_at(task);
    T* total = sums + task * sums_ + position * batch_ * columns_;
    for (int64_t part = 1; part < parts_; ++part) {
      const T* more = total + part * task_count() * sums_;
      for (int64_t i = 0; i < share.rows * columns_; ++i) total[i] += more[i];
    }
    int64_t rest = position;
    for (size_t d = kGradientRank; d-- > 1;) {
      out += rest % dims_[d].count * dims_[d].out_stride;
      rest /= dims_[d].count;
    }
    out += share.group * p_.groups.out_stride + share.batch * p_.batch.out_stride;
    if (!by_channel_) {
      return store_tile(total, columns_, out, p_.batch.out_stride, p_.outputs.out_stride, share.rows,
                        p_.outputs.extent);
    }
    for (int64_t i = 0; i < share.rows; ++i) {
      store_tile(total + i * columns_, lane_width_, out + i * p_.batch.out_stride, p_.outputs.out_stride,
                 p_.groups.out_stride, p_.outputs.extent, share.groups);
    }
  }

  ConvolutionProblem p_;
  ConvolutionTypes types_;
  const TileKernels<T>& kernels_;
  bool by_channel_;
  bool rows_together_ = false;
  std::array<ConvolutionDimension, kGradientRank> dims_;
  std::array<ConvolutionLattice, kGradientRank> lattice_{};
  Index block_{}, box_stride_{};
  int64_t channels_ = 1, lane_width_ = 1;  ///< groups per task, as many as they need in memory
  int64_t group_tasks_ = 1, batch_parts_ = 1, batch_ = 1;
  int64_t position_width_ = 1;  ///< of a packed position
  int64_t columns_ = 1;         ///< of a row of sums
  int64_t sums_ = 0;            ///< of a task
  int64_t blocks_ = 1, parts_ = 1, levels_ = 1, box_count_ = 0, weight_count_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<ConvolutionStep> make_gradient_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                    const TileKernels<T>& kernels) {
  return std::make_unique<GradientStep<T>>(problem, types, kernels);
}

template std::unique_ptr<ConvolutionStep> make_gradient_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                             const TileKernels<float>&);
template std::unique_ptr<ConvolutionStep> make_gradient_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                             const TileKernels<double>&);

}  // namespace hilo::cpu
