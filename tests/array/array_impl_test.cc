// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/array_impl.h"

#include <gtest/gtest.h>

#include "hilo/array/device_put.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Kinds = tests::EightDevices;

/// Every query has the same result as for a plain array of the same value.
void expect_answers(const Array& array, const DevicePtr& device, size_t buffers) {
  const ArrayImpl& impl = array.impl();
  const Array plain = Array(impl.literal());
  EXPECT_TRUE(impl.literal().identical(plain.to_literal()));
  const HostView view = impl.host_view();
  EXPECT_TRUE(std::equal(view.data, view.data + plain.aval_shape().byte_size(), plain.to_literal().bytes().data()));
  EXPECT_EQ(impl.device(), device);
  EXPECT_EQ(impl.buffers().size(), buffers);
  for (const DevicePtr& other : {devices()[0], devices()[5]}) {
    const BufferPtr there = impl.on(other);
    EXPECT_EQ(there->device(), other);
    EXPECT_TRUE(array_from_buffer(there).to_literal().identical(plain.to_literal()));
  }
  const auto weak = impl.with_weak_type(!array.weak_type());
  EXPECT_EQ(weak->aval, Aval(array.aval_shape(), !array.weak_type()));
  EXPECT_TRUE(weak->literal().identical(plain.to_literal()));
}

TEST_F(Kinds, EachAnswersForItself) {
  const Array plain = numpy::arange(8.0f), far = device_put(plain, devices()[3]);
  const Array shared = device_put(plain, NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("y")));
  expect_answers(2.5f, devices()[0], 0);
  expect_answers(plain, devices()[0], 1);
  expect_answers(far, devices()[3], 1);
  expect_answers(shared, devices()[0], 8);
  for (const Array& array : {plain, far, shared}) EXPECT_EQ(array.impl().to_string(), "[0. 1. 2. 3. 4. 5. 6. 7.]");
  EXPECT_EQ(Array(2.5f).impl().to_string(), "2.5");
  EXPECT_EQ(far.impl().on(devices()[3]), far.impl().buffers()[0]);  // no copy
}

TEST_F(Kinds, ATracerAnswersByTheValueBehindIt) {
  int calls = 0;
  const auto f = [&](const Array& x) {
    EXPECT_EQ(x.impl().kind, ArrayImpl::Kind::kTracer);
    expect_answers(x, devices()[0], 0);
    EXPECT_EQ(x.to_string(), "Traced<f32[]>");
    EXPECT_EQ(concrete_value(x).impl().kind, ArrayImpl::Kind::kBuffer);
    ++calls;
    return x * x;
  };
  const Array x = numpy::array(3.0f) * 1.0f;
  grad(f)(x);
  grad(grad(f))(x);
  EXPECT_GE(calls, 2);
}

TEST_F(Kinds, ATracerWithoutAValueRefusesEachQuestion) {
  const auto f = jit([](const Array& x) {
    const ArrayImpl& impl = x.impl();
    EXPECT_THROW(static_cast<void>(impl.literal()), ConcretizationError);
    EXPECT_THROW(static_cast<void>(impl.host_view()), ConcretizationError);
    EXPECT_THROW(static_cast<void>(impl.device()), ConcretizationError);
    EXPECT_THROW(static_cast<void>(impl.on(devices()[0])), ConcretizationError);
    EXPECT_THROW(x.delete_(), ConcretizationError);
    EXPECT_TRUE(impl.buffers().empty());
    block_until_ready(x);  // no pending work
    return x;
  });
  f(1.0f);
}

TEST_F(Kinds, OperationsOnAShardedArrayRunOnItsMesh) {
  const NamedSharding sharding(make_mesh({8}, {"x"}), P("x"));
  const Array x = device_put(numpy::arange(8.0f), sharding);
  const Array sum = x + 1.0f, other = numpy::arange(8.0f) * x;
  EXPECT_EQ(sum.sharding(), sharding);
  EXPECT_EQ(other.impl().kind, ArrayImpl::Kind::kSpread);
  EXPECT_EQ(sum.to_vector<int>(), std::vector<int>({1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace hilo
