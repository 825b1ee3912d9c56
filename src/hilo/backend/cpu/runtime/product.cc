// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/product.h"

#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/linked_lapack.h"
#include "hilo/backend/cpu/runtime/matrix.h"
#include "hilo/backend/cpu/runtime/padded_input.h"
#include "hilo/backend/cpu/runtime/product_tile.h"
#include "hilo/types/twins.h"

namespace hilo::cpu::runtime {
namespace {

const ProductTiles& tiles_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return product_tiles_avx512();
    if (isa == Isa::kAvx2) return product_tiles_avx2();
  }
  return product_tiles_sse2();
}

/// The tiles for sums of type T, as functions of T.
template <typename T>
struct Tile {
  using Part = RealOf<T>;
  ProductTile<Part> tile;

  int64_t columns() const { return tile.columns; }
  void run(const T* a, const T* b, int64_t k, T* c) const {
    tile.run(reinterpret_cast<const Part*>(a), reinterpret_cast<const Part*>(b), k, reinterpret_cast<Part*>(c));
  }
  void run_rows(const T* const* rows, const int64_t* offsets, const T* b, int64_t k, T* c) const {
    tile.run_rows(reinterpret_cast<const Part* const*>(rows), offsets, reinterpret_cast<const Part*>(b), k,
                  reinterpret_cast<Part*>(c));
  }
};

template <typename T>
Tile<T> tile_of(Isa isa) {
  const ProductTiles& all = tiles_of(isa);
  if constexpr (std::is_same_v<T, float>) return {all.f32};
  else if constexpr (std::is_same_v<T, double>) return {all.f64};
  else if constexpr (std::is_same_v<T, uint64_t>) return {all.integer};
  else if constexpr (std::is_same_v<T, Complex<float>>) return {all.c64};
  else return {all.c128};
}

/// Calls visit.operator()<T>() for the type of a sum.
template <typename Visit>
void visit_sum(SumType type, const Visit& visit) {
  switch (type) {
    case SumType::kF32: return visit.template operator()<float>();
    case SumType::kF64: return visit.template operator()<double>();
    case SumType::kInteger: return visit.template operator()<uint64_t>();
    case SumType::kC64: return visit.template operator()<Complex<float>>();
    case SumType::kC128: return visit.template operator()<Complex<double>>();
  }
}

/// Whether elements of a type are those of the sum, bit by bit.
template <typename T>
bool is_own_type(ElementType type) {
  if constexpr (std::is_same_v<T, float>) return type == ElementType::kF32;
  else if constexpr (std::is_same_v<T, double>) return type == ElementType::kF64;
  else if constexpr (std::is_same_v<T, uint64_t>) return type == ElementType::kS64 || type == ElementType::kU64;
  else if constexpr (std::is_same_v<T, Complex<float>>) return type == ElementType::kC64;
  else return type == ElementType::kC128;
}

// Floats of 8 bits and fewer are no operands.
template <typename To, typename From>
To converted(const From& x) {
  if constexpr (is_narrow_float_twin<From>) {
    return To();
  } else if constexpr (is_complex(element_type_of<From>)) {
    if constexpr (kIsComplex<To>) return {static_cast<RealOf<To>>(x.real()), static_cast<RealOf<To>>(x.imag())};
    else return To();  // not a sum of such elements
  } else if constexpr (std::is_same_v<To, uint64_t>) {
    if constexpr (is_integral_element<From>) return static_cast<uint64_t>(static_cast<int64_t>(x));
    else return 0;
  } else if constexpr (std::is_same_v<From, double> || is_integral_element<From>) {
    return To(static_cast<RealOf<To>>(x));
  } else {
    return To(static_cast<RealOf<To>>(static_cast<float>(x)));
  }
}

template <typename To, typename From>
To narrowed(const From& x) {
  if constexpr (is_narrow_float_twin<To>) {
    return To();
  } else if constexpr (is_complex(element_type_of<To>)) {
    using Part = typename To::value_type;
    if constexpr (kIsComplex<From>) return {static_cast<Part>(x.re), static_cast<Part>(x.im)};
    else return To();
  } else if constexpr (is_integral_element<To>) {
    if constexpr (std::is_same_v<From, uint64_t>) return static_cast<To>(static_cast<int64_t>(x));
    else return To();
  } else if constexpr (std::is_same_v<From, float> || std::is_same_v<From, double>) {
    if constexpr (std::is_same_v<To, double>) return x;
    else return static_cast<To>(static_cast<float>(x));
  } else {
    return To();
  }
}

/// Calls visit(offset, first index, count, stride) for rows of the elements of an array, in order.
template <typename Visit>
void for_rows(const ArrayPlaces& places, const Visit& visit) {
  constexpr size_t kOuter = ArrayPlaces::kMaxDimensions - 1;
  const ArrayPlaces::Dimension& last = places.dimensions[kOuter];
  std::array<int64_t, kOuter> index{};
  int64_t offset = places.offset;
  for (int64_t first = 0; first < places.count; first += last.extent) {
    visit(offset, first, last.extent, last.stride);
    for (size_t d = kOuter; d-- > 0;) {
      const ArrayPlaces::Dimension& dimension = places.dimensions[d];
      offset += dimension.stride;
      if (++index[d] < dimension.extent) break;
      offset -= dimension.stride * dimension.extent;
      index[d] = 0;
    }
  }
}

/// Returns the elements of an operand in order, as sums are computed.
template <typename T>
const T* prepared(const void* data, ElementType type, const ArrayPlaces& places, Scratch& scratch) {
  if (places.is_dense && is_own_type<T>(type)) return static_cast<const T*>(data) + places.offset;
  T* const to = scratch.take<T>(static_cast<size_t>(places.count)).data();
  visit_array_type(
      type,
      [&]<typename From>() {
        const auto* const from = static_cast<const From*>(data);
        for_rows(places, [&](int64_t offset, int64_t first, int64_t count, int64_t stride) {
          for (int64_t i = 0; i < count; ++i) to[first + i] = converted<T>(from[offset + i * stride]);
        });
      },
      [] {});
  return to;
}

template <typename T>
void write_result(const T* from, ElementType type, const ArrayPlaces& places, void* data) {
  visit_array_type(
      type,
      [&]<typename To>() {
        auto* const to = static_cast<To*>(data);
        for_rows(places, [&](int64_t offset, int64_t first, int64_t count, int64_t stride) {
          for (int64_t i = 0; i < count; ++i) to[offset + i * stride] = narrowed<To>(from[first + i]);
        });
      },
      [] {});
}

int64_t panels_of(const ConvolutionProblem& p, int64_t columns) { return (p.outputs.extent + columns - 1) / columns; }

/// The memory of a part: operands as tiles read them, and a tile of sums.
template <typename T>
struct PartMemory {
  T *a, *b, *c;
  int64_t* offsets;  ///< of terms, if windows are read

  /// Elements of `a`: a padded input, or packed rows.
  static int64_t left_count(const ConvolutionProblem& p) {
    return reads_windows(p, kTileRows) ? padded_count(p) : kTileRows * p.terms();
  }
  static int64_t offset_count(const ConvolutionProblem& p) { return reads_windows(p, kTileRows) ? p.terms() : 0; }

  PartMemory(Scratch scratch, const ConvolutionProblem& p, int64_t columns) {
    a = scratch.take<T>(static_cast<size_t>(left_count(p))).data();
    b = scratch.take<T>(static_cast<size_t>(panels_of(p, columns) * columns * p.terms())).data();
    c = scratch.take<T>(static_cast<size_t>(kTileRows * columns)).data();
    offsets = scratch.take<int64_t>(static_cast<size_t>(offset_count(p))).data();
  }
  static size_t bytes(const ConvolutionProblem& p, int64_t columns) {
    return bytes_of<T>(left_count(p)) + bytes_of<T>(panels_of(p, columns) * columns * p.terms()) +
           bytes_of<T>(kTileRows * columns) + bytes_of<int64_t>(offset_count(p));
  }
};

/// Calls visit(k, tap of each dimension) for the first term of each tap.
template <typename Visit>
void for_taps(const ConvolutionProblem& p, const Visit& visit) {
  int64_t k = 0;
  for (int64_t u = 0; u < p.dims[0].taps; ++u) {
    for (int64_t v = 0; v < p.dims[1].taps; ++v) {
      for (int64_t w = 0; w < p.dims[2].taps; ++w, k += p.inputs.extent) visit(k, std::array<int64_t, 3>{u, v, w});
    }
  }
}

/// Packs the right operand of a group: panels of columns, term by term. Missing columns are zero.
template <typename T>
void pack_right(const ConvolutionProblem& p, const T* rhs, int64_t columns, T* to) {
  const int64_t panels = panels_of(p, columns), terms = p.terms();
  auto* const parts = reinterpret_cast<RealOf<T>*>(to);
  for_taps(p, [&](int64_t first, const std::array<int64_t, 3>& tap) {
    int64_t at = p.rhs_offset;
    for (size_t d = 0; d < 3; ++d) at += tap[d] * p.dims[d].rhs_stride;
    for (int64_t i = 0; i < p.inputs.extent; ++i) {
      const T* const from = rhs + at + i * p.inputs.rhs_stride;
      for (int64_t o = 0; o < panels * columns; ++o) {
        const T value = o < p.outputs.extent ? from[o * p.outputs.rhs_stride] : T();
        const int64_t row = (o / columns * terms + first + i) * columns, column = o % columns;
        if constexpr (kIsComplex<T>) {
          parts[2 * row + column] = value.re;
          parts[2 * row + columns + column] = value.im;
        } else {
          to[row + column] = value;
        }
      }
    }
  });
}

/// A row of the result: a batch and a position.
struct ProductRow {
  int64_t lhs, out;  ///< of its first element
  std::array<int64_t, 3> position;
};

/// Goes from the end of a line to the next line, or to the first position of the next batch.
void advance_line(const ConvolutionProblem& p, ProductRow& row) {
  row.out -= (p.dims[2].count - 1) * p.dims[2].out_stride;
  row.position[2] = 0;
  for (size_t d = 2; d-- > 0;) {
    row.out += p.dims[d].out_stride;
    if (++row.position[d] < p.dims[d].count) return;
    row.out -= p.dims[d].count * p.dims[d].out_stride;
    row.position[d] = 0;
  }
  row.lhs += p.batch.lhs_stride;
  row.out += p.batch.out_stride;
}

/// Goes to the next position, or to the first one of the next batch.
inline void advance(const ConvolutionProblem& p, ProductRow& row) {
  if (row.position[2] + 1 == p.dims[2].count) return advance_line(p, row);
  ++row.position[2];
  row.out += p.dims[2].out_stride;
}

/// Packs row `r` of a tile. Padding is zero.
template <typename T>
void pack_left(const ConvolutionProblem& p, const T* lhs, const ProductRow& row, int64_t r, T* to) {
  for_taps(p, [&](int64_t first, const std::array<int64_t, 3>& tap) {
    int64_t at = row.lhs;
    bool is_inside = true;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t place = p.dims[d].origin + row.position[d] * p.dims[d].step + tap[d] * p.dims[d].tap_step;
      is_inside &= place >= 0 && place < p.dims[d].size;
      at += place * p.dims[d].lhs_stride;
    }
    for (int64_t i = 0; i < p.inputs.extent; ++i)
      to[(first + i) * kTileRows + r] = is_inside ? lhs[at + i * p.inputs.lhs_stride] : T();
  });
}

/// Computes by BLAS, if it is linked, what is a large product of matrices for each group.
template <typename T>
bool run_linked(const ConvolutionProblem& p, const T* lhs, const T* rhs, T* out) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return false;
  } else {
    const auto gemm = linked_lapack<T>().gemm;
    const int64_t least = std::min({p.batch.extent, p.inputs.extent, p.outputs.extent});
    const int64_t most = std::max({p.batch.lhs_stride, p.inputs.rhs_stride, p.batch.out_stride, p.batch.extent});
    const bool has_rows = p.inputs.lhs_stride == 1 && p.outputs.rhs_stride == 1 && p.outputs.out_stride == 1 &&
                          p.positions() == 1 && p.taps() == 1;
    if (gemm == nullptr || least < kLinkedMin || most > std::numeric_limits<int>::max() || !has_rows) return false;
    const auto size = [](int64_t extent) { return static_cast<int>(extent); };
    const int m = size(p.outputs.extent), n = size(p.batch.extent), k = size(p.inputs.extent),
              right = size(p.inputs.rhs_stride), left = size(p.batch.lhs_stride), to = size(p.batch.out_stride);
    const T one(1), zero(0);
    for (int64_t group = 0; group < p.groups.extent; ++group)  // BLAS sees the transposes
      gemm("N", "N", &m, &n, &k, &one, rhs + p.rhs_offset + group * p.groups.rhs_stride, &right,
           lhs + group * p.groups.lhs_stride, &left, &zero, out + p.out_offset + group * p.groups.out_stride, &to);
    return true;
  }
}

using TileRows = std::array<ProductRow, kTileRows>;

/// Returns the rows of a tile from `next` on, which it advances over them. The last of `count` rows is repeated.
inline TileRows take_rows(const ConvolutionProblem& p, int64_t count, ProductRow& next) {
  TileRows rows;
  for (int64_t r = 0; r < kTileRows; ++r) {
    rows[static_cast<size_t>(r)] = next;
    if (r + 1 < count) advance(p, next);
  }
  if (count <= kTileRows) advance(p, next);
  return rows;
}

/// Writes sums to places of a stride.
template <typename T>
void store_sums(const T* from, int64_t count, int64_t stride, T* to) {
  if (stride == 1) {
    for (int64_t j = 0; j < count; ++j) to[j] = from[j];
  } else {
    for (int64_t j = 0; j < count; ++j) to[j * stride] = from[j];
  }
}

/// One group of a part.
template <typename T>
struct GroupProduct {
  const ConvolutionProblem& p;
  const Tile<T>& tile;
  const PartMemory<T>& memory;
  const T* lhs;
  T* out;
  const Stop& stop;

  /// Computes the first `used` rows of a tile. `sum(b)` computes the sums for a panel.
  template <typename Sum>
  void write_tile(const TileRows& rows, int64_t used, const Sum& sum) const {
    const int64_t columns = tile.columns();
    for (int64_t panel = 0; panel < panels_of(p, columns); ++panel) {
      sum(memory.b + panel * p.terms() * columns);
      const int64_t count = std::min(columns, p.outputs.extent - panel * columns);
      for (int64_t r = 0; r < used; ++r) {
        T* const to = out + rows[static_cast<size_t>(r)].out + panel * columns * p.outputs.out_stride;
        store_sums(memory.c + r * columns, count, p.outputs.out_stride, to);
      }
    }
  }

  /// Packs the rows of each tile.
  void run_packed() const {
    const int64_t count = p.batch.extent * p.positions();
    ProductRow next{0, p.out_offset, {}};
    for (int64_t first = 0; first < count && !stop.raised(); first += kTileRows) {
      const TileRows rows = take_rows(p, count - first, next);
      for (int64_t r = 0; r < kTileRows; ++r) pack_left(p, lhs, rows[static_cast<size_t>(r)], r, memory.a);
      write_tile(rows, std::min(kTileRows, count - first),
                 [&](const T* b) { tile.run(memory.a, b, p.terms(), memory.c); });
    }
  }

  /// Reads the windows of each batch where they are, or in a padded copy.
  void run_windows() const {
    const int64_t positions = p.positions();
    ProductRow next{0, p.out_offset, {}};
    for (int64_t batch = 0; batch < p.batch.extent; ++batch) {
      const PaddedInput<T> input = padded_input(p, lhs + batch * p.batch.lhs_stride, memory.a);
      if (batch == 0) {
        for_taps(p, [&](int64_t k, const std::array<int64_t, 3>& tap) {
          for (int64_t i = 0; i < p.inputs.extent; ++i)
            memory.offsets[k + i] = input.distance(p, tap) + i * input.input_stride;
        });
      }
      for (int64_t first = 0; first < positions && !stop.raised(); first += kTileRows) {
        const TileRows rows = take_rows(p, positions - first, next);
        std::array<const T*, kTileRows> windows;
        for (size_t r = 0; r < rows.size(); ++r) windows[r] = input.window(p, rows[r].position);
        write_tile(rows, std::min(kTileRows, positions - first),
                   [&](const T* b) { tile.run_rows(windows.data(), memory.offsets, b, p.terms(), memory.c); });
      }
    }
  }
};

template <typename T>
void run_part(const ConvolutionProblem& p, const Tile<T>& tile, const T* lhs, const T* rhs, T* out, Scratch scratch,
              const Stop& stop) {
  if (run_linked(p, lhs, rhs, out)) return;
  const PartMemory<T> memory(scratch, p, tile.columns());
  for (int64_t group = 0; group < p.groups.extent; ++group) {
    pack_right(p, rhs + group * p.groups.rhs_stride, tile.columns(), memory.b);
    const GroupProduct<T> product{
        p, tile, memory, lhs + group * p.groups.lhs_stride, out + group * p.groups.out_stride, stop};
    if (reads_windows(p, kTileRows)) product.run_windows();
    else product.run_packed();
  }
}

template <typename T>
void run(const Call& call, const ProductProblem& p) {
  if (p.out.count == 0) return;
  Scratch scratch(call);
  const T* const lhs = prepared<T>(call.buffers[0], p.lhs_type, p.lhs, scratch);
  const T* const rhs = prepared<T>(call.buffers[1], p.rhs_type, p.rhs, scratch);
  const bool is_direct = p.out.is_dense && is_own_type<T>(p.out_type);
  T* const out = is_direct ? static_cast<T*>(call.buffers[2]) + p.out.offset
                           : scratch.take<T>(static_cast<size_t>(p.out.count)).data();
  const std::span<const ConvolutionProblem> parts = p.parts.of(&p);
  if (std::ranges::any_of(parts, &ConvolutionProblem::is_empty)) std::fill_n(out, p.out.count, T());
  for (const ConvolutionProblem& part : parts) {
    if (!part.is_empty()) run_part(part, tile_of<T>(p.isa), lhs, rhs, out, scratch, stop_of(call));
  }
  if (!is_direct) write_result(out, p.out_type, p.out, call.buffers[2]);
}

}  // namespace

size_t product_scratch(const ProductProblem& p, std::span<const ConvolutionProblem> parts) {
  size_t sum = 0;
  visit_sum(p.sum, [&]<typename T>() {
    const auto copied = [](const ArrayPlaces& places, ElementType type) {
      return places.is_dense && is_own_type<T>(type) ? 0 : bytes_of<T>(places.count);
    };
    size_t largest = 0;
    for (const ConvolutionProblem& part : parts)
      largest = std::max(largest, PartMemory<T>::bytes(part, tile_of<T>(p.isa).columns()));
    sum = copied(p.lhs, p.lhs_type) + copied(p.rhs, p.rhs_type) + copied(p.out, p.out_type) + largest;
  });
  return sum;
}

void hilo_rt_product(const Call* call, int64_t, int64_t) {
  const auto& p = problem_of<ProductProblem>(*call);
  visit_sum(p.sum, [&]<typename T>() { run<T>(*call, p); });
}

}  // namespace hilo::cpu::runtime
