// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/dlpack.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hilo/base/buffer_pool.h"
#include "hilo/numpy/numpy.h"

// The structs as their users see them: a second copy from the specification.
extern "C" {
struct DLDevice {
  int32_t device_type, device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
}
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace hilo {
namespace {

/// A tensor of another library: f32[2,3] with the numbers from 0 to 5. Counts its deletions.
struct Foreign {
  alignas(64) float numbers[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned tensor{
      1,    0,
      this, [](DLManagedTensorVersioned* self) {
                                    ++static_cast<Foreign*>(self->manager_ctx)->deleted; },
      0,    {numbers, {1, 0}, 2, {2, 32, 1}, shape, strides, 0}};
};

StatusCode code_of(DLManagedTensorVersioned* tensor) {
  try {
    from_dlpack(tensor);
    return StatusCode::kOk;
  } catch (const Error& error) {
    return error.status().code();
  }
}

TEST(Dlpack, AnArrayGoesOutWithoutACopyAndCannotBeDonatedMeanwhile) {
  const Array x = Array::from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  DLManagedTensorVersioned* const tensor = to_dlpack(x);
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->flags, 1u);  // read-only
  const DLTensor& view = tensor->dl_tensor;
  EXPECT_EQ(view.data, x.data<float>().data());
  EXPECT_EQ(view.device.device_type, 1);
  ASSERT_EQ(view.ndim, 2);
  EXPECT_EQ(view.shape[1], 3);
  EXPECT_EQ(view.strides[0], 3);
  EXPECT_EQ(view.dtype.code, 2);
  EXPECT_EQ(view.dtype.bits, 32);
  tensor->deleter(tensor);
}

TEST(Dlpack, ATensorComesInWithoutACopyAndIsDeletedOnce) {
  Foreign foreign;
  {
    const Array x = from_dlpack(&foreign.tensor);
    EXPECT_TRUE(kGuardPages || x.data<float>().data() == foreign.numbers);
    EXPECT_EQ(x.to_string(), "[[0. 1. 2.]\n [3. 4. 5.]]");
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(Dlpack, StridesOffsetsAndTensorsWithoutAVersionAreRead) {
  Foreign foreign;
  foreign.shape[0] = 3, foreign.shape[1] = 2;
  foreign.strides[0] = 1, foreign.strides[1] = 3;
  EXPECT_EQ(from_dlpack(&foreign.tensor).to_string(), "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  foreign.tensor.dl_tensor.byte_offset = 20;
  foreign.strides[0] = -2, foreign.strides[1] = -1;
  EXPECT_EQ(from_dlpack(&foreign.tensor).to_string(), "[[5. 4.]\n [3. 2.]\n [1. 0.]]");
  EXPECT_EQ(foreign.deleted, 2);
  float number = 7;
  static int deleted = 0;
  DLManagedTensor old{{&number, {1, 0}, 0, {2, 32, 1}, nullptr, nullptr, 0}, nullptr, [](auto*) { ++deleted; }};
  EXPECT_EQ(from_dlpack(&old).item<float>(), 7);
  EXPECT_EQ(deleted, 1);
}

TEST(Dlpack, EveryTypeGoesThereAndBack) {
  for (const ElementType type : {ElementType::kPred, ElementType::kS8, ElementType::kU16, ElementType::kS32,
                                 ElementType::kF16, ElementType::kBf16, ElementType::kF32, ElementType::kC64}) {
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{}, {0}, {5}, {3, 0, 2}, {2, 3, 4}}) {
      const Array x = Array::from_literal(filled(Shape::array(type, sizes), 1));
      const Array y = from_dlpack(to_dlpack(x));
      EXPECT_TRUE(y.to_literal().identical(x.to_literal())) << x.aval_shape().to_string();
    }
  }
  EXPECT_THROW(to_dlpack(Array::from_literal(filled(Shape::array(ElementType::kS4, {2}), 1))), Error);
}

TEST(Dlpack, WhatCannotBeReadIsRefusedAndDeleted) {
  const auto refused = [](const std::function<void(Foreign&)>& spoil) {
    Foreign foreign;
    spoil(foreign);
    const StatusCode code = code_of(&foreign.tensor);
    EXPECT_EQ(foreign.deleted, 1);
    return code;
  };
  EXPECT_EQ(refused([](Foreign& f) { f.tensor.dl_tensor.device.device_type = 2; }), StatusCode::kUnimplemented);
  EXPECT_EQ(refused([](Foreign& f) { f.tensor.dl_tensor.dtype.lanes = 4; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused([](Foreign& f) { f.tensor.dl_tensor.dtype.bits = 7; }), StatusCode::kUnimplemented);
  EXPECT_EQ(refused([](Foreign& f) { f.tensor.dl_tensor.ndim = -1; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused([](Foreign& f) { f.shape[0] = -2; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused([](Foreign& f) { f.shape[0] = int64_t{1} << 61; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused([](Foreign& f) { f.tensor.major = 2; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of(nullptr), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
