// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's values are in tests/scipy/golden.inc.
#include "hilo/scipy/spatial/transform/rotation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::spatial::transform {
namespace {

float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }
Rotation some(int64_t count) { return Rotation::random(random::key(3), count); }

TEST(Rotation, EveryFormComesBackAsTheSameRotation) {
  const Rotation r = some(50);
  const Array matrix = r.as_matrix();
  EXPECT_LT(greatest(Rotation::from_matrix(matrix).as_matrix() - matrix), 1e-5);
  EXPECT_LT(greatest(Rotation::from_rotvec(r.as_rotvec()).as_matrix() - matrix), 1e-5);
  EXPECT_LT(greatest(Rotation::from_rotvec(r.as_rotvec(true), true).as_matrix() - matrix), 1e-5);
  EXPECT_LT(greatest(Rotation::from_mrp(r.as_mrp()).as_matrix() - matrix), 1e-5);
  EXPECT_LT(greatest(Rotation::from_quat(3.0f * r.as_quat()).as_matrix() - matrix), 1e-5);
  for (const char* seq : {"xyz", "xzy", "zxz", "yxy", "XYZ", "ZYX", "XZX"})
    EXPECT_LT(greatest(Rotation::from_euler(seq, r.as_euler(seq)).as_matrix() - matrix), 1e-4) << seq;
}

TEST(Rotation, MatricesTurnAndKeepLengths) {
  const Array m = some(20).as_matrix();
  EXPECT_LT(greatest(numpy::matmul(m, numpy::matrix_transpose(m)) - numpy::eye(3)), 1e-5);
  EXPECT_LT(greatest(hilo::linalg::det(m) - 1.0), 1e-5);
}

TEST(Rotation, ComposesAndInverts) {
  const Rotation p = some(10), q = Rotation::random(random::key(4), 10);
  EXPECT_LT(greatest((p * q).as_matrix() - numpy::matmul(p.as_matrix(), q.as_matrix())), 1e-5);
  EXPECT_LT(greatest((p * p.inv()).magnitude()),
            2e-3);  // near the identity, the angle is the square root of a rounding error
  const Array v = numpy::array({1.0f, 2.0f, 3.0f});
  EXPECT_LT(greatest(p.apply(p.apply(v), true) - v), 1e-5);
}

TEST(Rotation, QuarterTurnsGoWhereTheyShould) {
  const Rotation r = Rotation::from_euler("z", 90, true);
  EXPECT_TRUE(r.single());
  EXPECT_LT(greatest(r.apply(numpy::array({1.0f, 0.0f, 0.0f})) - numpy::array({0.0f, 1.0f, 0.0f})), 1e-6);
  // Extrinsic rotations: first about x, then about z. Intrinsic rotations: the reverse order.
  const Array angles = numpy::array({90, 90});
  const Array fixed = Rotation::from_euler("xz", angles, true).apply(numpy::array({0.0f, 1.0f, 0.0f}));
  const Array turning = Rotation::from_euler("XZ", angles, true).apply(numpy::array({0.0f, 1.0f, 0.0f}));
  EXPECT_LT(greatest(fixed - numpy::array({0.0f, 0.0f, 1.0f})), 1e-6);
  EXPECT_LT(greatest(turning - numpy::array({-1.0f, 0.0f, 0.0f})), 1e-6);
}

TEST(Rotation, AnglesThatCannotBeToldApartGoToTheFirst) {
  for (const char* seq : {"xyz", "XYZ"}) {
    const Rotation r = Rotation::from_euler(seq, numpy::array({0.3f, static_cast<float>(M_PI / 2), 0.2f}));
    const Array back = r.as_euler(seq);
    EXPECT_LT(greatest(Rotation::from_euler(seq, back).as_matrix() - r.as_matrix()), 1e-3) << seq;
  }
  EXPECT_EQ(Rotation::identity().as_euler("zxz").to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(Rotation, CanonicalQuaternionsHaveNoNegativeScalar) {
  const Array q = numpy::array({{0.5f, 0.5f, 0.5f, -0.5f}, {-1.0f, 0.0f, 0.0f, 0.0f}});
  const Array canonical = Rotation::from_quat(q).as_quat({.canonical = true, .scalar_first = true});
  EXPECT_EQ(canonical.to_vector<float>(), (std::vector<float>{0.5, -0.5, -0.5, -0.5, 0, 1, 0, 0}));
}

TEST(Rotation, DerivativesAtTheIdentityAreFinite) {
  const auto there_and_back = [](const Array& v) { return Rotation::from_rotvec(v).as_rotvec(); };
  for (float size : {0.0f, 1e-8f, 1e-4f, 0.5f}) {
    const Array v = size * numpy::array({0.6f, 0.0f, 0.8f});
    EXPECT_LT(greatest(jacfwd(there_and_back)(v) - numpy::eye(3)), 2e-3) << size;
    EXPECT_LT(greatest(jacrev(there_and_back)(v) - numpy::eye(3)), 2e-3) << size;
  }
}

TEST(Rotation, MeanIsTheRotationBetween) {
  const Rotation r = Rotation::from_euler("y", numpy::array({{10}, {30}}), true);
  EXPECT_NEAR(r.mean().as_rotvec(true)[1].item<float>(), 20, 1e-3);
  EXPECT_NEAR(r.mean({.weights = numpy::array({1, 0})}).as_rotvec(true)[1].item<float>(), 10, 1e-3);
}

TEST(Rotation, IsATree) {
  const Rotation r = some(6);
  const auto turned = [](const Rotation& p) { return p.apply(numpy::array({1.0f, 0.0f, 0.0f})); };
  EXPECT_LT(greatest(jit(turned)(r) - turned(r)), 1e-6);
  EXPECT_LT(greatest(vmap(turned)(r) - turned(r)), 1e-6);
  const Rotation slope = grad([&](const Rotation& p) { return numpy::sum(turned(p)); })(r);
  EXPECT_EQ(slope.quat.ndim(), 2);
  EXPECT_EQ(Rotation::concatenate({r, r}).size(), 12);
  EXPECT_EQ(r[range(1, 3)].size(), 2);
  EXPECT_TRUE(r[-1].single());
}

TEST(Rotation, IntegersBecomeFloatsAndOtherFloatsStay) {
  EXPECT_EQ(Rotation::from_quat(numpy::array({0, 0, 0, 2})).quat.dtype(), ElementType::kF32);
  EXPECT_EQ(Rotation::from_rotvec(numpy::zeros({3}, numpy::float16)).quat.dtype(), ElementType::kF16);
  EXPECT_EQ(Rotation::identity(2, numpy::bfloat16).quat.dtype(), ElementType::kBf16);
}

TEST(Rotation, RefusesWhatIsNone) {
  EXPECT_THROW(Rotation::from_quat(numpy::ones({3})), Error);
  EXPECT_THROW(Rotation::from_matrix(numpy::ones({3, 2})), Error);
  EXPECT_THROW(Rotation::from_euler("xx", numpy::ones({2})), Error);
  EXPECT_THROW(Rotation::from_euler("xY", numpy::ones({2})), Error);
  EXPECT_THROW(Rotation::from_euler("", numpy::ones({1})), Error);
  EXPECT_THROW(Rotation::from_euler("xyz", numpy::ones({2})), Error);
  const Rotation r = Rotation::identity();
  EXPECT_THROW((void)r.as_euler("xy"), Error);
  EXPECT_THROW((void)r.size(), Error);
  EXPECT_THROW((void)r[0], Error);
  EXPECT_THROW((void)r.mean(), Error);
  EXPECT_THROW((void)r.apply(numpy::ones({2})), Error);
  EXPECT_THROW((void)some(3).mean({.weights = numpy::ones({2})}), Error);
}

}  // namespace
}  // namespace hilo::scipy::spatial::transform
