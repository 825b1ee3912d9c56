// SPDX-License-Identifier: Apache-2.0
// bench/small/eigen_programs.cc -- programs of bench/small.cc by hand, with Eigen: "row<TAB>microseconds<TAB>sum".
#include <Eigen/Dense>
#include <cstdio>

#include "bench/timing.h"

namespace {

template <int Rows, int Columns = 1>
using Matrix = Eigen::Matrix<double, Rows, Columns>;

template <int Rows, int Columns = 1>
Matrix<Rows, Columns> wave(double seed) {
  Matrix<Rows, Columns> result;
  for (int k = 0; k < Rows * Columns; ++k) result(k / Columns, k % Columns) = std::sin(seed + 1.7 * k);
  return result;
}

template <typename Call, typename Sum>
void row(const char* name, const Call& call, const Sum& sum) {
  call();
  std::printf("%s\t%.4f\t%.12g\n", name, bench::median_microseconds(call), sum());
}

template <typename T>
void keep(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

Matrix<9> flight(const Matrix<9>& x) {
  const Matrix<3> through = x.segment<3>(3) - x.tail<3>();
  Matrix<9> next;
  next << x.head<3>() + 0.01 * x.segment<3>(3), x.segment<3>(3) - 0.001 * through.norm() * through, 0.999 * x.tail<3>();
  return next;
}

/// The derivatives are written out, as they are in such filters.
Matrix<9, 9> flight_jacobian(const Matrix<9>& x) {
  const Matrix<3> through = x.segment<3>(3) - x.tail<3>();
  const double norm = through.norm();
  const Matrix<3, 3> drag = -0.001 * (norm * Matrix<3, 3>::Identity() + through * through.transpose() / norm);
  Matrix<9, 9> f = Matrix<9, 9>::Identity();
  f.block<3, 3>(0, 3) = 0.01 * Matrix<3, 3>::Identity();
  f.block<3, 3>(3, 3) += drag;
  f.block<3, 3>(3, 6) = -drag;
  f.block<3, 3>(6, 6) *= 0.999;
  return f;
}

struct Belief {
  Matrix<9> mean;
  Matrix<9, 9> covariance;
};

Belief filter(const Belief& belief, const Matrix<3>& measured) {
  const Matrix<9, 9> f = flight_jacobian(belief.mean);
  const Matrix<9> predicted = flight(belief.mean);
  const Matrix<9, 9> p = f * belief.covariance * f.transpose() + 0.001 * Matrix<9, 9>::Identity();
  Matrix<3, 9> h = Matrix<3, 9>::Zero();
  Matrix<3> distance;
  for (int k = 0; k < 3; ++k) {
    const Matrix<3> apart = predicted.head<3>() - 10 * Matrix<3>::Unit(k);
    distance[k] = apart.norm();
    h.block<1, 3>(k, 0) = apart.transpose() / distance[k];
  }
  const Matrix<3, 9> hp = h * p;
  const Matrix<3, 3> s = hp * h.transpose() + 0.01 * Matrix<3, 3>::Identity();
  const Matrix<9, 3> gain = (s.inverse() * hp).transpose();
  return {predicted + gain * (measured - distance), p - gain * hp};
}

Matrix<6, 6> riccati(const Matrix<6, 6>& a, const Matrix<6, 2>& b) {
  Matrix<6, 6> p = Matrix<6, 6>::Identity();
  for (int step = 0; step < 30; ++step) {
    const Matrix<6, 6> pa = p * a;
    const Matrix<6, 2> pb = p * b;
    const Matrix<2, 2> r = Matrix<2, 2>::Identity() + b.transpose() * pb;
    p = Matrix<6, 6>::Identity() + a.transpose() * pa - a.transpose() * pb * (r.inverse() * (b.transpose() * pa));
  }
  return p;
}

}  // namespace

int main() {
  Belief belief{wave<9>(4), Matrix<9, 9>::Identity()}, next;
  const Matrix<3> measured = wave<3>(5) + Matrix<3>::Constant(10);
  row(
      "kalman_filter",
      [&] {
        keep(belief);
        next = filter(belief, measured);
        keep(next);
      },
      [&] { return next.mean.sum() + next.covariance.sum(); });
  Matrix<6, 6> a = 0.5 * wave<6, 6>(6), p;
  Matrix<6, 2> b = wave<6, 2>(7);
  row(
      "riccati",
      [&] {
        keep(a);
        p = riccati(a, b);
        keep(p);
      },
      [&] { return p.sum(); });
  Matrix<2, 2> square = wave<2, 2>(1);
  Matrix<2> right = wave<2>(2), solution;
  row(
      "solve_2",
      [&] {
        keep(square);
        solution = square.partialPivLu().solve(right);
        keep(solution);
      },
      [&] { return solution.sum(); });
  Matrix<64, 64> w = 0.1 * wave<64, 64>(8), v = 0.1 * wave<64, 64>(9);
  Matrix<64> x = wave<64>(1), y;
  row(
      "mlp_64",
      [&] {
        keep(x);
        y.noalias() = v * (w * x).array().tanh().matrix();
        keep(y);
      },
      [&] { return y.sum(); });
}
