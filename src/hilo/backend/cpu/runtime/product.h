// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/product.h -- sums of products of two arrays: convolutions and dots.
#pragma once

#include <array>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// One dimension that a window slides along. Tap u of position y reads the input at origin + y * step + u * tap_step,
/// or zero outside of the input. Strides are in elements.
struct ConvolutionDimension {
  int64_t size = 1, count = 1, taps = 1;  ///< of the input, of the result, of the kernel
  int64_t origin = 0, step = 1, tap_step = 1;
  int64_t lhs_stride = 0, rhs_stride = 0, out_stride = 0;
};

/// Extent and strides of a dimension that isn't spatial.
struct ConvolutionRole {
  int64_t extent = 1, lhs_stride = 0, rhs_stride = 0, out_stride = 0;
};

/// Computes for every group, batch and output feature the sum over taps and input features. There are three spatial
/// dimensions, the last one innermost. Unused ones have one position and one tap.
struct ConvolutionProblem {
  ConvolutionRole groups, batch, inputs, outputs;
  std::array<ConvolutionDimension, 3> dims;
  int64_t rhs_offset = 0, out_offset = 0;

  int64_t positions() const { return dims[0].count * dims[1].count * dims[2].count; }
  int64_t taps() const { return dims[0].taps * dims[1].taps * dims[2].taps; }
  int64_t terms() const { return taps() * inputs.extent; }
  bool is_empty() const { return terms() == 0; }
};

/// The elements of an array in memory, in the order of these dimensions; unused ones have the extent 1.
struct ArrayPlaces {
  static constexpr size_t kMaxDimensions = 8;
  struct Dimension {
    int64_t extent = 1, stride = 0;
  };
  std::array<Dimension, kMaxDimensions> dimensions;
  int64_t offset = 0, count = 1;
  bool is_dense = true;
};

/// The types in which sums are computed; integers wrap.
enum class SumType : uint8_t { kF32, kF64, kInteger, kC64, kC128 };

/// One unit. Each part writes other elements. Operands and result that aren't dense, or of another type than the sum,
/// are copied.
struct ProductProblem {
  ElementType lhs_type{}, rhs_type{}, out_type{};
  SumType sum{};
  Isa isa{};
  ArrayPlaces lhs, rhs, out;
  List<ConvolutionProblem> parts;
};

/// Returns the bytes of scratch memory.
size_t product_scratch(const ProductProblem& problem, std::span<const ConvolutionProblem> parts);

}  // namespace hilo::cpu::runtime
