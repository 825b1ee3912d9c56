// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/sparse_solve.cc -- hilo_sparse_solve_ffi.
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/sparse/sparse_calls.h"
#include "hilo/backend/cpu/library/sparse/sparse_memory.h"
#include "hilo/base/sparse/read_plan.h"

namespace hilo::cpu {
namespace {

using sparse_direct::Kind;
using sparse_direct::Plan;

/// One matrix and its right sides [size, columns], row-major.
template <typename T>
struct System {
  const FrontKernelsOf<T>& kernels;
  const Plan& plan;
  const T *values, *factor;
  const int32_t *pivots, *info;
  const T* b;
  T* x;
  int64_t columns;
  bool transposed;
};

/// Scratch memory for `width` right sides.
template <typename T>
struct Workspace {
  T *x, *moved;
  T *rest, *better;  ///< [size], for refinement

  Workspace(Scratch& scratch, const Plan& plan, int64_t width)
      : x(scratch.take<T>(width * plan.size)),
        moved(scratch.take<T>(width * plan.largest_front)),
        rest(scratch.take<T>(plan.size)),
        better(scratch.take<T>(plan.size)) {}
};

/// Solves for `count` columns of b, of which `width` are computed. Element (i, c) of b is at b[i * step + c].
template <typename T>
void solve_columns(const System<T>& s, const T* b, T* x, int64_t step, int64_t count, int64_t width,
                   const Workspace<T>& own) {
  const Plan& p = s.plan;
  const bool scales = p.kind == Kind::kLu;
  const auto each = [&](const int32_t* order, bool scaled, const auto& copy) {
    for (int32_t k = 0; k < p.size; ++k) {
      const T scale = scaled ? s.factor[order[k]] : T(1);
      copy(own.x + k * width, static_cast<int64_t>(order[k]) * step, scale);
    }
  };
  each(s.transposed ? p.column_order : p.row_order, scales && !s.transposed, [&](T* to, int64_t from, T scale) {
    for (int64_t c = 0; c < count; ++c) to[c] = scale * b[from + c];
    for (int64_t c = count; c < width; ++c) to[c] = 0;
  });
  (width == 1 ? s.kernels.solve : s.kernels.solve_sides)({&p, s.factor, s.pivots, own.x, own.moved, s.transposed});
  each(s.transposed ? p.row_order : p.column_order, scales && s.transposed, [&](const T* from, int64_t to, T scale) {
    for (int64_t c = 0; c < count; ++c) x[to + c] = scale * from[c];
  });
}

/// Computes rest = b - A x, and returns the normwise backward error of x.
template <typename T>
double backward_error(const System<T>& s, const T* b, const T* x, int64_t step, T* rest) {
  const Plan& p = s.plan;
  double matrix = 0, solution = 0, right = 0, error = 0;
  for (int32_t i = 0; i < p.size; ++i) rest[i] = b[i * step];
  const auto subtract = [&](int32_t row, int32_t column, T value) {
    if (s.transposed) std::swap(row, column);
    rest[row] -= value * x[column * step];
    matrix = std::max(matrix, std::abs(static_cast<double>(value)));
  };
  for (int32_t e = 0; e < p.entries; ++e) {
    if (p.entry_place[e] < 0) continue;
    const int32_t row = p.entry_row[e], column = p.entry_column[e];
    subtract(row, column, s.values[e]);
    if (p.kind != Kind::kLu && row != column) subtract(column, row, s.values[e]);
  }
  for (int32_t i = 0; i < p.size; ++i) {
    solution = std::max(solution, std::abs(static_cast<double>(x[i * step])));
    right = std::max(right, std::abs(static_cast<double>(b[i * step])));
    error = std::max(error, std::abs(static_cast<double>(rest[i])));
  }
  return error == 0 ? 0 : error / (matrix * solution + right);
}

template <typename T>
void fill_nan(T* x, int64_t size, int64_t step) {
  for (int64_t i = 0; i < size; ++i) x[i * step] = std::numeric_limits<T>::quiet_NaN();
}

/// Repeats x += A^-1 (b - A x) while the error decreases.
template <typename T>
void refine(const System<T>& s, const T* b, T* x, const Workspace<T>& own) {
  constexpr int kMaxSteps = 8;
  constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
  double error = backward_error(s, b, x, s.columns, own.rest);
  for (int k = 0; k < kMaxSteps && error > kEpsilon; ++k) {
    solve_columns(s, own.rest, own.better, 1, 1, 1, own);
    for (int32_t i = 0; i < s.plan.size; ++i) own.better[i] += x[i * s.columns];
    System<T> alone = s;
    alone.columns = 1;
    // The residual needs b with the distance of x.
    for (int32_t i = 0; i < s.plan.size; ++i) own.x[i] = b[i * s.columns];
    const double next = backward_error(alone, own.x, own.better, 1, own.rest);
    if (!(next < error)) break;
    error = next;
    for (int32_t i = 0; i < s.plan.size; ++i) x[i * s.columns] = own.better[i];
  }
  if (error > std::sqrt(kEpsilon)) fill_nan(x, s.plan.size, s.columns);
}

template <typename T>
void solve_system(const System<T>& s, int64_t width, const Workspace<T>& own) {
  for (int64_t c = 0; c < s.columns && s.info[0] == 0; c += width)
    solve_columns(s, s.b + c, s.x + c, s.columns, std::min(width, s.columns - c), width, own);
}

/// Improves or rejects the solution, as the factorization requires.
template <typename T>
void finish(const System<T>& s, const Workspace<T>& own) {
  if (s.info[0] != 0) return fill_nan(s.x, s.plan.size * s.columns, 1);
  if (s.info[1] == 0) return;
  for (int64_t c = 0; c < s.columns; ++c) refine(s, s.b + c, s.x + c, own);
}

/// Solves `lanes` consecutive systems with one right side each.
template <typename T>
void solve_lanes(const System<T>& first, int64_t lanes, const Workspace<T>& own) {
  const Plan& p = first.plan;
  const int64_t n = p.size;
  const auto each = [&](const int32_t* order, bool scaled, const auto& copy) {
    for (int64_t l = 0; l < lanes; ++l) {
      const T* const scales = first.factor + l * p.factor_size;
      for (int64_t k = 0; k < n; ++k) copy(own.x[k * lanes + l], l * n + order[k], scaled ? scales[order[k]] : T(1));
    }
  };
  const bool scales = p.kind == Kind::kLu, transposed = first.transposed;
  each(transposed ? p.column_order : p.row_order, scales && !transposed,
       [&](T& to, int64_t from, T scale) { to = scale * first.b[from]; });
  first.kernels.solve_lanes({&p, first.factor, first.pivots, own.x, own.moved, transposed});
  each(transposed ? p.row_order : p.column_order, scales && transposed,
       [&](const T& from, int64_t to, T scale) { first.x[to] = scale * from; });
}

/// The arrays of a call.
template <typename T>
struct Systems {
  const FrontKernelsOf<T>* kernels;
  lapack::Batch<T> values, factor, b, x;
  lapack::Batch<int32_t> pivots, info;
  bool transposed;

  System<T> item(const Plan& plan, int64_t k) const {
    return {*kernels,     plan,      values.item(k), factor.item(k), pivots.item(k),
            info.item(k), b.item(k), x.item(k),      b.columns,      transposed};
  }
};

template <typename T>
StatusOr<Systems<T>> systems_of(const CustomCallFrame& frame, const Plan& plan) {
  using lapack::batch_of, lapack::operand, lapack::result;
  Systems<T> s;
  HILO_ASSIGN_OR_RETURN(s.kernels, front_kernels<T>());
  HILO_ASSIGN_OR_RETURN(s.values, batch_of<T>(operand(frame, 1), 1));
  HILO_ASSIGN_OR_RETURN(s.factor, batch_of<T>(operand(frame, 2), 1));
  HILO_ASSIGN_OR_RETURN(s.pivots, batch_of<int32_t>(operand(frame, 3), 1));
  HILO_ASSIGN_OR_RETURN(s.info, batch_of<int32_t>(operand(frame, 4), 1));
  HILO_ASSIGN_OR_RETURN(s.b, batch_of<T>(operand(frame, 5), 2));
  HILO_ASSIGN_OR_RETURN(s.x, batch_of<T>(result(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(s.transposed, frame.attribute<bool>("transpose"));
  const int64_t count = s.b.count;
  HILO_RETURN_IF_ERROR(lapack::check_fits(
      frame, s.values.rows == plan.entries && s.factor.rows == plan.factor_size && s.pivots.rows == plan.size &&
                 s.info.rows == 2 && s.b.rows == plan.size && s.x.rows == plan.size && s.b.columns == s.x.columns &&
                 s.values.count == count && s.factor.count == count && s.pivots.count == count &&
                 s.info.count == count && s.x.count == count));
  // A file may contain other numbers than sparse_factor computes.
  for (int32_t f = 0; f < plan.fronts; ++f) {
    for (int64_t m = 0; m < count; ++m) {
      const int32_t* const own = s.pivots.item(m);
      for (int32_t k = plan.front_begin[f]; k < plan.front_begin[f + 1]; ++k) {
        if (own[k] < 0 || own[k] >= plan.columns_of(f))
          return invalid_argument("hilo_sparse_solve_ffi: the pivots belong to another factorization");
      }
    }
  }
  return s;
}

template <typename T>
Status solve_all(const Plan& plan, const Systems<T>& s) {
  const bool is_single = s.b.columns == 1;
  const int64_t lanes = is_single ? lanes_for(*s.kernels, plan, s.b.count) : 1,
                width = is_single ? 1 : s.kernels->lanes;
  const double work = static_cast<double>(s.b.count) * static_cast<double>(s.b.columns) * 2 * plan.factor_size;
  constexpr const char* kNoMemory = "hilo_sparse_solve_ffi: no memory for the solution";
  return for_groups<Workspace<T>>(plan, {s.b.count, lanes, width, work}, kNoMemory,
                                  [&](int64_t first, int64_t together, const Workspace<T>& own) {
                                    if (together > 1) solve_lanes(s.item(plan, first), together, own);
                                    else solve_system(s.item(plan, first), width, own);
                                    for (int64_t l = 0; l < together; ++l) finish(s.item(plan, first + l), own);
                                  });
}

}  // namespace

Status sparse_solve(const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const auto list, lapack::batch_of<int32_t>(lapack::operand(frame, 0), 1));
  HILO_ASSIGN_OR_RETURN(const Plan plan,
                        sparse_direct::read_plan({list.data, static_cast<size_t>(list.count * list.size())}));
  return lapack::for_element_type(frame, lapack::operand(frame, 1), [&]<typename T>() -> Status {
    if constexpr (!std::is_floating_point_v<T>) {
      return unimplemented("hilo_sparse_solve_ffi: wanted f32 or f64");
    } else {
      HILO_ASSIGN_OR_RETURN(const auto systems, systems_of<T>(frame, plan));
      return solve_all(plan, systems);
    }
  });
}

namespace {

/// Registers at load time.
const bool kRegistered = register_custom_call("hilo_sparse_factor_ffi", sparse_factor).ok() &&
                         register_custom_call("hilo_sparse_solve_ffi", sparse_solve).ok();

}  // namespace
}  // namespace hilo::cpu
