// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/sparse_factor.cc -- hilo_sparse_factor_ffi.
#include "hilo/backend/cpu/library/hero.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/sparse/sparse_calls.h"
#include "hilo/backend/cpu/library/sparse/sparse_memory.h"
#include "hilo/base/sparse/read_plan.h"

namespace hilo::cpu {
namespace {

using sparse_direct::Plan;

/// The matrices of one call.
template <typename T>
struct Matrices {
  const FrontKernelsOf<T>& kernels;
  Plan plan;
  const T* values;
  T* factor;
  int32_t *pivots, *info;
  int64_t count;
};

/// The scratch memory of one factorization, or of one per lane.
template <typename T>
struct Workspace {
  T *stack, *largest, *panel;
  T *values, *factor;  ///< of lanes
  int32_t *pivots, *info;

  Workspace(Scratch& scratch, const Plan& plan, int64_t lanes)
      : stack(scratch.take<T>(lanes * plan.stack_size)),
        largest(scratch.take<T>(lanes * plan.size)),
        panel(scratch.take<T>(lanes * kPanel * plan.largest_front)),
        values(scratch.take<T>(lanes > 1 ? lanes * plan.entries : 0)),
        factor(scratch.take<T>(lanes > 1 ? lanes * plan.factor_size : 0)),
        pivots(scratch.take<int32_t>(lanes > 1 ? lanes * plan.size : 0)),
        info(scratch.take<int32_t>(lanes > 1 ? lanes * 2 : 0)) {}
};

template <typename T>
void factor_one(const Matrices<T>& m, int64_t k, const Workspace<T>& own) {
  m.kernels.factor({&m.plan, m.values + k * m.plan.entries, m.factor + k * m.plan.factor_size,
                    m.pivots + k * m.plan.size, m.info + 2 * k, own.stack, own.largest, own.panel,
                    polled_word(stop_word())});
}

template <typename T>
void factor_lanes(const Matrices<T>& m, int64_t first, const Workspace<T>& own) {
  const FrontKernelsOf<T>& kernels = m.kernels;
  const int64_t lanes = kernels.lanes;
  kernels.pack(m.values + first * m.plan.entries, m.plan.entries, m.plan.entries, own.values);
  kernels.factor_lanes({&m.plan, own.values, own.factor, own.pivots, own.info, own.stack, own.largest, own.panel,
                        polled_word(stop_word())});
  kernels.unpack(own.factor, m.plan.factor_size, m.factor + first * m.plan.factor_size, m.plan.factor_size);
  for (int64_t l = 0; l < lanes; ++l) {
    for (int64_t k = 0; k < m.plan.size; ++k) m.pivots[(first + l) * m.plan.size + k] = own.pivots[k * lanes + l];
    for (int64_t k = 0; k < 2; ++k) m.info[(first + l) * 2 + k] = own.info[k * lanes + l];
  }
}

/// The multiplications of one factorization.
double work_of(const Plan& plan) {
  double work = plan.factor_size;
  for (int32_t f = 0; f < plan.fronts; ++f) {
    const double w = plan.columns_of(f), r = w + plan.rows_of(f);
    work += w * r * r;
  }
  return work;
}

template <typename T>
Status factor_all(const Matrices<T>& m) {
  const Groups groups{m.count, lanes_for(m.kernels, m.plan, m.count), 1,
                      static_cast<double>(m.count) * work_of(m.plan)};
  constexpr const char* kNoMemory = "hilo_sparse_factor_ffi: no memory for the factorization";
  return for_groups<Workspace<T>>(m.plan, groups, kNoMemory,
                                  [&](int64_t first, int64_t together, const Workspace<T>& own) {
                                    if (together == 1) factor_one(m, first, own);
                                    else factor_lanes(m, first, own);
                                  });
}

}  // namespace

Status sparse_factor(const CustomCallFrame& frame) {
  using lapack::batch_of, lapack::operand, lapack::result;
  HILO_ASSIGN_OR_RETURN(const auto list, batch_of<int32_t>(operand(frame, 0), 1));
  HILO_ASSIGN_OR_RETURN(const Plan plan,
                        sparse_direct::read_plan({list.data, static_cast<size_t>(list.count * list.size())}));
  return lapack::for_element_type(frame, operand(frame, 1), [&]<typename T>() -> Status {
    if constexpr (!std::is_floating_point_v<T>) {
      return unimplemented("hilo_sparse_factor_ffi: wanted f32 or f64");
    } else {
      HILO_ASSIGN_OR_RETURN(const auto values, batch_of<T>(operand(frame, 1), 1));
      HILO_ASSIGN_OR_RETURN(const auto factor, batch_of<T>(result(frame, 0), 1));
      HILO_ASSIGN_OR_RETURN(const auto pivots, batch_of<int32_t>(result(frame, 1), 1));
      HILO_ASSIGN_OR_RETURN(const auto info, batch_of<int32_t>(result(frame, 2), 1));
      const int64_t count = values.count;
      HILO_RETURN_IF_ERROR(lapack::check_fits(frame, list.count == 1 && values.rows == plan.entries &&
                                                         factor.rows == plan.factor_size && pivots.rows == plan.size &&
                                                         info.rows == 2 && factor.count == count &&
                                                         pivots.count == count && info.count == count));
      HILO_ASSIGN_OR_RETURN(const FrontKernelsOf<T>* const kernels, front_kernels<T>());
      return factor_all<T>({*kernels, plan, values.data, factor.data, pivots.data, info.data, count});
    }
  });
}

}  // namespace hilo::cpu
