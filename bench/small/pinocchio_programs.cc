// SPDX-License-Identifier: Apache-2.0
// bench/small/pinocchio_programs.cc -- the robot of bench/small.cc in Pinocchio: "row<TAB>microseconds<TAB>sum".
#include <cstdio>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "bench/timing.h"

namespace pin = pinocchio;

namespace {

constexpr int kJoints = 7, kBatch = 4096;

pin::Model make_arm() {
  const double masses[kJoints] = {4.0, 3.5, 3.0, 2.5, 1.7, 1.2, 0.4};
  const pin::SE3 at(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, 0.2));
  pin::Model model;
  for (int k = 0; k < kJoints; ++k) {
    const auto name = "joint" + std::to_string(k);
    const pin::JointIndex joint = k % 2 == 0 ? model.addJoint(k, pin::JointModelRZ(), at, name)
                                             : model.addJoint(k, pin::JointModelRY(), at, name);
    const Eigen::Vector3d center(0.01, -0.02, 0.11), diagonal = 0.01 * masses[k] * Eigen::Vector3d(1.0, 0.9, 0.4);
    model.appendBodyToJoint(joint, pin::Inertia(masses[k], center, Eigen::Matrix3d(diagonal.asDiagonal())));
  }
  return model;
}

Eigen::MatrixXd wave(double seed, int count = 1) {
  Eigen::MatrixXd result(kJoints, count);
  for (int k = 0; k < kJoints * count; ++k) result(k % kJoints, k / kJoints) = std::sin(seed + 1.7 * k);
  return result;
}

template <typename Call, typename Sum>
void row(const char* name, const Call& call, const Sum& sum) {
  call();
  const double result = sum();
  std::printf("%s\t%.4f\t%.12g\n", name, bench::median_microseconds(call), result);
}

}  // namespace

int main() {
  const pin::Model model = make_arm();
  pin::Data data(model);
  const Eigen::VectorXd q = wave(1), qd = wave(2), last = wave(3);
  row("inverse_dynamics", [&] { pin::rnea(model, data, q, qd, last); }, [&] { return data.tau.sum(); });
  row(
      "inverse_dynamics_jacobian", [&] { pin::computeRNEADerivatives(model, data, q, qd, last); },
      [&] { return data.dtau_dq.sum() + data.dtau_dv.sum(); });
  row("forward_dynamics", [&] { pin::aba(model, data, q, qd, last); }, [&] { return data.ddq.sum(); });
  row(
      "forward_dynamics_jacobian", [&] { pin::computeABADerivatives(model, data, q, qd, last); },
      [&] { return data.ddq_dq.sum() + data.ddq_dv.sum() + data.Minv.sum(); });
  row(
      "mass_matrix",
      [&] {
        data.M.setZero();
        pin::crba(model, data, q);
      },
      [&] { return 2 * data.M.triangularView<Eigen::Upper>().toDenseMatrix().sum() - data.M.diagonal().sum(); });
  const Eigen::MatrixXd qs = wave(1, kBatch), qds = wave(2, kBatch), lasts = wave(3, kBatch);
  Eigen::MatrixXd results(kJoints, kBatch);
  double slopes = 0;
  row(
      "inverse_dynamics_x4096",
      [&] {
        for (int k = 0; k < kBatch; ++k) results.col(k) = pin::rnea(model, data, qs.col(k), qds.col(k), lasts.col(k));
      },
      [&] { return results.sum(); });
  row(
      "inverse_dynamics_jacobian_x4096",
      [&] {
        slopes = 0;
        for (int k = 0; k < kBatch; ++k) {
          pin::computeRNEADerivatives(model, data, qs.col(k), qds.col(k), lasts.col(k));
          slopes += data.dtau_dq.sum() + data.dtau_dv.sum();
        }
      },
      [&] { return slopes; });
  row(
      "forward_dynamics_x4096",
      [&] {
        for (int k = 0; k < kBatch; ++k) results.col(k) = pin::aba(model, data, qs.col(k), qds.col(k), lasts.col(k));
      },
      [&] { return results.sum(); });
}
