// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/spatial/transform/slerp.h"

#include "hilo/array/refuse.h"
#include "hilo/numpy/numpy.h"

namespace hilo::scipy::spatial::transform {

Slerp Slerp::init(const Operand& operand, const Rotation& rotations) {
  const UserLocation here(operand.location());
  if (rotations.single() || rotations.size() < 2) refuse("Slerp", "wanted two rotations or more");
  const int64_t count = rotations.size();
  const Array times = numpy::astype(operand.array(), rotations.quat.dtype());
  if (times.ndim() != 1 || times.shape(0) != count)
    refuse("Slerp", "times must be a vector of one time for each rotation, " + std::to_string(count) + "; got " +
                        times.aval_shape().to_string());
  const Rotation from = rotations[range(0, count - 1)], to = rotations[range(1, count)];
  return {times, numpy::diff(times), from, (from.inv() * to).as_rotvec()};
}

Rotation Slerp::operator()(const Operand& operand) const {
  const UserLocation here(operand.location());
  const Array at = numpy::astype(operand.array(), times.dtype());
  if (at.ndim() > 1) refuse("Slerp", "wanted a time or a vector of times; got " + at.aval_shape().to_string());
  const Array before = numpy::maximum(numpy::searchsorted(times, at) - 1, 0);
  const Array i = numpy::minimum(before, timedelta.shape(0) - 1);
  const Array share = (at - numpy::take(times, i)) / numpy::take(timedelta, i);
  const Array turn = numpy::take(rotvecs, i, 0) * numpy::expand_dims(share, -1);
  return Rotation{numpy::take(rotations.quat, i, 0)} * Rotation::from_rotvec(turn);
}

}  // namespace hilo::scipy::spatial::transform
