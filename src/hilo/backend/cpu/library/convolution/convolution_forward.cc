// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_forward.cc -- convolutions with few taps and many positions.

#include "hilo/backend/cpu/library/convolution/convolution_pack.h"
#include "hilo/backend/cpu/library/convolution/convolution_step.h"
#include "hilo/backend/cpu/library/rounding.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

constexpr size_t kRank = 4;  // the batch slides, too, under a window of one
using Index = std::array<int64_t, kRank>;

constexpr int64_t kBoxBytes = 192 << 10;  // of the input at once: it stays in the L2 cache next to the kernel
constexpr int64_t kChannelsAtOnce = 64;   // groups per task if groups are lanes
constexpr int64_t kEnoughTasks = 16;
constexpr int64_t kMaxRowPositions = 448;  // positions of the innermost dimension per task

/// Merges dimension `d` into `next` if together they are one dimension under a window of one. Returns whether it did.
bool fold(ConvolutionDimension& d, ConvolutionDimension& next) {
  const auto plain = [](const ConvolutionDimension& x) {
    return x.taps == 1 && x.origin == 0 && x.step == 1 && x.count == x.size;
  };
  if (!plain(d) || !plain(next)) return false;
  const bool in_step = d.lhs_stride == next.size * next.lhs_stride && d.out_stride == next.count * next.out_stride;
  if (d.count != 1 && next.count != 1 && !in_step) return false;
  if (next.count == 1) {
    next.lhs_stride = d.lhs_stride;
    next.out_stride = d.out_stride;
  }
  next.size *= d.size;
  next.count *= d.count;
  d = {};
  return true;
}

template <typename T>
class ForwardStep final : public ConvolutionStep {
 public:
  ForwardStep(const ConvolutionProblem& problem, const ConvolutionTypes& types, const TileKernels<T>& kernels)
      : p_(problem), types_(types), kernels_(kernels), by_channel_(is_by_channel(problem, kernels.lanes)) {
    choose_dimensions();
    choose_channels();
    choose_block();
    choose_box();
    list_taps();
    cut_sums();
  }

  Status run(const ConvolutionBuffers& buffers) const override {
    HILO_ASSIGN_OR_RETURN(AlignedBuffer weights, allocate_buffer(weight_count() * sizeof(T)));
    T* packed = reinterpret_cast<T*>(weights.data());
    visit_float(types_.rhs, [&]<typename From>() {
      const From* rhs = static_cast<const From*>(buffers.rhs) + p_.rhs_offset;
      for_tasks(buffers.executor, group_tasks_,
                [&](int64_t g) { pack_weights(g, rhs, packed + g * weights_per_task_); });
    });
    const int64_t count = (direct_ ? 0 : box_count_) + levels_ * tile_count_;
    Status status = ok_status();
    visit_float(types_.out, [&]<typename Out>() {
      Out* out = static_cast<Out*>(buffers.out) + p_.out_offset;
      const int64_t tasks = group_tasks_ * blocks_ * column_parts_;
      status = for_tasks_with_scratch<T>(buffers.executor, tasks, count, [&](int64_t task, T* scratch) {
        const int64_t part = task % column_parts_, block = task / column_parts_ % blocks_;
        const int64_t g = task / column_parts_ / blocks_;
        run_block(g, block, part, buffers.lhs, packed + g * weights_per_task_, scratch, out);
      });
    });
    return status;
  }

 private:
  // ---- decisions by shape

  void choose_dimensions() {
    dims_[0].size = dims_[0].count = p_.batch.extent;
    dims_[0].lhs_stride = p_.batch.lhs_stride;
    dims_[0].out_stride = p_.batch.out_stride;
    std::copy(p_.dims.begin(), p_.dims.end(), dims_.begin() + 1);
    for (size_t end = 0; end + 1 < kRank; ++end) {
      for (size_t d = kRank - 1; d-- > end;) fold(dims_[d], dims_[d + 1]);
    }
    // Rows of the tile run along the innermost dimension, unless it has only few positions.
    size_t longest = 0;
    for (size_t d = 1; d < kRank; ++d) longest = dims_[d].count > dims_[longest].count ? d : longest;
    if (dims_[kRank - 1].count < std::min<int64_t>(4, dims_[longest].count))
      std::swap(dims_[longest], dims_[kRank - 1]);
    for (size_t d = 0; d < kRank; ++d) lattice_[d] = lattice_of(dims_[d]);
  }

  void choose_channels() {
    if (by_channel_) {
      channels_ = std::min(kChannelsAtOnce, p_.groups.extent);
      group_tasks_ = (p_.groups.extent + channels_ - 1) / channels_;
      width_ = round_up(channels_, kernels_.lanes);
      columns_ = {channels_, p_.groups.lhs_stride, width_};
    } else {
      group_tasks_ = p_.groups.extent;
      width_ = p_.inputs.extent;
      columns_ = {p_.inputs.extent, p_.inputs.lhs_stride, width_};
    }
  }

  int64_t box_extent(size_t d, int64_t positions) const {
    return (positions - 1) * lattice_[d].step + (dims_[d].taps - 1) * lattice_[d].tap_step + 1;
  }

  void choose_block() {
    for (size_t d = 0; d < kRank; ++d) block_[d] = 1;
    const int64_t row_parts = (dims_[3].count + kMaxRowPositions - 1) / kMaxRowPositions;
    block_[3] =
        std::min(dims_[3].count, round_up((dims_[3].count + row_parts - 1) / row_parts, 2 * kernels_.positions));
    const int64_t inputs = by_channel_ ? p_.inputs.extent : 1;
    const int64_t element = width_ * inputs * sizeof(T);
    const auto bytes = [&] {
      int64_t total = element;
      for (size_t d = 0; d < kRank; ++d) total *= box_extent(d, block_[d]);
      return total;
    };
    const auto tasks = [&] {
      int64_t total = group_tasks_;
      for (size_t d = 0; d < kRank; ++d) total *= (dims_[d].count + block_[d] - 1) / block_[d];
      return total;
    };
    for (size_t d = kRank - 1; d-- > 0;) {
      while (block_[d] < dims_[d].count) {
        const int64_t before = block_[d];
        block_[d] = std::min(dims_[d].count, before * 2);
        if (bytes() <= kBoxBytes && tasks() >= kEnoughTasks) continue;
        block_[d] = before;
        break;
      }
      // All blocks have about the same size.
      const int64_t parts = (dims_[d].count + block_[d] - 1) / block_[d];
      block_[d] = (dims_[d].count + parts - 1) / parts;
      if (block_[d] < dims_[d].count) break;
    }
    blocks_ = 1;
    for (size_t d = 0; d < kRank; ++d) blocks_ *= (dims_[d].count + block_[d] - 1) / block_[d];
    const int64_t panels = by_channel_ ? 1 : (p_.outputs.extent + panel_width() - 1) / panel_width();
    column_parts_ = blocks_ * group_tasks_ >= 4 ? 1 : std::min<int64_t>(4, panels);
  }

  /// Uses the input itself if the kernel can read it in place, otherwise the packed box.
  void choose_box() {
    const ElementType type = element_type_of<T>;
    direct_ = !by_channel_ && types_.lhs == type && (columns_.stride == 1 || columns_.extent == 1);
    for (const ConvolutionDimension& x : dims_) {
      direct_ = direct_ && x.origin >= 0 && x.origin + (x.count - 1) * x.step + (x.taps - 1) * x.tap_step < x.size;
    }
    int64_t stride = width_ * (by_channel_ ? p_.inputs.extent : 1);
    for (size_t d = kRank; d-- > 0;) {
      box_stride_[d] = direct_ ? dims_[d].lhs_stride * lattice_[d].pitch : stride;
      stride *= box_extent(d, block_[d]);
    }
    box_count_ = stride;
    tile_count_ = by_channel_ ? block_[3] * width_ : 2 * kernels_.positions * panel_width();
  }

  void list_taps() {
    const bool merged =
        !by_channel_ && (dims_[3].taps == 1 || lattice_[3].tap_step * box_stride_[3] == p_.inputs.extent);
    depth_ = p_.taps() * p_.inputs.extent;
    run_length_ = merged ? dims_[3].taps * p_.inputs.extent : p_.inputs.extent;
    for_taps([&](const Index& u) {
      if (merged && u[3] != 0) return;
      int64_t offset = 0;
      for (size_t d = 0; d < kRank; ++d) offset += u[d] * lattice_[d].tap_step * box_stride_[d];
      for (int64_t i = 0; i < (by_channel_ ? p_.inputs.extent : 1); ++i) runs_.push_back(offset + i * width_);
    });
    weights_per_task_ =
        by_channel_ ? p_.outputs.extent * depth_ * width_ : depth_ * round_up(p_.outputs.extent, kernels_.lanes);
  }

  /// Splits between runs, or within each run.
  void cut_sums() {
    const int64_t runs = std::ssize(runs_), length = by_channel_ ? 1 : run_length_;
    const int64_t at_once = std::max<int64_t>(kTermsInOrder / length, 1);
    const int64_t pieces = (length + kTermsInOrder - 1) / kTermsInOrder;
    for (int64_t run = 0; run < runs; run += at_once) {
      for (int64_t p = 0; p < pieces; ++p) {
        const int64_t first = length * p / pieces, end = length * (p + 1) / pieces;
        pieces_.push_back({run, std::min(at_once, runs - run), first, end - first, run * length + first});
      }
    }
    levels_ = sum_levels(pieces_.size(), kSumsInOrder);
  }

  template <typename F>
  void for_taps(const F& f) const {
    Index u{};
    for (u[0] = 0; u[0] < dims_[0].taps; ++u[0])
      for (u[1] = 0; u[1] < dims_[1].taps; ++u[1])
        for (u[2] = 0; u[2] < dims_[2].taps; ++u[2])
          for (u[3] = 0; u[3] < dims_[3].taps; ++u[3]) f(u);
  }

  int64_t panel_width() const { return kTileVectors * kernels_.lanes; }
  int64_t weight_count() const { return group_tasks_ * weights_per_task_; }

  // ---- the kernel

  template <typename From>
  void pack_weights(int64_t g, const From* rhs, T* to) const {
    if (by_channel_) pack_channel_weights(g, rhs, to);
    else pack_panels(rhs + g * p_.groups.rhs_stride, to);
  }

  /// Packs panels of columns, each with a row for each tap and input feature.
  template <typename From>
  void pack_panels(const From* rhs, T* to) const {
    for (int64_t n = 0; n < p_.outputs.extent; n += panel_width()) {
      const int64_t columns = std::min(panel_width(), p_.outputs.extent - n);
      const int64_t width = columns > kernels_.lanes ? panel_width() : kernels_.lanes;
      for_taps([&](const Index& u) {
        const From* from = rhs + n * p_.outputs.rhs_stride;
        for (size_t d = 0; d < kRank; ++d) from += u[d] * dims_[d].rhs_stride;
        for (int64_t i = 0; i < p_.inputs.extent; ++i, to += width) {
          const From* row = from + i * p_.inputs.rhs_stride;
          copy_elements(row, p_.outputs.rhs_stride, columns, to);
          std::fill(to + columns, to + width, T(0));
        }
      });
    }
  }

  template <typename From>
  void pack_channel_weights(int64_t g, const From* rhs, T* to) const {
    const int64_t begin = g * channels_, count = std::min(channels_, p_.groups.extent - begin);
    for (int64_t o = 0; o < p_.outputs.extent; ++o) {
      for_taps([&](const Index& u) {
        const From* from = rhs + begin * p_.groups.rhs_stride + o * p_.outputs.rhs_stride;
        for (size_t d = 0; d < kRank; ++d) from += u[d] * dims_[d].rhs_stride;
        for (int64_t i = 0; i < p_.inputs.extent; ++i, to += width_) {
          const From* row = from + i * p_.inputs.rhs_stride;
          copy_elements(row, p_.groups.rhs_stride, count, to);
          std::fill(to + count, to + width_, T(0));
        }
      });
    }
  }

  // ---- a block of positions

  struct Block {
    Index start, count;
    int64_t out_offset;
  };

  Block block_at(int64_t number) const {
    Block b{};
    for (size_t d = kRank; d-- > 0;) {
      const int64_t parts = (dims_[d].count + block_[d] - 1) / block_[d];
      b.start[d] = number % parts * block_[d];
      b.count[d] = std::min(block_[d], dims_[d].count - b.start[d]);
      b.out_offset += b.start[d] * dims_[d].out_stride;
      number /= parts;
    }
    return b;
  }

  /// Returns the block's part of the input, packed into `box` unless it is read in place.
  const T* input_of(const Block& b, int64_t g, const void* lhs, T* box) const {
    if (direct_) {
      const T* from = static_cast<const T*>(lhs) + g * p_.groups.lhs_stride;
      for (size_t d = 0; d < kRank; ++d) from += (dims_[d].origin + b.start[d] * dims_[d].step) * dims_[d].lhs_stride;
      return from;
    }
    BoxDimension box_dims[kRank];
    for (size_t d = 0; d < kRank; ++d) {
      box_dims[d] = {dims_[d].size,     dims_[d].lhs_stride,       dims_[d].origin + b.start[d] * dims_[d].step,
                     lattice_[d].pitch, box_extent(d, b.count[d]), box_stride_[d]};
    }
    BoxColumns columns = columns_;
    if (by_channel_) columns.extent = std::min(channels_, p_.groups.extent - g * channels_);
    visit_float(types_.lhs, [&]<typename From>() {
      const From* from = static_cast<const From*>(lhs) + g * (by_channel_ ? channels_ : 1) * p_.groups.lhs_stride;
      for (int64_t i = 0; i < (by_channel_ ? p_.inputs.extent : 1); ++i) {
        pack_box<kRank>(box_dims, columns, from + i * p_.inputs.lhs_stride, box + i * width_);
      }
    });
    return box;
  }

  template <typename Out>
  void run_block(int64_t g, int64_t number, int64_t part, const void* lhs, const T* weights, T* scratch,
                 Out* out) const {
    const Block b = block_at(number);
    const T* input = input_of(b, g, lhs, scratch + levels_ * tile_count_);
    out += b.out_offset;
    if (by_channel_) return run_channels(b, g, input, weights, scratch, out + g * channels_ * p_.groups.out_stride);
    out += g * p_.groups.out_stride;
    const int64_t panels = (p_.outputs.extent + panel_width() - 1) / panel_width();
    for (int64_t n = panels * part / column_parts_; n < panels * (part + 1) / column_parts_; ++n) {
      run_panel(b, input, weights + n * depth_ * panel_width(), n * panel_width(), scratch, out);
    }
  }

  /// The start of a range of positions, in the input and in the result.
  struct Range {
    int64_t in = 0, out = 0;
  };

  Range range_at(const Block& b, int64_t number, int64_t per_row, int64_t length) const {
    const int64_t at = std::min(number % per_row * length, b.count[3] - length);
    int64_t row = number / per_row;
    Range s{at * lattice_[3].step * box_stride_[3], at * dims_[3].out_stride};
    for (size_t d = kRank - 1; d-- > 0;) {
      const int64_t i = row % b.count[d];
      row /= b.count[d];
      s.in += i * lattice_[d].step * box_stride_[d];
      s.out += i * dims_[d].out_stride;
    }
    return s;
  }

  /// Computes all positions of the block for one panel of columns. All ranges of a row have the same length. The last
  /// one may overlap the previous one; it computes the same values there.
  template <typename Out>
  void run_panel(const Block& b, const T* input, const T* weights, int64_t first, T* scratch, Out* out) const {
    const int64_t columns = std::min(panel_width(), p_.outputs.extent - first);
    const int vectors = columns > kernels_.lanes ? 2 : 1;
    const int64_t width = vectors * kernels_.lanes;
    const int64_t per_row = (b.count[3] + kernels_.positions - 1) / kernels_.positions;
    const int64_t length = (b.count[3] + per_row - 1) / per_row;
    const int64_t ranges = b.count[0] * b.count[1] * b.count[2] * per_row;
    const auto kernel = kernels_.tile[vectors - 1][length - 1];
    out += first * p_.outputs.out_stride;
    ConvolutionTile<T> t{};
    t.a_row = lattice_[3].step * box_stride_[3];
    t.a_step = 1;
    t.runs = runs_.data();
    t.run_count = std::ssize(runs_);
    t.run_length = run_length_;
    t.b = weights;
    const StopFlag stop;
    for (int64_t s = 0; s < ranges && !stop.raised(); s += 2) {
      const Range pair[2] = {range_at(b, s, per_row, length),
                             range_at(b, std::min(s + 1, ranges - 1), per_row, length)};
      t.a[0] = input + pair[0].in;
      t.a[1] = input + pair[1].in;
      if constexpr (std::is_same_v<T, Out>) {
        if (pieces_.size() == 1 && columns == width && p_.outputs.out_stride == 1) {
          t.c[0] = out + pair[0].out;
          t.c[1] = out + pair[1].out;
          t.c_row = dims_[3].out_stride;
          kernel(t);
          continue;
        }
      }
      t.c_row = width;
      sum_pieces(scratch, [&](const Piece& piece, T* sums, bool adds) {
        ConvolutionTile<T> part = t;
        part.a[0] += piece.first;
        part.a[1] += piece.first;
        part.runs += piece.run;
        part.run_count = piece.runs;
        part.run_length = piece.length;
        part.b += piece.before * width;
        part.c[0] = sums;
        part.c[1] = sums + length * width;
        part.accumulate = adds;
        kernel(part);
      });
      for (int64_t h = 0; h < 2; ++h) {
        store_tile(scratch + h * length * width, width, out + pair[h].out, dims_[3].out_stride, p_.outputs.out_stride,
                   length, columns);
      }
    }
  }

  /// A piece of a sum: runs [run, run + runs), and of each the `length` terms from `first` on. `before` is the number
  /// of earlier terms.
  struct Piece {
    int64_t run, runs, first, length, before;
  };

  /// Calls add(piece, sums, adds) for all pieces of a tile's sums. The final sums are in `scratch`.
  template <typename Add>
  void sum_pieces(T* scratch, const Add& add) const {
    const auto sums_at = [&](int64_t level) { return scratch + level * tile_count_; };
    const auto part = [&](int64_t n, int64_t level, bool adds) { add(pieces_[n], sums_at(level), adds); };
    const auto join = [&](int64_t level) { add_sums(sums_at(level), sums_at(level + 1), tile_count_); };
    sum_in_pairs(0, pieces_.size(), kSumsInOrder, 0, part, join);
  }

  template <typename Out>
  void run_channels(const Block& b, int64_t g, const T* input, const T* weights, T* scratch, Out* out) const {
    const int64_t count = std::min(channels_, p_.groups.extent - g * channels_);
    ChannelTile<T> t{};
    t.a_row = lattice_[3].step * box_stride_[3];
    t.offsets = runs_.data();
    t.taps = depth_;
    t.positions = b.count[3];
    t.channels = width_;
    const StopFlag stop;
    for (int64_t row = 0; row < b.count[0] * b.count[1] * b.count[2] && !stop.raised(); ++row) {
      const Range s = range_at(b, row, 1, b.count[3]);
      t.a = input + s.in;
      for (int64_t o = 0; o < p_.outputs.extent; ++o) {
        t.b = weights + o * depth_ * width_;
        Out* to = out + s.out + o * p_.outputs.out_stride;
        if constexpr (std::is_same_v<T, Out>) {
          if (pieces_.size() == 1 && count == width_ && p_.groups.out_stride == 1) {
            t.c = to;
            t.c_row = dims_[3].out_stride;
            kernels_.channels(t);
            continue;
          }
        }
        t.c_row = width_;
        sum_pieces(scratch, [&](const Piece& piece, T* sums, bool adds) {
          ChannelTile<T> part = t;
          part.offsets += piece.run;
          part.taps = piece.runs;
          part.b += piece.before * width_;
          part.c = sums;
          part.accumulate = adds;
          kernels_.channels(part);
        });
        store_tile(scratch, width_, to, dims_[3].out_stride, p_.groups.out_stride, b.count[3], count);
      }
    }
  }

  ConvolutionProblem p_;
  ConvolutionTypes types_;
  const TileKernels<T>& kernels_;
  bool by_channel_;
  bool direct_ = false;  ///< whether the kernel reads the input in place
  std::array<ConvolutionDimension, kRank> dims_;
  std::array<ConvolutionLattice, kRank> lattice_{};
  Index block_{}, box_stride_{};
  BoxColumns columns_;
  int64_t channels_ = 1;  ///< groups per task if groups are lanes
  int64_t width_ = 1;     ///< of a packed position
  int64_t group_tasks_ = 1, blocks_ = 1, column_parts_ = 1;
  int64_t box_count_ = 0, tile_count_ = 0, weights_per_task_ = 0;
  int64_t depth_ = 0, run_length_ = 0;
  std::vector<int64_t> runs_;
  std::vector<Piece> pieces_;
  int64_t levels_ = 1;  ///< of a tile's sums
};

}  // namespace

template <typename T>
std::unique_ptr<ConvolutionStep> make_forward_step(const ConvolutionProblem& problem, const ConvolutionTypes& types,
                                                   const TileKernels<T>& kernels) {
  return std::make_unique<ForwardStep<T>>(problem, types, kernels);
}

template std::unique_ptr<ConvolutionStep> make_forward_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                            const TileKernels<float>&);
template std::unique_ptr<ConvolutionStep> make_forward_step(const ConvolutionProblem&, const ConvolutionTypes&,
                                                            const TileKernels<double>&);

}  // namespace hilo::cpu
