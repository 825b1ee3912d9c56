// SPDX-License-Identifier: Apache-2.0
// eigen_programs.cc -- programs of tests/golden/record_objects.py by hand, with Eigen: `entry` for loop.c.
// -DPROGRAM=policy or filter selects it.
#include <Eigen/Dense>
#include <cmath>

namespace {

template <typename T, int Rows, int Columns>
using RowMajor = Eigen::Matrix<T, Rows, Columns, (Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor)>;

template <typename T, int Rows, int Columns = 1>
auto argument(const void* address) {
  return Eigen::Map<const RowMajor<T, Rows, Columns>>(static_cast<const T*>(address));
}

template <typename T, int Rows, int Columns = 1>
auto result(void* address) {
  return Eigen::Map<RowMajor<T, Rows, Columns>>(static_cast<T*>(address));
}

int policy(const void* const* a, void* const* r) {
  using Layer = Eigen::Matrix<float, 64, 1>;
  const Layer first =
      (argument<float, 12, 64>(a[0]).transpose() * argument<float, 12>(a[6]) + argument<float, 64>(a[1]))
          .array()
          .tanh();
  const Layer second = (argument<float, 64, 64>(a[2]).transpose() * first + argument<float, 64>(a[3])).array().tanh();
  result<float, 4>(r[0]) = argument<float, 64, 4>(a[4]).transpose() * second + argument<float, 4>(a[5]);
  return 0;
}

/// The derivatives are written out, as they are in such filters.
int filter(const void* const* a, void* const* r) {
  using State = Eigen::Matrix<double, 5, 1>;
  using Square = Eigen::Matrix<double, 5, 5>;
  State m = argument<double, 5>(a[0]);
  const double dt = *static_cast<const double*>(a[3]), c = std::cos(m[2]), s = std::sin(m[2]);
  Square f = Square::Identity();
  f(0, 2) = -dt * m[3] * s;
  f(0, 3) = dt * c;
  f(1, 2) = dt * m[3] * c;
  f(1, 3) = dt * s;
  f(2, 4) = dt;
  m += dt * State(m[3] * c, m[3] * s, m[4], 0, 0);
  const Square p = f * argument<double, 5, 5>(a[1]) * f.transpose() + 0.01 * Square::Identity();
  const double x = m[0] - 4, y = m[1] - 3, square = x * x + y * y, distance = std::sqrt(square);
  Eigen::Matrix<double, 2, 5> h = Eigen::Matrix<double, 2, 5>::Zero();
  h.row(0).head<2>() << x / distance, y / distance;
  h.row(1).head<3>() << -y / square, x / square, -1;
  const Eigen::Matrix2d innovation = h * p * h.transpose() + 0.1 * Eigen::Matrix2d::Identity();
  const Eigen::Matrix<double, 5, 2> gain = p * h.transpose() * innovation.inverse();
  const Eigen::Vector2d expected(distance, std::atan2(-y, -x) - m[2]);
  result<double, 5>(r[0]) = m + gain * (argument<double, 2>(a[2]) - expected);
  result<double, 5, 5>(r[1]) = (Square::Identity() - gain * h) * p;
  return 0;
}

}  // namespace

extern "C" int entry(const void* const* arguments, void* const* results) { return PROGRAM(arguments, results); }
